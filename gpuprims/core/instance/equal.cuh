/*
 * core/instance/equal.cuh: whether neighbours belong to one run, of the type GPI(key). The user's GP_EQUAL is called
 * here and nowhere else; so variables begin with gpi_.
 *
 * Needs core/instance/begin.cuh. Stamped once per instance.
 */
#ifndef GPI_EQUAL_IS_STAMPED
#define GPI_EQUAL_IS_STAMPED

GPI_FUNCTION int GPI(equal)(GPI(key) gpi_a, GPI(key) gpi_b, GPI_CONTEXT gpi_context)
{
    (void)gpi_context;
    (void)gpi_a;
    (void)gpi_b;
#ifndef GP_EQUAL
    return gpi_a == gpi_b;
#elif defined GP_CONTEXT
    return (GP_EQUAL(gpi_a, gpi_b, gpi_context)) ? 1 : 0;
#else
    return (GP_EQUAL(gpi_a, gpi_b)) ? 1 : 0;
#endif
}

#endif
