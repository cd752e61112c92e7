/*
 * core/instance/less.cuh: the order of an instance. The user's GP_LESS is called here and nowhere else.
 *
 * Needs core/instance/begin.cuh. Stamped once per instance.
 */
#ifndef GPI_LESS_IS_STAMPED
#define GPI_LESS_IS_STAMPED

GPI_FUNCTION int GPI(less)(GP_TYPE a, GP_TYPE b, GPI_CONTEXT context)
{
    (void)context;
#ifndef GP_LESS
    return a < b;
#elif defined GP_CONTEXT
    return (GP_LESS(a, b, context)) ? 1 : 0;
#else
    return (GP_LESS(a, b)) ? 1 : 0;
#endif
}

#endif
