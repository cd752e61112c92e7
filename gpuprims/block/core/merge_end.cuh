/*
 * block/core/merge_end.cuh: undefines what merge.cuh, merge_sort.cuh and block/block_sort.cuh define for
 * block/core/merge.cuh.
 */
#undef GPI_MERGE_PAIRS
#undef GPI_MERGE_VALUE
#undef GPI_MERGE_VALUE_AT
#undef GPI_MERGE_INDISTINGUISHABLE
