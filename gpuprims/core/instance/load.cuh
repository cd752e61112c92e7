/*
 * core/instance/load.cuh: the maps of an instance, from what is read to its items, and from results to where they go.
 * The user's GP_LOAD, GP_LOAD_AT and GP_STORE_AT are called here and nowhere else; so variables begin with gpi_.
 *
 * Needs core/instance/begin.cuh. Included by an instance once: by combine.cuh, or by a header that does not fold.
 */

/* Reads an item and maps it to GP_TYPE; with GP_LOAD_AT, one that the expression has given already. */
#ifdef GP_LOAD_AT
GPI_FUNCTION GP_TYPE GPI(load)(const GP_TYPE *gpi_from, GPI_CONTEXT gpi_context)
#else
GPI_FUNCTION GP_TYPE GPI(load)(const GP_INPUT_TYPE *gpi_from, GPI_CONTEXT gpi_context)
#endif
{
#ifdef GP_LOAD_AT
    (void)gpi_context;
    return *gpi_from;
#else
    const GP_INPUT_TYPE gpi_x = *gpi_from; /* read once, however often the macro uses it */

    (void)gpi_context;
    (void)gpi_x;
#ifndef GP_LOAD
    return __extension__(GP_TYPE)gpi_x; /* an extension if it is a struct, where it converts nothing */
#elif defined GP_CONTEXT
    return GP_LOAD(gpi_x, gpi_context);
#else
    return GP_LOAD(gpi_x);
#endif
#endif
}

#ifndef GPI_ON_HOST
/* Item number i. */
GPI_FUNCTION GP_TYPE GPI(load_at)(const GP_INPUT_TYPE *gpi_in, size_t gpi_i, GPI_CONTEXT gpi_context)
{
    (void)gpi_in;
    (void)gpi_i;
    (void)gpi_context;
#ifndef GP_LOAD_AT
    return GPI(load)(gpi_in + gpi_i, gpi_context);
#elif defined GP_CONTEXT
    return GP_LOAD_AT(gpi_in, gpi_i, gpi_context);
#else
    return GP_LOAD_AT(gpi_in, gpi_i);
#endif
}

/* Stores result number i. */
GPI_FUNCTION void GPI(store_at)(GP_TYPE *gpi_out, size_t gpi_i, GP_TYPE gpi_x, GPI_CONTEXT gpi_context)
{
    (void)gpi_out;
    (void)gpi_i;
    (void)gpi_x;
    (void)gpi_context;
#ifndef GP_STORE_AT
    gpi_move(gpi_out + gpi_i, &gpi_x);
#elif defined GP_CONTEXT
    GP_STORE_AT(gpi_out, gpi_i, gpi_x, gpi_context);
#else
    GP_STORE_AT(gpi_out, gpi_i, gpi_x);
#endif
}
#endif
