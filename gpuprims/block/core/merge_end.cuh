/*
 * block/core/merge_end.cuh: undefines the macros of block/core/merge.cuh.
 */
#undef GPI_MERGE_PAIRS
#undef GPI_MERGE_VALUE
#undef GPI_MERGE_VALUE_AT
#undef GPI_MERGE_INDISTINGUISHABLE
#undef GPI_MERGE_IS_BOOL
#undef GPI_MERGE_FIRST_RUN
