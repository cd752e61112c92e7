/* no_parameters.h: fails to compile when an include of gpuprims has left a parameter defined. */
#if defined GP_NAME || defined GP_TYPE || defined GP_OP || defined GP_IDENTITY ||                  \
    defined GP_INPUT_TYPE || defined GP_LOAD || defined GP_CONTEXT || defined GP_API ||            \
    defined GP_PRED || defined GP_LESS || defined GP_EQUAL || defined GP_BIN || defined GP_KEY ||  \
    defined GP_VALUE || defined GP_DESCENDING || defined GP_INDEX || defined GP_BLOCK ||           \
    defined GP_ITEMS
#error "a parameter survived the include that should have consumed it"
#endif
#if defined GPI_TAG || defined GPI_DEPTH || defined GPI_DEFAULT || defined GPI_ON_HOST
#error "the state of an instance survived its include"
#endif
