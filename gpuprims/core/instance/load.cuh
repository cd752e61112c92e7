/*
 * core/instance/load.cuh: the map of an instance, from what is read to its items. The user's GP_LOAD is called here and
 * nowhere else.
 *
 * Needs core/instance/begin.cuh. Included by an instance once: by combine.cuh, or by a header that does not fold.
 */

/* Reads an item and maps it to GP_TYPE. */
GPI_FUNCTION GP_TYPE GPI(load)(const GP_INPUT_TYPE *from, GPI_CONTEXT context)
{
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
}
