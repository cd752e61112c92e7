/*
 * core/instance/predicate.cuh: the predicate of an instance. The user's GP_PRED is called here and nowhere
 * else; so variables begin with gpi_.
 *
 * Needs core/instance/begin.cuh. Stamped once per instance.
 */
#ifndef GPI_PREDICATE_IS_STAMPED
#define GPI_PREDICATE_IS_STAMPED

GPI_FUNCTION int GPI(keep)(const GP_TYPE *gpi_from, GPI_CONTEXT gpi_context)
{
    const GP_TYPE gpi_x = *gpi_from; /* read once, however often the macro uses it */

    (void)gpi_context;
    (void)gpi_x;
#ifndef GP_PRED
    return gpi_x != (GP_TYPE)0;
#elif defined GP_CONTEXT
    return (GP_PRED(gpi_x, gpi_context)) ? 1 : 0;
#else
    return (GP_PRED(gpi_x)) ? 1 : 0;
#endif
}

#endif
