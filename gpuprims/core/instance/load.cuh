/*
 * core/instance/load.cuh: the maps of an instance, from what is read to its items, and from results to where they go.
 * The user's GP_LOAD, GP_LOAD_AT and GP_STORE_AT are called here and nowhere else.
 *
 * Needs core/instance/begin.cuh. Included by an instance once: by combine.cuh, or by a header that does not fold.
 */

/* Reads an item and maps it to GP_TYPE; with GP_LOAD_AT, one that the expression has given already. */
#ifdef GP_LOAD_AT
GPI_FUNCTION GP_TYPE GPI(load)(const GP_TYPE *from, GPI_CONTEXT context)
#else
GPI_FUNCTION GP_TYPE GPI(load)(const GP_INPUT_TYPE *from, GPI_CONTEXT context)
#endif
{
#ifdef GP_LOAD_AT
    (void)context;
    return *from;
#else
    const GP_INPUT_TYPE x = *from; /* read once, however often the macro uses it */

    (void)context;
    (void)x;
#ifndef GP_LOAD
    return __extension__(GP_TYPE)x; /* an extension if it is a struct, where it converts nothing */
#elif defined GP_CONTEXT
    return GP_LOAD(x, context);
#else
    return GP_LOAD(x);
#endif
#endif
}

#ifndef GPI_ON_HOST
/* Item number i. */
GPI_FUNCTION GP_TYPE GPI(load_at)(const GP_INPUT_TYPE *in, size_t i, GPI_CONTEXT context)
{
    (void)in;
    (void)i;
    (void)context;
#ifndef GP_LOAD_AT
    return GPI(load)(in + i, context);
#elif defined GP_CONTEXT
    return GP_LOAD_AT(in, i, context);
#else
    return GP_LOAD_AT(in, i);
#endif
}

/* Stores result number i. */
GPI_FUNCTION void GPI(store_at)(GP_TYPE *out, size_t i, GP_TYPE x, GPI_CONTEXT context)
{
    (void)out;
    (void)i;
    (void)x;
    (void)context;
#ifndef GP_STORE_AT
    gpi_move(out + i, &x);
#elif defined GP_CONTEXT
    GP_STORE_AT(out, i, x, context);
#else
    GP_STORE_AT(out, i, x);
#endif
}
#endif
