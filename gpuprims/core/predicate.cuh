/*
 * core/predicate.cuh: the predicate of an instance. The user's GP_PRED is called here and nowhere else.
 *
 * Needs core/begin.cuh. Stamped once per instance.
 */
#ifndef GPI_PREDICATE_IS_STAMPED
#define GPI_PREDICATE_IS_STAMPED

#define GPI_KEEP GPI(keep)

GPI_FUNCTION int GPI_KEEP(const GP_TYPE *item, GPI_CONTEXT context)
{
    (void)context;
#ifndef GP_PRED
    return *item != 0;
#elif defined GP_CONTEXT
    return (GP_PRED(*item, context)) ? 1 : 0;
#else
    return (GP_PRED(*item)) ? 1 : 0;
#endif
}

#endif
