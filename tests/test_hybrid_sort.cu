/*
 * hybrid_sort.cuh and host/cpu_merge.h: every short length, budgets from one chunk to a hundred, both methods,
 * and a failure at every call that can fail.
 */
/* test options: timeout=300 */
#include "tap.h"

#include <limits.h>
#include <pthread.h>

/* ---- failures ---------------------------------------------------------------------------------- */

/* While armed, the calls that can fail are counted, and that of number fail_at does. */
static int armed, calls, fail_at, failed_with, alive, threads_refused;

static int fails(int error)
{
    int now = __atomic_load_n(&armed, __ATOMIC_RELAXED) &&
              __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) == fail_at;

    if (now)
        failed_with = error;
    return now;
}

/* A call that makes something, and one that takes it away again. */
static cudaError_t made(cudaError_t error)
{
    __atomic_fetch_add(&alive, error == cudaSuccess, __ATOMIC_RELAXED);
    return error;
}

/* New memory holds rubbish, not what an earlier sort left there. */
static void *made_memory(void *memory, size_t bytes)
{
    (void)made(memory ? cudaSuccess : cudaErrorMemoryAllocation);
    return memory ? memset(memory, 0xA5, bytes) : NULL;
}

static void gone(const void *thing)
{
    __atomic_fetch_sub(&alive, thing != NULL, __ATOMIC_RELAXED);
}

enum { NO_MEMORY = cudaErrorMemoryAllocation, BROKEN = cudaErrorUnknown };
#define MAY_FAIL(error, call) (fails(error) ? (cudaError_t)(error) : (call))

/* No call of the library may go another way: what it calls is replaced before it is included. */
#undef cudaMalloc
#ifdef __CUDACC__
#define real_malloc(pointer, bytes) (cudaMalloc)((pointer), (bytes))
#else
#define real_malloc(pointer, bytes) gpi_cpu_malloc((pointer), (bytes), 1)
#endif
#define cudaMalloc(pointer, bytes) \
    MAY_FAIL(NO_MEMORY, made(real_malloc((void **)(pointer), (bytes))))
#define cudaHostRegister(memory, bytes, flags) \
    MAY_FAIL(NO_MEMORY, made((cudaHostRegister)((memory), (bytes), (flags))))
#define malloc(bytes) (fails(NO_MEMORY) ? NULL : made_memory((malloc)(bytes), (bytes)))
#define aligned_alloc(alignment, bytes) \
    (fails(NO_MEMORY) ? NULL : made_memory((aligned_alloc)((alignment), (bytes)), (bytes)))
#define cudaMemGetInfo(unused, total) MAY_FAIL(BROKEN, (cudaMemGetInfo)((unused), (total)))
#define cudaSetDevice(device) MAY_FAIL(BROKEN, (cudaSetDevice)(device))
#define cudaStreamCreateWithFlags(stream, flags) \
    MAY_FAIL(NO_MEMORY, made((cudaStreamCreateWithFlags)((stream), (flags))))
#define cudaEventCreateWithFlags(event, flags) \
    MAY_FAIL(NO_MEMORY, made((cudaEventCreateWithFlags)((event), (flags))))
#define cudaMemcpyAsync(...) MAY_FAIL(BROKEN, (cudaMemcpyAsync)(__VA_ARGS__))
#define cudaMemsetAsync(...) MAY_FAIL(BROKEN, (cudaMemsetAsync)(__VA_ARGS__))
#define cudaEventRecord(event, stream) MAY_FAIL(BROKEN, (cudaEventRecord)((event), (stream)))
#define cudaEventSynchronize(event) MAY_FAIL(BROKEN, (cudaEventSynchronize)(event))
#define cudaStreamWaitEvent(...) MAY_FAIL(BROKEN, (cudaStreamWaitEvent)(__VA_ARGS__))
#ifdef __CUDACC__ /* events are queried so often that not every query can fail in turn */
#define cudaLaunchKernelEx(...) MAY_FAIL(BROKEN, (cudaLaunchKernelEx)(__VA_ARGS__))
#else
#define cudaEventQuery(event) MAY_FAIL(BROKEN, (cudaEventQuery)(event))
#define gpi_cpu_launch(...) MAY_FAIL(BROKEN, (gpi_cpu_launch)(__VA_ARGS__))
#endif
#define free(memory) (gone(memory), (free)(memory))
#define cudaFree(memory) (gone(memory), (cudaFree)(memory))
#define cudaHostUnregister(memory) (gone(memory), (cudaHostUnregister)(memory))
#define cudaStreamDestroy(stream) (gone(stream), (cudaStreamDestroy)(stream))
#define cudaEventDestroy(event) (gone(event), (cudaEventDestroy)(event))
#define pthread_create(...) (threads_refused > 0 && threads_refused-- ? 1 : (pthread_create)(__VA_ARGS__))

/* On a trip with chunks another thread's call may fail whenever a chunk or a task begins or ends. */
#define GPI_HYBRID_TRACE(pipeline, what, number)              \
    do {                                                      \
        (void)(what), (void)(number);                         \
        if ((pipeline)->chunks && fails(BROKEN))              \
            gpi_hybrid_fail((pipeline), (cudaError_t)BROKEN); \
    } while (0)
#define GPI_HYBRID_EVENTS cudaEventDisableTiming

/* ---- instances --------------------------------------------------------------------------------- */

#define GPI_HYBRID_BLOCK ((size_t)256) /* several blocks of a short array */
#define GPI_CPU_MERGE_MIN_ITEMS(runs) ((size_t)1)

typedef struct {
    uint32_t number;
    uint16_t more[3];
} s12;

/* A word of 8 bytes that need not lie at multiples of 8. */
typedef struct {
    uint32_t low, high;
} w64;

/* clang-format off */
#define CASE u32
#define CASE_KEY uint32_t
#include "hybrid_case.h"
#define CASE f32_u32
#define CASE_KEY float
#define CASE_VALUE uint32_t
#include "hybrid_case.h"
#define CASE w64_s12_down
#define CASE_KEY w64
#define CASE_KIND GP_SIGNED
#define CASE_VALUE s12
#define CASE_DESCENDING
#include "hybrid_case.h"
/* clang-format on */

#include "no_parameters.h"

static const hybrid_case *const cases[] = {&u32_case, &f32_u32_case, &w64_s12_down_case};
enum { CASES = sizeof cases / sizeof *cases };

/* ---- the reference ----------------------------------------------------------------------------- */

static const char *const patterns[] = {"random",         "few distinct",  "all equal",
                                       "sorted",         "reversed",      "mostly one",
                                       "zeros and NaNs", "sorted in saws"};
enum { PATTERNS = sizeof patterns / sizeof *patterns };

static uint64_t make_key(const hybrid_case *c, int pattern, size_t i, size_t n)
{
    static const float some[] = {0.0f, -0.0f, 1.0f, -1.0f, 1e-45f, -3e38f};
    const uint64_t random = tap_random(), all = UINT64_MAX >> (64 - 8 * c->key_bytes);
    uint64_t bits = 0;

    switch (pattern) {
    case 1: return (random % 7 + 1) * 0x9E3779B97F4A7C15u & all;
    case 2: return 0x1234567890ABCDEFu & all;
    case 3: return (uint64_t)((double)i / (double)n * (double)(all >> 2));
    case 4: return (uint64_t)((double)(n - i) / (double)n * (double)(all >> 2));
    case 5: return random % 10 ? 0x5555555555555555u & all : random & all;
    case 6:
        if (random % 8 >= 6)
            return (random % 8 == 6 ? 0x7FC00000u : 0xFFC00000u) + (random >> 40) % 3;
        memcpy(&bits, &some[random % 8], sizeof some[0]);
        return bits;
    case 7: return i % 50 * 3 + random % 2;
    default: return random & all;
    }
}

/* ---- arrays ------------------------------------------------------------------------------------ */

/* Keys, values that say where they come from, and their order. */
typedef struct arrays {
    const hybrid_case *c;
    size_t n;
    char *keys, *values, *keys_before, *values_before;
    item *order;
} arrays;

static arrays arrays_new(const hybrid_case *c, int pattern, size_t n)
{
    arrays a = {c, n, NULL, NULL, NULL, NULL, NULL};

    a.keys = (char *)calloc(n + 1, c->key_bytes);
    a.values = (char *)calloc(n + 1, c->value_bytes + 1);
    a.keys_before = (char *)calloc(n + 1, c->key_bytes);
    a.values_before = (char *)calloc(n + 1, c->value_bytes + 1);
    a.order = (item *)calloc(n + 1, sizeof *a.order);
    for (size_t i = 0; i < n; i++) {
        uint64_t key = make_key(c, pattern, i, n);
        uint32_t number = (uint32_t)i;

        memcpy(a.keys_before + i * c->key_bytes, &key, c->key_bytes);
        if (c->value_bytes)
            memcpy(a.values_before + i * c->value_bytes, &number, sizeof number);
        a.order[i].number = key_number(key_bits(a.keys_before, i, c->key_bytes), c->key_bytes, c->kind, c->descending);
        a.order[i].index = i;
    }
    qsort(a.order, n, sizeof *a.order, compare_items);
    return a;
}

static void arrays_fill(arrays *a)
{
    memcpy(a->keys, a->keys_before, a->n * a->c->key_bytes);
    memcpy(a->values, a->values_before, a->n * a->c->value_bytes);
}

static void arrays_free(arrays *a)
{
    (free)(a->keys);
    (free)(a->values);
    (free)(a->keys_before);
    (free)(a->values_before);
    (free)(a->order);
}

/* Whether item i is where the order says, bit for bit: of keys that are equal the one that was first. */
static int is_sorted(const arrays *a)
{
    const size_t kb = a->c->key_bytes, vb = a->c->value_bytes;
    int right = 1;

    for (size_t i = 0; i < a->n; i++) {
        size_t from = a->order[i].index;

        right &= memcmp(a->keys + i * kb, a->keys_before + from * kb, kb) == 0;
        right &= memcmp(a->values + i * vb, a->values_before + from * vb, vb) == 0;
    }
    return right;
}

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Whether the items are those that were there, in any order, each key with its value. */
static int is_permutation(const arrays *a)
{
    const size_t kb = a->c->key_bytes, vb = a->c->value_bytes;
    int right = 1;

    if (vb) {
        char *seen = (char *)calloc(a->n + 1, 1);

        for (size_t i = 0; i < a->n; i++) {
            uint32_t from;

            memcpy(&from, a->values + i * vb, sizeof from);
            right &= from < a->n && !seen[from];
            if (!right)
                break;
            seen[from] = 1;
            right &= memcmp(a->keys + i * kb, a->keys_before + from * kb, kb) == 0;
            right &= memcmp(a->values + i * vb, a->values_before + from * vb, vb) == 0;
        }
        (free)(seen);
        return right;
    }
    uint64_t *numbers = (uint64_t *)calloc(2 * a->n + 1, sizeof *numbers);
    for (size_t i = 0; i < a->n; i++) {
        memcpy(&numbers[i], a->keys + i * kb, kb);
        memcpy(&numbers[a->n + i], a->keys_before + i * kb, kb);
    }
    qsort(numbers, a->n, sizeof *numbers, compare_u64);
    qsort(numbers + a->n, a->n, sizeof *numbers, compare_u64);
    right = memcmp(numbers, numbers + a->n, a->n * sizeof *numbers) == 0;
    (free)(numbers);
    return right;
}

/* Bytes of device memory that suffice for chunks of so many items: three of them, and a workspace. */
static size_t budget_of(const hybrid_case *c, size_t chunk_n)
{
    return 3 * (gpi_align_up(chunk_n * c->key_bytes) + gpi_align_up(chunk_n * c->value_bytes)) +
           GPI_ALIGNMENT;
}

static gp_hybrid_options options_of(int method, size_t budget, int threads, int serial)
{
    gp_hybrid_options options;

    memset(&options, 0, sizeof options);
    options.method = method;
    options.device_bytes = budget;
    options.cpu_threads = threads;
    options.serial_lanes = serial;
    return options;
}

/* Whether one sort gives what it should. */
static int sorts(const hybrid_case *c, int pattern, size_t n, const gp_hybrid_options *options)
{
    arrays a = arrays_new(c, pattern, n);

    arrays_fill(&a);
    cudaError_t error = c->sort(a.keys, a.values, n, options);
    int passed = error == cudaSuccess && is_sorted(&a) && alive == 0;
    if (!passed)
        printf("# %s of %zu keys, %s, method %d, %zu bytes, %d threads: %s, %d left\n", c->name, n,
               patterns[pattern], options ? options->method : 0,
               options ? options->device_bytes : 0, options ? options->cpu_threads : 0,
               error == cudaSuccess ? "wrong" : cudaGetErrorString(error), alive);
    arrays_free(&a);
    return passed;
}

/* ---- tests ------------------------------------------------------------------------------------- */

/* Every length, in chunks of every size from few items to all. */
static void lengths(const hybrid_case *c)
{
    int passed = 1;

    for (size_t n = 0; n <= 300; n += tap_small && n > 40 ? 7 : 1) {
        gp_hybrid_options options =
            options_of((int)(n % 3), budget_of(c, n / (n % 13 + 1) + 32), (int)(n % 4), n % 5 == 0);

        passed &= sorts(c, (int)(n % PATTERNS), n, &options);
    }
    ok(passed, "%s: every length from 0 to 300", c->name);
}

/* Chunks of a 128-byte line, which is as few bytes as memory for them is measured in, and of more. */
static void budgets(const hybrid_case *c)
{
    const size_t line = GPI_ALIGNMENT / c->key_bytes, n = line * (tap_small ? 17 : 100) - 3;
    int passed = 1, one = 0;

    for (size_t chunk = line; chunk <= n; chunk += chunk < 6 * line ? line : chunk / 2)
        for (int method = 1; method <= 2; method++, one++) {
            gp_hybrid_options options =
                options_of(method, budget_of(c, chunk), 1 + one % 3, one % 7 == 0);

            passed &= sorts(c, one % PATTERNS, n, &options);
        }
    ok(passed, "%s: budgets for 1 to %d chunks", c->name, tap_small ? 17 : 100);
}

static void data(const hybrid_case *c)
{
    const size_t n = tap_small ? 2000 : 12345;
    int passed = 1;

    for (int pattern = 0; pattern < PATTERNS; pattern++)
        for (int method = 0; method <= 2; method++) {
            gp_hybrid_options options = options_of(method, budget_of(c, n / 11), method, 0);

            passed &= sorts(c, pattern, n, &options);
        }
    passed &= sorts(c, 0, n, NULL);
    ok(passed, "%s: random, few distinct, sorted, reversed, special keys; without options too",
       c->name);
}

/* Whatever the options, the same bits. */
static void the_same(const hybrid_case *c)
{
    int passed = 1;
    arrays a = arrays_new(c, 1, 3001);

    for (int how = 0; how < 24; how++) {
        gp_hybrid_options options = options_of(
            1 + how % 2, budget_of(c, 150 + 400 * (size_t)(how / 8)), 1 + how % 5, how / 4 % 2);

        threads_refused = how % 6 == 5 ? INT_MAX : 0;
        arrays_fill(&a);
        passed &= c->sort(a.keys, a.values, a.n, &options) == cudaSuccess && is_sorted(&a);
    }
    threads_refused = 0;
    arrays_free(&a);
    ok(passed, "%s: the same whatever the options, and where no thread can be started", c->name);
}

/* Fails at one call after the other, or at every third. In few chunks, or in many, whose runs wait in the array too. */
static void failures(const hybrid_case *c, int method, size_t chunk, int no_threads)
{
    int passed = 1, failed = 0, late = 0, done = 0;
    arrays a = arrays_new(c, 1, 555);
    gp_hybrid_options options = options_of(method, budget_of(c, chunk), 2, 0);

    threads_refused = no_threads ? INT_MAX : 0;
    for (fail_at = 1; !done && passed; fail_at += tap_small ? 3 : 1) {
        arrays_fill(&a);
        calls = failed_with = 0;
        armed = 1;
        cudaError_t error = c->sort(a.keys, a.values, a.n, &options);
        armed = 0;
        done = calls < fail_at; /* there are no more */
        passed &= error == (cudaError_t)failed_with && alive == 0;
        passed &= done ? is_sorted(&a) : is_permutation(&a);
        failed += error != cudaSuccess;
        late += error != cudaSuccess &&
                memcmp(a.keys, a.keys_before, a.n * c->key_bytes) != 0; /* it had been written to */
        if (!passed)
            printf("# failure %d of %d: %s instead of %s, %d left\n", fail_at, calls,
                   cudaGetErrorString(error), cudaGetErrorString((cudaError_t)failed_with), alive);
    }
    threads_refused = 0;
    ok(passed,
       "%s, method %d%s, chunks of %zu: %d failures, %d of them late: reported, nothing lost, all "
       "freed",
       c->name, method, no_threads ? ", no threads" : "", chunk, failed, late);
    ok(fail_at > 50 && (method == 1 || late > 0), "%s, method %d: enough of them", c->name, method);
    arrays_free(&a);
    (void)cudaGetLastError();
}

typedef struct told {
    double last;
    int times, wrong;
    pthread_t caller;
} told;

static void tell(void *user, double fraction)
{
    told *t = (told *)user;

    t->wrong |= fraction <= t->last || fraction > 1 || !pthread_equal(pthread_self(), t->caller);
    t->last = fraction;
    t->times++;
}

static void progress(const hybrid_case *c)
{
    int passed = 1;

    for (int how = 0; how < 8; how++) {
        told t = {0, 0, 0, pthread_self()};
        gp_hybrid_options options =
            options_of(how % 3, how < 6 ? budget_of(c, 50) : 0, 1 + how % 3, 0);

        options.progress = tell;
        options.user = &t;
        threads_refused = how % 4 == 3 ? INT_MAX : how % 4; /* those of all trips, or of the first ones */
        passed &= sorts(c, 0, how == 7 ? 0 : 2000, &options);
        passed &= t.last == 1 && !t.wrong && (t.times > 3 || how != 3);
    }
    threads_refused = 0;
    ok(passed, "%s: progress grows to 1, and the calling thread tells it", c->name);
}

static void refusals(void)
{
    static uint32_t some[100];
    static float keys[100];
    gp_hybrid_options options = options_of(0, 0, 0, 0);

#define refused(call, error, text)                                                            \
    ok((call) == (error) && strstr(gp_last_error_message(), text) != NULL, "refused: %s: %s", \
       #call, gp_last_error_message())
    refused(u32_hybrid_sort_host(NULL, 5, NULL), cudaErrorInvalidValue,
            "u32_hybrid_sort_host: host_keys is NULL");
    refused(f32_u32_hybrid_sort_host(keys, NULL, 5, NULL), cudaErrorInvalidValue,
            "host_values is NULL");
    refused(u32_hybrid_sort_host(some, SIZE_MAX, NULL), cudaErrorInvalidValue,
            "u32_hybrid_sort_host: n is");
    refused(u32_hybrid_sort_host(some, ((size_t)1 << 62) + 1, NULL), cudaErrorInvalidValue, "n is");
    refused(f32_u32_hybrid_sort_host(keys, (uint32_t *)(void *)(keys + 4), 5, NULL),
            cudaErrorInvalidValue, "f32_u32_hybrid_sort_host: host_keys and host_values overlap");
    options.method = 3;
    refused(u32_hybrid_sort_host(some, 0, &options), cudaErrorInvalidValue, "options->method is 3");
    options.method = -1;
    refused(u32_hybrid_sort_host(some, 5, &options), cudaErrorInvalidValue,
            "options->method is -1");
    options = options_of(0, 0, -2, 0);
    refused(u32_hybrid_sort_host(some, 5, &options), cudaErrorInvalidValue,
            "options->cpu_threads is -2");
    options = options_of(0, 383, 0, 0);
    refused(u32_hybrid_sort_host(some, 100, &options), cudaErrorInvalidValue,
            "383 bytes of device memory are too few for 100 items; 384 are needed");
    options.device_bytes = 384;
    ok(u32_hybrid_sort_host(some, 100, &options) == cudaSuccess, "384 bytes are enough");
    ok(u32_hybrid_sort_host(NULL, 0, NULL) == cudaSuccess &&
           f32_u32_hybrid_sort_host(NULL, NULL, 0, NULL) == cudaSuccess,
       "nothing is sorted without any pointers");
#ifndef __CUDACC__
    size_t memory = gp_cpu.memory_bytes;

    gp_cpu.memory_bytes = 100;
    refused(u32_hybrid_sort_host(some, 100, NULL), cudaErrorMemoryAllocation,
            "88 bytes of device memory are too few for 100 items");
    gp_cpu.memory_bytes = memory;
#endif
#undef refused
    cudaSetDevice(12345);
    (void)u32_hybrid_sort_host(some, 100, NULL);
    ok(cudaGetLastError() == cudaErrorInvalidDevice, "an error that was pending before stays so");
}

#ifndef __CUDACC__
/* No more device memory than it was allowed; without a budget, less than there is. */
static void small_device(const hybrid_case *c)
{
    size_t memory = gp_cpu.memory_bytes;
    int passed = 1;

    for (size_t chunk = 40; chunk < 3000; chunk *= 3) {
        gp_hybrid_options options = options_of(0, budget_of(c, chunk), 0, 0);

        gp_cpu.memory_bytes = options.device_bytes;
        passed &= sorts(c, 0, 5000, &options);
        gp_cpu.memory_bytes = options.device_bytes + options.device_bytes / 2;
        passed &= sorts(c, 1, 5000, NULL);
        gp_cpu.memory_bytes = 100;
        arrays a = arrays_new(c, 0, 500);
        arrays_fill(&a);
        options.device_bytes = 10 * budget_of(c, 500);
        passed &= c->sort(a.keys, a.values, a.n, &options) == cudaErrorMemoryAllocation;
        passed &= memcmp(a.keys, a.keys_before, a.n * c->key_bytes) == 0 && alive == 0;
        arrays_free(&a);
    }
    gp_cpu.memory_bytes = memory;
    (void)cudaGetLastError();
    ok(passed, "%s: it stays in its budget, or in what the device has", c->name);
}
#endif

/* Runs of all lengths, the empty ones too, by one thread and by more than there are items. */
static void merges(const hybrid_case *c)
{
    static const size_t counts[] = {0, 1, 2, 3, 4, 5, 7, 8, 13, 32, 61};
    size_t offsets[64];
    int passed = 1;

    for (int k = 0; k < 11; k++)
        for (int pattern = 0; pattern < PATTERNS; pattern++) {
            arrays a = arrays_new(c, pattern, counts[k] ? tap_below(2000) : 0);
            const size_t kb = c->key_bytes, vb = c->value_bytes;
            char *keys = (char *)calloc(a.n + 1, kb), *values = (char *)calloc(a.n + 1, vb + 1);

            offsets[0] = 0;
            for (size_t r = 1; r <= counts[k]; r++)
                offsets[r] = r == counts[k] ? a.n : tap_below(4) ? tap_below(a.n + 1) : 0;
            if (counts[k] > 1)
                qsort(offsets + 1, counts[k] - 1, sizeof *offsets, compare_u64);
            for (size_t r = 0; r < counts[k]; r++) {
                size_t n = offsets[r + 1] - offsets[r], first = offsets[r];
                item *run = (item *)calloc(n + 1, sizeof *run);

                for (size_t i = 0, j = 0; i < a.n; i++) /* the run's items, in the order of all */
                    if (a.order[i].index >= first && a.order[i].index < first + n)
                        run[j++] = a.order[i];
                for (size_t i = 0; i < n; i++) {
                    memcpy(keys + (first + i) * kb, a.keys_before + run[i].index * kb, kb);
                    memcpy(values + (first + i) * vb, a.values_before + run[i].index * vb, vb);
                }
                (free)(run);
            }
            int failed =
                c->merge(keys, a.keys, values, a.values, offsets, counts[k], (int)tap_below(9));
            passed &= !failed && is_sorted(&a) && alive == 0;
            if (!passed)
                printf("# %zu runs of %zu keys, %s\n", counts[k], a.n, patterns[pattern]);
            (free)(keys);
            (free)(values);
            arrays_free(&a);
        }
    fail_at = armed = 1;
    calls = 0;
    offsets[0] = 0;
    offsets[1] = 1;
    passed &= c->merge(patterns, NULL, patterns, NULL, offsets, 1, 1) == 1;
    armed = 0;
    ok(passed, "%s: merges of 0 to 61 runs; without memory nothing is done", c->name);
}

#ifdef __CUDACC__
/* Several blocks of the usual size, chunks of several blocks: as large arrays go. */
static void large(void)
{
    const size_t n = tap_small ? 300000 : 20000003;
    uint32_t *keys = (uint32_t *)calloc(n, sizeof *keys);
    int passed = 1;

    for (int method = 1; method <= 2; method++) {
        gp_hybrid_options options = options_of(method, n, 0, 0);
        uint64_t sum = 0, sum_after = 0;

        for (size_t i = 0; i < n; i++) {
            keys[i] = (uint32_t)tap_random();
            sum += keys[i];
        }
        passed &= u32_hybrid_sort_host(keys, n, &options) == cudaSuccess;
        for (size_t i = 0; i < n; i++) {
            passed &= i == 0 || keys[i - 1] <= keys[i];
            sum_after += keys[i];
        }
        passed &= sum == sum_after;
    }
    ok(passed, "%zu keys in a quarter of their memory", n);
    (free)(keys);
}
#endif

int main(int argc, char **argv)
{
    tap_begin(argc, argv);
    refusals();
    for (int i = 0; i < CASES; i++) {
        if (!tap_wants(cases[i]->name))
            continue;
        merges(cases[i]);
        lengths(cases[i]);
        budgets(cases[i]);
        data(cases[i]);
        the_same(cases[i]);
        progress(cases[i]);
        if (tap_brief) /* a failure at every call is hundreds of sorts */
            continue;
        failures(cases[i], 1, 130, 0);
        failures(cases[i], 2, 130, i == 1);
        failures(cases[i], 2, 40, i == 1);
#ifndef __CUDACC__
        small_device(cases[i]);
#endif
    }
#ifdef __CUDACC__
    if (tap_wants("large"))
        large();
#endif
    return tap_end();
}
