/* Radix sort of pairs: values of 1 to 32 bytes, of every alignment, at every natural address modulo 128. */
/* test options: many timeout=300 */
#include "tap.h"

enum { BITS = 8 }; /* of the keys that are sorted by, so that there is one pass */

typedef cudaError_t sort_function(const void *kin, void *kout, const void *vin, void *vout, size_t n,
                                  gp_workspace *ws);

static int kernel; /* GP_KERNEL of all instances */
static gp_workspace ws = GP_WORKSPACE_INIT;

#include "radix_value_sizes.h"

/* The places of the items in the order of their lowest byte: a counting sort. */
static void reference(const unsigned char *keys, size_t key_bytes, size_t n, size_t *places)
{
    size_t starts[257] = {0};

    for (size_t i = 0; i < n; i++)
        starts[keys[i * key_bytes] + 1]++;
    for (int d = 0; d < 256; d++)
        starts[d + 1] += starts[d];
    for (size_t i = 0; i < n; i++)
        places[i] = starts[keys[i * key_bytes]]++;
}

/* Whether one sort gives what it should, with values that start `at` bytes behind an aligned address. */
static int sorts(size_t bytes, size_t key_bytes, sort_function *sort, size_t n, size_t at, int in_place)
{
    unsigned char *keys = (unsigned char *)malloc(n * key_bytes), *values = (unsigned char *)malloc(n * bytes);
    unsigned char *keys_got = (unsigned char *)malloc(n * key_bytes), *got = (unsigned char *)malloc(n * bytes);
    size_t *places = (size_t *)malloc(n * sizeof *places);

    for (size_t i = 0; i < n * key_bytes; i++)
        keys[i] = (unsigned char)tap_random();
    for (size_t i = 0; i < n * bytes; i++)
        values[i] = (unsigned char)tap_random();
    reference(keys, key_bytes, n, places);
    tap_buffer kin = tap_buffer_of(keys, n * key_bytes, 0), vin = tap_buffer_of(values, n * bytes, at);
    tap_buffer kout = tap_buffer_new(n * key_bytes, 0), vout = tap_buffer_new(n * bytes, 3 * at % 128);
    tap_buffer *v = in_place ? &vin : &vout;
    int passed = sort(kin.data, kout.data, vin.data, v->data, n, &ws) == cudaSuccess;

    tap_buffer_read(keys_got, &kout, n * key_bytes);
    tap_buffer_read(got, v, n * bytes);
    for (size_t i = 0; i < n && passed; i++)
        passed = memcmp(keys_got + places[i] * key_bytes, keys + i * key_bytes, key_bytes) == 0 &&
                 memcmp(got + places[i] * bytes, values + i * bytes, bytes) == 0;
    passed &= tap_buffer_intact(&kout, n * key_bytes) && tap_buffer_intact(&vin, n * bytes);
    passed &= tap_buffer_intact(&vout, in_place ? 0 : n * bytes);
    tap_buffer_free(&kin);
    tap_buffer_free(&vin);
    tap_buffer_free(&kout);
    tap_buffer_free(&vout);
    free(keys);
    free(values);
    free(keys_got);
    free(got);
    free(places);
    return passed;
}

/* One kernel in each 16 bytes of addresses. */
static void check(size_t bytes, size_t align, size_t key_bytes, sort_function *sort)
{
    static const struct {
        int kernel, in_place;
        size_t n;
    } ways[128 / 16] = {{0, 0, 300},
                        {0, 0, 4300},
                        {GP_KERNEL_PASSES, 1, 500},
                        {GP_KERNEL_BUCKETS, 0, 700},
                        {GP_KERNEL_PASSES, 0, 300},
                        {GP_KERNEL_BUCKETS_TWICE, 1, 700},
                        {GP_KERNEL_PASSES_AGAIN, 0, 500},
                        {GP_KERNEL_PASSES_OLD, 0, 300}};
    char name[32];
    int passed = 1;

    snprintf(name, sizeof name, "s%zua%zu", bytes, align);
    if (!tap_wants(name))
        return;

    for (size_t at = 0; at < 128; at += (tap_small ? 7 : 1) * align) {
        const size_t way = at / 16;
        int right;

        kernel = ways[way].kernel;
        right = sorts(bytes, key_bytes, sort, ways[way].n, at, ways[way].in_place);
        if (!right)
            printf("# %zu items, kernel %x, values at %zu: wrong\n", ways[way].n, kernel, at);
        passed &= right;
    }
    ok(passed, "values of %zu bytes aligned to %zu, keys of %zu: at every %saddress", bytes, align, key_bytes,
       tap_small ? "seventh " : "");
}

int main(int argc, char **argv)
{
    tap_begin(argc, argv);
#define CHECK_VALUES
#include "radix_value_sizes.h"
    must(gp_workspace_release(&ws, 0));
    return tap_end();
}
