/*
 * bench_hybrid.cu: measures hybrid_sort.cuh on arrays in host memory, end to end, against the time that the
 * bus takes for the keys alone, and against sorts by the CPU with all cores.
 */
#define BENCH_PROGRAM "bench_hybrid"
#include <errno.h>

#include "device.h"
#include "machine.h"

#include <gpuprims/core/backend/threads.h>

/* ---- the stages of the pipeline over time ------------------------------------------------------- */

typedef struct trace_row {
    int trip; /* 1: to runs; then the merge, or the cuts and the second trip */
    const char *what;
    size_t number;
    double begin, arrived, sorted, end; /* milliseconds; of a task only the first and the last */
} trace_row;

enum { TRACE_ROWS = 1 << 16 };

static trace_row trace_rows[TRACE_ROWS];
static double trace_begun[2][TRACE_ROWS], trace_zero;
static int trace_count, trace_trip;
static cudaEvent_t trace_event;

struct gpi_hybrid_pipeline;
static void trace(const struct gpi_hybrid_pipeline *pipeline, int what, size_t number);

#define GPI_HYBRID_TRACE(pipeline, what, number) trace((pipeline), (what), (number))
#define GPI_HYBRID_EVENTS cudaEventDefault
#include <gpuprims/core/hybrid/pipeline.cuh>

static void trace(const gpi_hybrid_pipeline *pipeline, int what, size_t number)
{
    const int is_task = what == GPI_HYBRID_TASK || what == GPI_HYBRID_TASK_END;
    const size_t slot = number % pipeline->slots;
    float arrived = 0, sorted = 0;

    if (number >= TRACE_ROWS || trace_count == TRACE_ROWS || (is_task && pipeline->cuts))
        return; /* those tasks are thousands, of which few take any time */
    if (what == GPI_HYBRID_IN || what == GPI_HYBRID_TASK) {
        trace_trip += number == 0 && (!is_task || pipeline->chunks == 0);
        trace_begun[is_task][number] = clock_ms();
        return;
    }
    if (!is_task &&
        (cudaEventElapsedTime(&arrived, trace_event, pipeline->arrived[slot]) != cudaSuccess ||
         cudaEventElapsedTime(&sorted, trace_event, pipeline->sorted[slot]) != cudaSuccess))
        return;
    trace_row row = {trace_trip,
                     is_task ? "task" : "chunk",
                     number,
                     trace_begun[is_task][number] - trace_zero,
                     arrived,
                     sorted,
                     clock_ms() - trace_zero};
    trace_rows[trace_count++] = row;
}

static void trace_start(void)
{
    trace_count = trace_trip = 0;
    cudaEventRecord(trace_event, 0);
    cudaEventSynchronize(trace_event);
    trace_zero = clock_ms();
}

static void trace_write(const char *path)
{
    FILE *file = fopen(path, "w");

    if (!file)
        quit(EXIT_USAGE, "cannot write %s", path);
    fputs("trip,what,number,begin_ms,arrived_ms,sorted_ms,end_ms\n", file);
    for (int i = 0; i < trace_count; i++) {
        const trace_row *row = &trace_rows[i];

        fprintf(file, "%d,%s,%zu,%.3f,%.3f,%.3f,%.3f\n", row->trip, row->what, row->number,
                row->begin, row->arrived, row->sorted, row->end);
    }
    if (fclose(file) != 0)
        quit(EXIT_USAGE, "cannot write %s", path);
}

/* ---- keys ---------------------------------------------------------------------------------------- */

typedef struct hybrid_part {
    void *keys, *room;
    size_t first, last;
    uint64_t sum;
    int sorted;
} hybrid_part;

typedef struct hybrid_keys {
    const char *name;
    size_t bytes;
    void *(*fill)(void *), *(*look)(void *), *(*radix)(void *);
    int (*merge)(void *keys, void *out, const size_t *offsets, size_t runs, int threads);
    cudaError_t (*hybrid)(void *keys, size_t n, const gp_hybrid_options *options);
} hybrid_keys;

/* The finaliser of splitmix64 (Steele, Lea, Flood 2014). */
static inline uint64_t hybrid_mix(uint64_t z)
{
    z += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

#define KEYS_JOIN2(a, b) a##_##b
#define KEYS_JOIN(a, b) KEYS_JOIN2(a, b)
#define KEYS_TEXT2(a) #a
#define KEYS_TEXT(a) KEYS_TEXT2(a)
#define KEYS_(word) KEYS_JOIN(KEYS, word)

#define KEYS u32
#define KEYS_TYPE uint32_t
#include "bench_hybrid_keys.h"
#define KEYS u64
#define KEYS_TYPE uint64_t
#include "bench_hybrid_keys.h"

static const hybrid_keys *const all_keys[] = {&u32_keys, &u64_keys};
enum { KEY_TYPES = sizeof all_keys / sizeof *all_keys };

/* The array, a second one of the same size, and the sum of its keys. */
typedef struct hybrid_array {
    const hybrid_keys *keys;
    void *memory, *room;
    size_t n;
    uint64_t sum;
} hybrid_array;

/* Runs a function over all keys, by all processors; gives the sum of the sums, and whether all were sorted. */
static uint64_t over_all(const hybrid_array *array, void *(*run)(void *), int *sorted)
{
    hybrid_part parts[GPI_CPU_THREADS_LIMIT];
    int count = gpi_cpu_thread_count(0);
    uint64_t sum = 0;

    for (int t = 0; t < count; t++) {
        hybrid_part part = {array->memory,
                            array->room,
                            array->n / count * t,
                            t + 1 < count ? array->n / count * (t + 1) : array->n,
                            0,
                            1};

        parts[t] = part;
    }
    gpi_cpu_run_tasks(run, parts, sizeof *parts, count);
    *sorted = 1;
    for (int t = 0; t < count; t++) {
        sum += parts[t].sum;
        *sorted &= parts[t].sorted;
    }
    return sum;
}

/* The CPU's own sort: each core sorts a part by its digits, then all merge. */
static int radix_and_merge(hybrid_array *array)
{
    size_t offsets[GPI_CPU_THREADS_LIMIT + 1];
    int count = gpi_cpu_thread_count(0), unused;
    void *sorted = array->room;

    (void)over_all(array, array->keys->radix, &unused);
    for (int t = 0; t < count; t++)
        offsets[t] = array->n / count * t;
    offsets[count] = array->n;
    if (array->keys->merge(array->memory, sorted, offsets, (size_t)count, 0) != 0)
        return 1;
    array->room = array->memory;
    array->memory = sorted;
    return 0;
}

#ifdef BENCH_HAS_GNU_PARALLEL
GP_EXTERN_C void bench_gnu_parallel_sort(void *keys, size_t n,
                                         size_t bytes); /* bench_hybrid_gnu.cpp */
#endif

/* ---- options ------------------------------------------------------------------------------------- */

enum { MAX_BUDGETS = 16 };

typedef struct hybrid_settings {
    int type[KEY_TYPES], method[3], serial, cpu, threads, repeat;
    size_t bytes, budget[MAX_BUDGETS];
    int budgets;
    const char *csv, *timeline;
} hybrid_settings;

static void print_help(void)
{
    puts(
        "Usage: bench_hybrid [OPTION]...\n"
        "Sorts random keys in host memory with the hybrid sort, checks the result, and reports "
        "the\n"
        "time from call to return: against the time that the bus takes for the keys alone, one "
        "way\n"
        "and then the other, and both ways at once.\n"
        "\n"
        "  --types LIST     u32, u64 (default both)\n"
        "  --bytes N        of the array: 8589934592, 512M, 8G (default 8G; CPU build: 1M)\n"
        "  --budget LIST    of device memory: 1G,2G,4G (the default; CPU build: 256K)\n"
        "  --method LIST    0 chosen, 1 CPU merge, 2 GPU distribution (default 1,2)\n"
        "  --threads N      on the CPU (default 0: all)\n"
        "  --serial         also one lane at a time\n"
        "  --cpu            also sorts by the CPU with all cores: a radix sort of a part for each\n"
        "                   core and a merge of these; and, where it was built with OpenMP,\n"
        "                   __gnu_parallel::sort\n"
        "  --repeat N       timed runs after an untimed one, of which the median counts (default "
        "3)\n"
        "  --csv FILE       write the rows to FILE too\n"
        "  --timeline FILE  write when each stage did what, in the last run, as CSV\n"
        "  --help           print this and exit\n"
        "\n"
        "Exit status: 0 all measured, 1 a wrong result or a CUDA error, 2 a bad option or file,\n"
        "77 no GPU answers (CUDA build only).");
}

static size_t parse_bytes(const char *name, const char *text)
{
    char *end;
    unsigned long long value = strtoull(text, &end, 10);
    int shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;

    if (*text < '0' || *text > '9' || value == 0 || value > (1ull << 44 >> shift) ||
        end[shift != 0] != '\0')
        quit(EXIT_USAGE, "%s takes bytes as 1000000, 64K, 512M or 8G, not '%s'", name, text);
    return (size_t)value << shift;
}

static void parse_list(hybrid_settings *s, const char *name, const char *list)
{
    char word[64];

    for (int items = 0; list; items++) {
        list = list_next(name, list, word, sizeof word);
        if (strcmp(name, "--budget") == 0) {
            if (items == MAX_BUDGETS)
                quit(EXIT_USAGE, "--budget takes no more than %d budgets", MAX_BUDGETS);
            s->budget[items] = parse_bytes(name, word);
            s->budgets = items + 1;
        } else if (strcmp(name, "--method") == 0) {
            if (items == 0)
                memset(s->method, 0, sizeof s->method);
            s->method[parse_number(name, word, 0, 2)] = 1;
        } else {
            int type = 0;

            if (items == 0)
                memset(s->type, 0, sizeof s->type);
            while (type < KEY_TYPES && strcmp(word, all_keys[type]->name) != 0)
                type++;
            if (type == KEY_TYPES)
                quit(EXIT_USAGE, "--types knows u32 and u64, not '%s'", word);
            s->type[type] = 1;
        }
    }
}

static hybrid_settings parse(int argc, char **argv)
{
    hybrid_settings s;

    memset(&s, 0, sizeof s);
    s.type[0] = s.type[1] = s.method[1] = s.method[2] = 1;
    s.repeat = 3;
#ifdef __CUDACC__
    s.bytes = (size_t)8 << 30;
    parse_list(&s, "--budget", "1G,2G,4G");
#else
    s.bytes = (size_t)1 << 20;
    parse_list(&s, "--budget", "256K");
#endif
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i];

        if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
            print_help();
            exit(EXIT_RIGHT);
        } else if (strcmp(name, "--serial") == 0) {
            s.serial = 1;
            continue;
        } else if (strcmp(name, "--cpu") == 0) {
            s.cpu = 1;
            continue;
        }
        const char *value = argv[i + 1]; /* NULL after the last */
        int takes = 0;
        static const char *const names[] = {"--types",   "--bytes",  "--budget", "--method",
                                            "--threads", "--repeat", "--csv",    "--timeline"};
        while (takes < 8 && strcmp(name, names[takes]) != 0)
            takes++;
        if (takes == 8)
            quit(EXIT_USAGE, "unknown option '%s'; --help lists the options", name);
        if (!value || !*value)
            quit(EXIT_USAGE, "%s needs a value", name);
        switch (takes) {
        case 1: s.bytes = parse_bytes(name, value); break;
        case 4: s.threads = (int)parse_number(name, value, 0, GPI_CPU_THREADS_LIMIT); break;
        case 5: s.repeat = (int)parse_number(name, value, 1, 99); break;
        case 6: s.csv = value; break;
        case 7: s.timeline = value; break;
        default: parse_list(&s, name, value);
        }
        i++;
    }
    return s;
}

/* ---- measuring ----------------------------------------------------------------------------------- */

/* The bus: bytes in a millisecond one way, the other way, and each way when both are in use. */
typedef struct bus_rates {
    double in, out, both;
} bus_rates;

static void bus_must(cudaError_t error)
{
    if (error != cudaSuccess)
        quit(EXIT_WRONG, "cannot measure the bus: %s", cudaGetErrorString(error));
}

static bus_rates measure_bus(size_t bytes)
{
    enum { COPIES = 8 };
    char *device[2], *host[2];
    cudaStream_t streams[2];
    double best[3] = {1e30, 1e30, 1e30};

    for (int s = 0; s < 2; s++) {
        bus_must(cudaMalloc((void **)&device[s], bytes));
        bus_must(cudaMallocHost((void **)&host[s], bytes));
        bus_must(cudaStreamCreateWithFlags(&streams[s], cudaStreamNonBlocking));
        memset(host[s], 1, bytes);
    }
    for (int run = 0; run < 9; run++) {
        double start = clock_ms();

        for (int copy = 0; copy < COPIES; copy++) {
            if (run % 3 != 1)
                bus_must(
                    cudaMemcpyAsync(device[0], host[0], bytes, cudaMemcpyHostToDevice, streams[0]));
            if (run % 3 != 0)
                bus_must(
                    cudaMemcpyAsync(host[1], device[1], bytes, cudaMemcpyDeviceToHost, streams[1]));
        }
        bus_must(cudaDeviceSynchronize());
        double took = (clock_ms() - start) / COPIES;
        best[run % 3] = took < best[run % 3] ? took : best[run % 3];
    }
    for (int s = 0; s < 2; s++) {
        bus_must(cudaFree(device[s]));
        bus_must(cudaFreeHost(host[s]));
        bus_must(cudaStreamDestroy(streams[s]));
    }
    bus_rates rates = {bytes / best[0], bytes / best[1], bytes / best[2]};
    return rates;
}

typedef struct hybrid_report {
    FILE *csv;
    machine about;
    bus_rates bus;
    const hybrid_settings *settings;
} hybrid_report;

static int compare_times(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* One row; times are sorted. `budget` 0: by the CPU alone. */
static void report(const hybrid_report *r, const hybrid_array *array, const char *implementation,
                   size_t budget, const char *lanes, const double *times, int count)
{
    double bytes = (double)array->n * (double)array->keys->bytes, median = times[count / 2];
    double one_way = bytes / r->bus.in + bytes / r->bus.out, both_ways = bytes / r->bus.both;

    printf("%-4s %-22s %6zu MB  %-10s %9.1f ms  %6.2f GB/s  %5.1f %% of the copies in turn, "
           "%5.1f %% of both at once\n",
           array->keys->name, implementation, budget >> 20, lanes, median, bytes / median * 1e-6,
           one_way / median * 100, both_ways / median * 100);
    fflush(stdout);
    if (!r->csv)
        return;
    fprintf(r->csv, "%s,%s,%zu,%zu,%s,%d,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.4f,%.4f,",
            implementation, array->keys->name, array->n, budget, lanes,
            budget ? gpi_cpu_thread_count(r->settings->threads) : gpi_cpu_thread_count(0), median,
            times[0], times[count - 1], bytes / median * 1e-6, r->bus.in * 1e-6, r->bus.out * 1e-6,
            r->bus.both * 1e-6, array->n / median * 1e-6, one_way / median, both_ways / median);
    fprintf(r->csv, "%s,%s,%s,%s,%s,%d\n", r->about.gpu, r->about.driver, r->about.toolkit,
            r->about.commit, r->about.date, count);
    fflush(r->csv);
}

enum { BY_HYBRID, BY_RADIX, BY_GNU };

/* Sorts fresh keys once; gives the time, or ends the program. */
static double sort_once(hybrid_array *array, int by, const gp_hybrid_options *options)
{
    int sorted, failed = 0;
    cudaError_t error = cudaSuccess;

    array->sum = over_all(array, array->keys->fill, &sorted);
    trace_start();
    double start = clock_ms();
    if (by == BY_HYBRID)
        error = array->keys->hybrid(array->memory, array->n, options);
    else if (by == BY_RADIX)
        failed = radix_and_merge(array);
#ifdef BENCH_HAS_GNU_PARALLEL
    else
        bench_gnu_parallel_sort(array->memory, array->n, array->keys->bytes);
#endif
    double took = clock_ms() - start;
    if (error != cudaSuccess || failed)
        quit(EXIT_WRONG, "the sort failed: %s: %s", cudaGetErrorString(error),
             gp_last_error_message());
    if (over_all(array, array->keys->look, &sorted) != array->sum || !sorted)
        quit(EXIT_WRONG, "a wrong result: %zu %s", array->n, array->keys->name);
    return took;
}

static void measure(const hybrid_report *r, hybrid_array *array, int by, const char *name,
                    const gp_hybrid_options *options)
{
    double times[99];
    int count = by == BY_HYBRID ? r->settings->repeat : 1;

    if (by == BY_HYBRID)
        (void)sort_once(array, by, options);
    for (int i = 0; i < count; i++)
        times[i] = sort_once(array, by, options);
    qsort(times, (size_t)count, sizeof *times, compare_times);
    report(r, array, name, options ? options->device_bytes : 0,
           !options                ? "none"
           : options->serial_lanes ? "serial"
                                   : "overlapped",
           times, count);
}

static void measure_type(const hybrid_report *r, const hybrid_keys *keys)
{
    static const char *const methods[] = {"hybrid", "hybrid by CPU merge",
                                          "hybrid by distribution"};
    const hybrid_settings *s = r->settings;
    hybrid_array array = {keys, NULL, NULL, s->bytes / keys->bytes, 0};
    gp_hybrid_options options;

    array.memory = gpi_hybrid_malloc(s->bytes);
    array.room = s->cpu ? gpi_hybrid_malloc(s->bytes) : NULL;
    if (!array.memory || (s->cpu && !array.room))
        quit(EXIT_WRONG, "no memory for %zu bytes of keys", s->bytes);
    memset(&options, 0, sizeof options);
    options.cpu_threads = s->threads;
    if (s->cpu) {
        memset(array.room, 1, s->bytes);
        measure(r, &array, BY_RADIX, "CPU radix and merge", NULL);
#ifdef BENCH_HAS_GNU_PARALLEL
        measure(r, &array, BY_GNU, "__gnu_parallel::sort", NULL);
#endif
        free(array.room);
        array.room = NULL;
    }
    for (int serial = s->serial; serial >= 0; serial--)
        for (int b = 0; b < s->budgets; b++)
            for (int m = 0; m < 3; m++)
                if (s->method[m]) {
                    options.method = m;
                    options.serial_lanes = serial;
                    options.device_bytes = s->budget[b];
                    measure(r, &array, BY_HYBRID, methods[m], &options);
                }
    free(array.memory);
}

int main(int argc, char **argv)
{
    hybrid_settings settings = parse(argc, argv);
    hybrid_report r;

    memset(&r, 0, sizeof r);
    r.settings = &settings;
#ifdef __CUDACC__
    int devices = 0;

    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
        quit(EXIT_NO_GPU, "no GPU answers");
#endif
    machine_describe(&r.about);
    device_require(cudaEventCreate(&trace_event), "an event");
    r.bus = measure_bus(settings.bytes < (size_t)1 << 28 ? settings.bytes : (size_t)1 << 28);
    printf("%s, %d threads; bus in %.1f, out %.1f, both ways %.1f GB/s each\n", r.about.gpu,
           gpi_cpu_thread_count(settings.threads), r.bus.in * 1e-6, r.bus.out * 1e-6,
           r.bus.both * 1e-6);
    if (settings.csv) {
        r.csv = fopen(settings.csv, "w");
        if (!r.csv)
            quit(EXIT_USAGE, "cannot write %s: %s", settings.csv, strerror(errno));
        fputs("implementation,type,n,budget,lanes,threads,median_ms,min_ms,max_ms,GBps,bus_in_GBps,"
              "bus_out_GBps,bus_both_GBps,Gkeys_per_s,of_copies_in_turn,of_copies_at_once,gpu,"
              "driver,toolkit,"
              "commit,date,repeat\n",
              r.csv);
    }
    for (int type = 0; type < KEY_TYPES; type++)
        if (settings.type[type])
            measure_type(&r, all_keys[type]);
    if (settings.timeline)
        trace_write(settings.timeline);
    if (r.csv && fclose(r.csv) != 0)
        quit(EXIT_USAGE, "cannot write %s: %s", settings.csv, strerror(errno));
    cudaEventDestroy(trace_event);
    return EXIT_RIGHT;
}
