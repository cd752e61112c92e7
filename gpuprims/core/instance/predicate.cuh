/*
 * core/instance/predicate.cuh: the predicate of an instance. The user's GP_PRED is called here and nowhere else.
 *
 * Needs core/instance/begin.cuh. Stamped once per instance.
 */
#ifndef GPI_PREDICATE_IS_STAMPED
#define GPI_PREDICATE_IS_STAMPED

GPI_FUNCTION int GPI(keep)(const GP_TYPE *from, GPI_CONTEXT context)
{
    const GP_TYPE x = *from; /* read once, however often the macro uses it */

    (void)context;
    (void)x;
#ifndef GP_PRED
    return x != (GP_TYPE)0;
#elif defined GP_CONTEXT
    return (GP_PRED(x, context)) ? 1 : 0;
#else
    return (GP_PRED(x)) ? 1 : 0;
#endif
}

#endif
