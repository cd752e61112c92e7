/*
 * core/instance/equal.cuh: whether neighbours belong to one run, of the type GPI(key). The user's GP_EQUAL is called
 * here and nowhere else.
 *
 * Needs core/instance/begin.cuh. Stamped once per instance.
 */
#ifndef GPI_EQUAL_IS_STAMPED
#define GPI_EQUAL_IS_STAMPED

GPI_FUNCTION int GPI(equal)(GPI(key) a, GPI(key) b, GPI_CONTEXT context)
{
    (void)context;
    (void)a;
    (void)b;
#ifndef GP_EQUAL
    return a == b;
#elif defined GP_CONTEXT
    return (GP_EQUAL(a, b, context)) ? 1 : 0;
#else
    return (GP_EQUAL(a, b)) ? 1 : 0;
#endif
}

#endif
