/*
 * core/instance/end.cuh: ends an instance. The parameters are consumed: all of them are undefined here, and so
 * are the macros that core/ made from them.
 */
#if GPI_DEPTH == 3
#undef GPI_DEPTH
#define GPI_DEPTH 2
#elif GPI_DEPTH == 2
#undef GPI_DEPTH
#define GPI_DEPTH 1
#else
#undef GPI_DEPTH

#undef GP_NAME
#undef GP_TYPE
#undef GP_OP
#undef GP_IDENTITY
#undef GP_INPUT_TYPE
#undef GP_LOAD
#undef GP_LOAD_AT
#undef GP_STORE_AT
#undef GP_CONTEXT
#undef GP_API
#undef GP_PRED
#undef GP_LESS
#undef GP_EQUAL
#undef GP_BIN
#undef GP_KEY
#undef GP_KEY_KIND
#undef GP_VALUE
#undef GP_DESCENDING
#undef GP_INDEX
#undef GP_DEVICE_N
#undef GP_BLOCK
#undef GP_ITEMS
#undef GP_KERNEL
#undef GP_GRID

#undef GPI_TAG
#undef GPI_HEADER
#undef GPI_TAKES
#undef GPI_DEFAULT
#undef GPI_MISSING_NAME
#undef GPI_MISSING_OP
#undef GPI_MISSING_IDENTITY
#undef GPI_MISSING_CONTEXT_USER
#undef GPI_WRONG_BLOCK
#undef GPI_WRONG_ITEMS
#undef GPI_WRONG_KEY_KIND
#undef GPI_CONTEXT
#undef GPI_CONTEXT_PARAMETER
#undef GPI_CONTEXT_LAST
#undef GPI_CONTEXT_VALUE

#undef GPI_ON_HOST
#undef GPI_FUNCTION
#undef GPI_COMBINE_IS_STAMPED
#undef GPI_FOLD_IS_STAMPED
#undef GPI_CHUNK_IS_STAMPED
#undef GPI_CHUNK_BYTES_OF_INPUT
#undef GPI_RAKE_IS_STAMPED
#undef GPI_TAGS_ARE_STAMPED
#undef GPI_PREDICATE_IS_STAMPED
#undef GPI_LESS_IS_STAMPED
#undef GPI_RADIX_KEY_IS_STAMPED
#undef GPI_KEY_DESCENDING
#endif
