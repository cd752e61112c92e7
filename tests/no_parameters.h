/* no_parameters.h: fails to compile when an include of gpuprims has left a parameter defined. */
#if defined GP_NAME || defined GP_TYPE || defined GP_OP || defined GP_IDENTITY ||                  \
    defined GP_INPUT_TYPE || defined GP_LOAD || defined GP_LOAD_AT || defined GP_STORE_AT ||       \
    defined GP_CONTEXT || defined GP_API || defined GP_PRED || defined GP_LESS ||                  \
    defined GP_EQUAL || defined GP_BIN || defined GP_KEY || defined GP_KEY_KIND ||                 \
    defined GP_VALUE || defined GP_DESCENDING || defined GP_INDEX || defined GP_DEVICE_N ||        \
    defined GP_BLOCK || defined GP_ITEMS || defined GP_KERNEL || defined GP_GRID
#error "a parameter survived the include that should have consumed it"
#endif
#if defined GPI_TAG || defined GPI_HEADER || defined GPI_TAKES || defined GPI_DEPTH ||    \
    defined GPI_DEFAULT || defined GPI_ON_HOST
#error "the state of an instance survived its include"
#endif
