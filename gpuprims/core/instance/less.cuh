/*
 * core/instance/less.cuh: the order of an instance. The user's GP_LESS is called here and nowhere else; so
 * variables begin with gpi_.
 *
 * Needs core/instance/begin.cuh. Stamped once per instance.
 */
#ifndef GPI_LESS_IS_STAMPED
#define GPI_LESS_IS_STAMPED

GPI_FUNCTION int GPI(less)(GP_TYPE gpi_a, GP_TYPE gpi_b, GPI_CONTEXT gpi_context)
{
    (void)gpi_context;
#ifndef GP_LESS
    return gpi_a < gpi_b;
#elif defined GP_CONTEXT
    return (GP_LESS(gpi_a, gpi_b, gpi_context)) ? 1 : 0;
#else
    return (GP_LESS(gpi_a, gpi_b)) ? 1 : 0;
#endif
}

#endif
