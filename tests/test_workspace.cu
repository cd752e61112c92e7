/* Workspaces, errors, empty inputs, streams and graphs: what every host function does. */
#include <pthread.h>

#include "fold_check.h"

/* ---- the functions under test ---------------------------------------------------------------- */

#define CASE_SCAN
#define CASE_REDUCE

#define CASE       ints
#define CASE_TYPE  int
#define CASE_OP    GP_SUM
#define CASE_REF   ref_sum
#define CASE_EMPTY 0
#define CASE_INIT  5
#define CASE_MAKE  (int)r
#include "fold_case.h"

static __host__ __device__ inline matrices8 matrices8_identity(void)
{
    matrices8 x;

    memset(&x, 0, sizeof x);
    for (int i = 0; i < 8; i++)
        x.at[i].m[0] = x.at[i].m[3] = 1;
    return x;
}

#define CASE          wide
#define CASE_TYPE     matrices8
#define CASE_OP       matrices8_multiply
#define CASE_REF      matrices8_multiply
#define CASE_IDENTITY matrices8_identity()
#define CASE_EMPTY    matrices8_identity()
#define CASE_INIT     make_matrices8(0x98765432101)
#define CASE_MAKE     make_matrices8(r)
#include "fold_case.h"

#define GP_NAME odd
#define GP_TYPE uint64_t
#define GP_PRED(x) ((x) % 2)
#include <gpuprims/compact.cuh>

/* A function that needs much scratch, next to those that keep tags. */
#define GP_NAME ints
#include <gpuprims/classic/naive_scan.cuh>

enum { ODD_COMPACT, ODD_FLAGGED, ODD_INDICES, ODD_PARTITION, ODD_STABLE, ODD_PARTITION_FLAGGED };

/* Runs a compaction of n random words and compares what it gives with loops. */
static int odd_check(int function, size_t n, gp_workspace *ws, cudaStream_t stream)
{
    size_t kept = 0, rejected = 0, count = 0, results, bytes = n * sizeof(uint64_t);
    uint64_t *in = (uint64_t *)malloc(bytes + 1), *want = (uint64_t *)malloc(bytes + 1);
    uint8_t *flags = (uint8_t *)malloc(n + 1);
    cudaError_t error = cudaErrorUnknown;

    for (size_t i = 0; i < n; i++) {
        in[i] = tap_random();
        flags[i] = (uint8_t)(in[i] % 2 ? i % 255 + 1 : 0);
        if (in[i] % 2)
            want[kept++] = function == ODD_INDICES ? i : in[i];
    }
    for (size_t i = 0; i < n && function >= ODD_PARTITION; i++)
        if (in[i] % 2 == 0) {
            want[function == ODD_STABLE ? kept + rejected : n - 1 - rejected] = in[i];
            rejected++;
        }
    results = kept + rejected;

    tap_buffer d_in = tap_buffer_of(in, bytes, 0), d_out = tap_buffer_new(bytes, 8);
    tap_buffer d_flags = tap_buffer_of(flags, n, 3), d_count = tap_buffer_new(sizeof count, 0);
    const uint64_t *from = (const uint64_t *)d_in.data;
    uint64_t *to = (uint64_t *)d_out.data;
    size_t *to_count = (size_t *)d_count.data;
    switch (function) {
    case ODD_COMPACT: error = odd_compact(from, to, n, to_count, ws, stream); break;
    case ODD_FLAGGED:
        error = odd_compact_flagged(from, (const uint8_t *)d_flags.data, to, n, to_count, ws, stream);
        break;
    case ODD_INDICES:
        error = odd_compact_indices(from, (size_t *)d_out.data, n, to_count, ws, stream);
        break;
    case ODD_PARTITION: error = odd_partition(from, to, n, to_count, ws, stream); break;
    case ODD_STABLE: error = odd_partition_stable(from, to, n, to_count, ws, stream); break;
    case ODD_PARTITION_FLAGGED:
        error = odd_partition_flagged(from, (const uint8_t *)d_flags.data, to, n, to_count, ws, stream);
        break;
    }
    tap_buffer_read(&count, &d_count, sizeof count);
    tap_buffer_read(in, &d_out, bytes);
    int passed = error == cudaSuccess && count == kept &&
                 memcmp(in, want, results * sizeof *want) == 0 &&
                 tap_buffer_intact(&d_out, results * sizeof *want);
    if (!passed)
        printf("# compaction %d of %zu: error %d, %zu counted, %zu kept\n", function, n, (int)error, count,
               kept);
    tap_buffer_free(&d_in);
    tap_buffer_free(&d_out);
    tap_buffer_free(&d_flags);
    tap_buffer_free(&d_count);
    free(in);
    free(want);
    free(flags);
    return passed;
}

/* Every function by number: a check of it, and how much workspace it asks for. */
enum { FUNCTIONS = 14 };

static const char *const function_names[FUNCTIONS] = {
    "ints_inclusive_scan",  "ints_exclusive_scan",  "ints_exclusive_scan_init", "ints_reduce",
    "wide_inclusive_scan",  "wide_exclusive_scan",  "wide_exclusive_scan_init", "wide_reduce",
    "odd_compact",          "odd_compact_flagged",  "odd_compact_indices",      "odd_partition",
    "odd_partition_stable", "odd_partition_flagged"};

static size_t (*const function_bytes[FUNCTIONS])(size_t n) = {
    ints_inclusive_scan_workspace_bytes, ints_exclusive_scan_workspace_bytes,
    ints_exclusive_scan_init_workspace_bytes, ints_reduce_workspace_bytes,
    wide_inclusive_scan_workspace_bytes, wide_exclusive_scan_workspace_bytes,
    wide_exclusive_scan_init_workspace_bytes, wide_reduce_workspace_bytes,
    odd_compact_workspace_bytes, odd_compact_flagged_workspace_bytes,
    odd_compact_indices_workspace_bytes, odd_partition_workspace_bytes,
    odd_partition_stable_workspace_bytes, odd_partition_flagged_workspace_bytes};

static int function_check(int function, size_t n, gp_workspace *ws, cudaStream_t stream)
{
    fold_place place = {0, 1, function % 4 < 3 && n % 2, ws, stream}; /* scans of an odd number in place */

    return function < 4   ? fold_check(&ints_case, function, n, place)
           : function < 8 ? fold_check(&wide_case, function - 4, n, place)
                          : odd_check(function - 8, n, ws, stream);
}

/* At the last of them every function needs some workspace. */
static const size_t some_sizes[] = {0, 1, 100, 1025, 4097, 9001};
enum { SOME_SIZES = sizeof some_sizes / sizeof *some_sizes };

/* ---- workspace_bytes ------------------------------------------------------------------------- */

static void bytes_are_monotone(void)
{
    for (int function = 0; function < FUNCTIONS; function++) {
        size_t before = 0;
        int passed = 1;

        for (size_t n = 0; n < 100000; n += 1 + n / 1000) {
            size_t bytes = function_bytes[function](n);

            passed &= bytes >= before;
            before = bytes;
        }
        for (size_t n = 100000; n; n = n < SIZE_MAX / 4 * 3 ? n + n / 3
                                       : n < SIZE_MAX       ? SIZE_MAX
                                                            : 0) {
            size_t bytes = function_bytes[function](n);

            passed &= bytes >= before;
            before = bytes;
        }
        ok(passed, "%s_workspace_bytes is monotone", function_names[function]);
    }
}

/* ---- wrapped: exactly enough, one byte too little -------------------------------------------- */

static void wrapped_exactly(void)
{
    static const size_t offsets[] = {0, 1, 2, 3, 7, 64, 100, 127, 128};

    for (int function = 0; function < FUNCTIONS; function++) {
        int passed = 1;

        for (int k = 0; k < SOME_SIZES; k++)
            for (size_t o = 0; o < sizeof offsets / sizeof *offsets; o++) {
                size_t n = some_sizes[k], bytes = function_bytes[function](n);
                tap_buffer memory = tap_buffer_new(bytes, offsets[o]); /* dirty already */
                gp_workspace ws = GP_WORKSPACE_INIT;

                if (k > 3 && o % 3 != (size_t)k % 3) { /* all offsets only where it is quick */
                    tap_buffer_free(&memory);
                    continue;
                }
                if (o > 3 && k + 1 == SOME_SIZES)
                    must(cudaMemset(memory.data, 0xFF, bytes));
                must(gp_workspace_wrap(&ws, bytes ? memory.data : NULL, bytes, 0));
                passed &= function_check(function, n, &ws, 0);
                passed &= function_check(function, n / 2, &ws, 0); /* again, in what the first left */
                passed &= tap_buffer_intact(&memory, bytes);
                must(gp_workspace_release(&ws, 0));
                tap_buffer_free(&memory);
            }
        ok(passed, "%s in a wrapped workspace of exactly enough, at any alignment", function_names[function]);
    }
}

/* Whether the last message names `function` and says `text`. */
static int message_says(const char *function, const char *text)
{
    const char *message = gp_last_error_message();
    size_t length = strlen(function);
    int says = strncmp(message, function, length) == 0 && message[length] == ':' &&
               strstr(message + length, text) != NULL;

    if (!says)
        printf("# expected %s and \"%s\" in \"%s\"\n", function, text, message);
    return says;
}

/* Calls a function with the given pointers. */
static cudaError_t function_call(int function, const void *in, const uint8_t *flags, void *out, size_t n,
                                 size_t *d_count, gp_workspace *ws)
{
    switch (function) {
    case 8: return odd_compact((const uint64_t *)in, (uint64_t *)out, n, d_count, ws, 0);
    case 9: return odd_compact_flagged((const uint64_t *)in, flags, (uint64_t *)out, n, d_count, ws, 0);
    case 10: return odd_compact_indices((const uint64_t *)in, (size_t *)out, n, d_count, ws, 0);
    case 11: return odd_partition((const uint64_t *)in, (uint64_t *)out, n, d_count, ws, 0);
    case 12: return odd_partition_stable((const uint64_t *)in, (uint64_t *)out, n, d_count, ws, 0);
    case 13: return odd_partition_flagged((const uint64_t *)in, flags, (uint64_t *)out, n, d_count, ws, 0);
    default:
        return function < 4 ? ints_run(function, in, out, n, ws, 0)
                            : wide_run(function - 4, in, out, n, ws, 0);
    }
}

/* Makes an error pending: the one that it returns. */
static cudaError_t make_pending(void)
{
    void *memory = NULL;

    return cudaMalloc(&memory, (size_t)1 << 60);
}

/* A refused call returns the error, says why, writes nothing and leaves a pending error alone. */
static void check_refused(int function, const char *what, const char *text, int null_in, int null_flags,
                          int null_out, int null_count, size_t n, gp_workspace *ws)
{
    tap_buffer d_in = tap_buffer_new(n * 128, 0), d_out = tap_buffer_new(n * 128 + 128, 0);
    tap_buffer d_count = tap_buffer_new(sizeof(size_t), 0);
    cudaError_t pending = make_pending();
    cudaError_t error = function_call(function, null_in ? NULL : d_in.data,
                                      null_flags ? NULL : (const uint8_t *)d_in.data,
                                      null_out ? NULL : d_out.data, n,
                                      null_count ? NULL : (size_t *)d_count.data, ws);
    cudaError_t still = cudaGetLastError();

    must(cudaDeviceSynchronize());
    ok(error == cudaErrorInvalidValue && message_says(function_names[function], text) &&
           pending != cudaSuccess && still == pending && tap_buffer_intact(&d_in, 0) &&
           tap_buffer_intact(&d_out, 0) && tap_buffer_intact(&d_count, 0),
       "%s refuses %s", function_names[function], what);
    tap_buffer_free(&d_in);
    tap_buffer_free(&d_out);
    tap_buffer_free(&d_count);
}

static void too_small_is_refused(void)
{
    for (int function = 0; function < FUNCTIONS; function++) {
        size_t n = 9001, bytes = function_bytes[function](n);
        tap_buffer memory = tap_buffer_new(bytes, 0);
        gp_workspace ws = GP_WORKSPACE_INIT;
        char text[32];

        snprintf(text, sizeof text, "%zu", bytes);
        must(gp_workspace_wrap(&ws, memory.data, bytes - 1, 0));
        check_refused(function, "a workspace one byte too small, and says how many it needs", text, 0, 0, 0,
                      0, n, &ws);
        ok(ws.bytes == bytes - 1 && ws.memory == memory.data && tap_buffer_intact(&memory, 0),
           "%s leaves the workspace that it refused alone", function_names[function]);
        must(gp_workspace_release(&ws, 0));
        tap_buffer_free(&memory);
    }
}

static void null_is_refused(void)
{
    for (int function = 0; function < FUNCTIONS; function++) {
        const char *out = function % 4 == 3 && function < 8 ? "d_out" : "out";

        check_refused(function, "no input", "in is NULL", 1, 0, 0, 0, 1000, NULL);
        check_refused(function, "no output", *out == 'o' ? " out is NULL" : "d_out is NULL", 0, 0, 1, 0,
                      1000, NULL);
        if (function == 9 || function == 13)
            check_refused(function, "no flags", "flags is NULL", 0, 1, 0, 0, 1000, NULL);
        if (*out == 'd')
            check_refused(function, "no output of an empty input", "d_out is NULL", 1, 0, 1, 0, 0, NULL);
        if (function < 8)
            continue;
        check_refused(function, "no count", "d_count is NULL", 0, 0, 0, 1, 1000, NULL);
        check_refused(function, "no count of an empty input", "d_count is NULL", 1, 1, 1, 1, 0, NULL);
    }
}

/* ---- sizes that cannot be, arrays that overlap ----------------------------------------------- */

/* More items than there are addresses, and than tiles have numbers; products that wrap to something small. */
static void too_many_are_refused(void)
{
    static const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 1000, SIZE_MAX / 2 + 1,
                                   ((size_t)1 << 62) + 1, ((size_t)1 << 61) + 1};

    for (int function = 0; function < FUNCTIONS; function++) {
        tap_buffer d_in = tap_buffer_new(128, 0), d_out = tap_buffer_new(128, 0);
        tap_buffer d_count = tap_buffer_new(sizeof(size_t), 0);
        int passed = 1;

        for (int k = 0; k < 5; k++) {
            cudaError_t error;

            if (function == 3 && k == 4) /* as many ints would just fit */
                continue;
            error = function_call(function, d_in.data, (const uint8_t *)d_in.data, d_out.data,
                                  sizes[k], (size_t *)d_count.data, NULL);
            passed &=
                error == cudaErrorInvalidValue && message_says(function_names[function], "n is");
        }
        if (function != 3 && function != 7) { /* the tiles of a reduction grow */
            cudaError_t error =
                function_call(function, d_in.data, (const uint8_t *)d_in.data, d_out.data,
                              (size_t)1 << 50, (size_t *)d_count.data, NULL);

            passed &=
                error == cudaErrorInvalidValue && message_says(function_names[function], "n is");
        }
        ok(passed && tap_buffer_intact(&d_in, 0) && tap_buffer_intact(&d_out, 0) &&
               tap_buffer_intact(&d_count, 0) && cudaPeekAtLastError() == cudaSuccess,
           "%s refuses more items than there can be", function_names[function]);
        tap_buffer_free(&d_in);
        tap_buffer_free(&d_out);
        tap_buffer_free(&d_count);
    }
}

enum { OVERLAP_N = 100, OVERLAP_AT = 32768, OVERLAP_BYTES = 65536 };

/*
 * Calls a function on OVERLAP_N zeros at OVERLAP_AT of a buffer of zeros, with its other arrays there. Whether it
 * is refused for the overlap of arguments a and b, or with `a` NULL, it succeeds.
 */
static int overlap_is(int function, size_t flags, size_t out, size_t count, const char *a,
                      const char *b)
{
    static unsigned char got[OVERLAP_BYTES];
    tap_buffer all = tap_buffer_new(OVERLAP_BYTES, 0);
    char *memory = (char *)all.data;
    char text[64];
    int passed = 1;

    must(cudaMemset(memory, 0, OVERLAP_BYTES));
    cudaError_t error =
        function_call(function, memory + OVERLAP_AT, (const uint8_t *)memory + flags, memory + out,
                      OVERLAP_N, (size_t *)(void *)(memory + count), NULL);
    tap_buffer_read(got, &all, sizeof got);
    if (a) {
        snprintf(text, sizeof text, "%s and %s overlap", a, b);
        passed = error == cudaErrorInvalidValue && message_says(function_names[function], text);
        for (size_t i = 0; i < sizeof got; i++)
            passed &= got[i] == 0;
    } else {
        passed = error == cudaSuccess;
    }
    if (!passed)
        printf("# %s with flags, out and count at %zu, %zu, %zu: %s, %s\n",
               function_names[function], flags, out, count, cudaGetErrorString(error),
               error == cudaSuccess ? "" : gp_last_error_message());
    tap_buffer_free(&all);
    return passed;
}

/* What is certain is refused; what the data decide, what is next to it and what nobody writes is not. */
static void overlap_is_refused(void)
{
    const size_t in = OVERLAP_AT, no_flags = 0, no_count = 1024; /* both out of the way */

    for (int function = 0; function < FUNCTIONS; function++) {
        const size_t item = function < 4   ? sizeof(int)
                            : function < 8 ? sizeof(matrices8)
                                           : sizeof(uint64_t);
        const size_t bytes = OVERLAP_N * item, word = sizeof(size_t), end = in + bytes;
        const int reduces = function == 3 || function == 7,
                  compacts = function >= 8 && function < 11;
        const char *out = reduces ? "d_out" : "out";
        const int in_place = !reduces && function < 10;
        int passed = overlap_is(function, no_flags, in + item, no_count, "in", out);

        passed &= overlap_is(function, no_flags, end - item, no_count, "in", out);
        passed &= overlap_is(function, no_flags, end, no_count, NULL, NULL);
        passed &= overlap_is(function, no_flags, in, no_count, in_place ? NULL : "in", out);
        passed &= overlap_is(function, no_flags, in - item, no_count,
                             reduces || compacts ? NULL : "in", out);
        passed &= overlap_is(function, no_flags, in - bytes, no_count, NULL, NULL);
        if (function >= 8) {
            passed &= overlap_is(function, no_flags, end, in, "in", "d_count");
            passed &= overlap_is(function, no_flags, end + word, end - word, "in", "d_count");
            passed &= overlap_is(function, no_flags, end + word, end, NULL, NULL);
            passed &= overlap_is(function, no_flags, end, end, out, "d_count");
            passed &=
                overlap_is(function, no_flags, end, end + word, compacts ? NULL : out, "d_count");
        }
        if (function == 9 || function == 13) {
            passed &= overlap_is(function, end, end + 96, no_count, "flags", out);
            passed &= overlap_is(function, end, end + 104, no_count, NULL, NULL);
        }
        if (function == 9) {
            passed &= overlap_is(function, end, no_count, end + 8, "flags", "d_count");
            passed &= overlap_is(function, in, no_count, end, NULL, NULL);
        }
        ok(passed, "%s refuses overlap that is certain, and no other", function_names[function]);
    }
}

/* ---- an empty input, a pending error --------------------------------------------------------- */

static void empty_input(void)
{
    for (int function = 0; function < FUNCTIONS; function++) {
        int reduce = function == 3 || function == 7;
        tap_buffer d_out = tap_buffer_new(128, 0), d_count = tap_buffer_new(sizeof(size_t), 0);
        size_t written = function == 3 ? sizeof(int) : function == 7 ? 128 : 0, count = 1;
        matrices8 identity = matrices8_identity(), got;
        int zero = 0, passed;
        cudaError_t error = function_call(function, NULL, NULL, reduce ? d_out.data : NULL, 0,
                                          (size_t *)d_count.data, NULL);

        passed = error == cudaSuccess && tap_buffer_intact(&d_out, written) &&
                 tap_buffer_intact(&d_count, function >= 8 ? sizeof count : 0);
        tap_buffer_read(&got, &d_out, sizeof got);
        tap_buffer_read(&count, &d_count, sizeof count);
        if (reduce)
            passed &= memcmp(&got, function == 3 ? (void *)&zero : (void *)&identity, written) == 0;
        if (function >= 8)
            passed &= count == 0;
        ok(passed, "%s of nothing", function_names[function]);
        tap_buffer_free(&d_out);
        tap_buffer_free(&d_count);
    }
}

/* An error from before is neither reported nor cleared. */
static void pending_error(void)
{
    for (int function = 0; function < FUNCTIONS; function++) {
        size_t n = 5000;
        tap_buffer d_in = tap_buffer_new(n * 128, 0), d_out = tap_buffer_new(n * 128, 0);
        tap_buffer d_count = tap_buffer_new(sizeof(size_t), 0);
        cudaError_t pending = make_pending();
        cudaError_t error = function_call(function, d_in.data, (const uint8_t *)d_in.data, d_out.data, n,
                                          (size_t *)d_count.data, NULL);
        cudaError_t still = cudaGetLastError();

        must(cudaDeviceSynchronize());
        ok(error == cudaSuccess && pending == cudaErrorMemoryAllocation && still == pending,
           "%s neither reports nor clears an error from before", function_names[function]);
        tap_buffer_free(&d_in);
        tap_buffer_free(&d_out);
        tap_buffer_free(&d_count);
    }
}

/* ---- a kept handle, and none ----------------------------------------------------------------- */

static void kept_handle(void)
{
    gp_workspace ws = GP_WORKSPACE_INIT;
    int passed = 1, grows = 1;
    size_t largest = 0;

    /* Primitives and sizes in random order: whatever one leaves behind, the next must bear. */
    for (int round = 0; round < 60; round++) {
        int function = (int)tap_below(FUNCTIONS);
        size_t n = tap_below(round < 40 ? 3000 : 10000), bytes = function_bytes[function](n);

        passed &= function_check(function, n, &ws, 0);
        largest = bytes > largest ? bytes : largest;
        grows &= ws.bytes >= largest && !ws.wrapped && (ws.memory != NULL || largest == 0);
    }
    ok(passed, "one handle serves all functions and sizes, in random order");
    ok(grows, "it grows to what was needed and never shrinks");

    void *memory = ws.memory;
    for (int function = 0; function < FUNCTIONS; function++)
        passed &= function_check(function, 2500, &ws, 0);
    ok(passed && ws.memory == memory, "a handle that is large enough keeps its memory");

    must(gp_workspace_release(&ws, 0));
    ok(ws.memory == NULL && ws.bytes == 0, "release leaves an empty handle");
    ok(function_check(0, 9001, &ws, 0) && ws.memory != NULL, "which can be used again");

    /* From kept to wrapped to kept. */
    tap_buffer wrapped = tap_buffer_new(100000, 1);
    must(gp_workspace_wrap(&ws, wrapped.data, 100000, 0));
    ok(function_check(8, 9001, &ws, 0) && ws.memory == wrapped.data, "a handle that held memory can wrap");
    must(gp_workspace_release(&ws, 0));
    ok(function_check(8, 9001, &ws, 0) && !ws.wrapped && tap_buffer_intact(&wrapped, 100000),
       "a handle that wrapped can grow again after release");
    must(gp_workspace_release(&ws, 0));
    tap_buffer_free(&wrapped);

    must(gp_workspace_reserve(&ws, 12345, 0));
    memory = ws.memory;
    ok(ws.bytes >= 12345 && memory, "reserve makes room");
    must(gp_workspace_reserve(&ws, 100, 0));
    ok(ws.memory == memory, "reserve of less changes nothing");
    must(gp_workspace_release(&ws, 0));
    must(gp_workspace_release(&ws, 0));
    ok(1, "releasing an empty handle is harmless");
}

/* After the last epoch the first one comes again, not that of memory that has been cleared. */
static void after_the_last_epoch(void)
{
    const unsigned long long ticket = 0xFFFFFFFEull << 32; /* as the launch before the last one leaves it */

    for (int function = 0; function < FUNCTIONS; function++) {
        gp_workspace ws = GP_WORKSPACE_INIT;
        int passed = 1;

        must(gp_workspace_reserve(&ws, function_bytes[function](40000), 0));
        passed &= function_check(function, 9001, &ws, 0);
        must(cudaMemcpy(gpi_aligned(ws.memory), &ticket, sizeof ticket, cudaMemcpyHostToDevice));
        for (int launch = 0; launch < 3; launch++) /* the second one has tiles whose states nobody has written */
            passed &= function_check(function, launch ? 40000 : 9001, &ws, 0);
        ok(passed, "%s after the last epoch", function_names[function]);
        must(gp_workspace_release(&ws, 0));
    }
}

/* In a handle that is just large enough, scratch lies where tags have been, and the other way round. */
static void tags_and_scratch_meet(void)
{
    enum { N = 60000 };
    size_t scratch_bytes = ints_naive_exclusive_scan_workspace_bytes(N);
    int *in = (int *)malloc(N * sizeof(int)), *got = (int *)malloc(N * sizeof(int)), passed = 1;
    gp_workspace ws = GP_WORKSPACE_INIT;
    tap_buffer wrapped = tap_buffer_new(scratch_bytes, 7);

    must(gp_workspace_wrap(&ws, wrapped.data, scratch_bytes, 0));
    for (int round = 0; round < 12; round++) {
        size_t n = round % 4 == 3 ? (size_t)N : 1000 + tap_below(N - 1000);
        int sum = 0;

        passed &= function_check(round % 4, 20000 + tap_below(30000), &ws, 0);
        for (size_t i = 0; i < n; i++)
            in[i] = (int)tap_random();
        tap_buffer d_in = tap_buffer_of(in, n * sizeof(int), 0), d_out = tap_buffer_new(n * sizeof(int), 0);
        must(ints_naive_exclusive_scan((const int *)d_in.data, (int *)d_out.data, n, NULL, &ws, 0));
        tap_buffer_read(got, &d_out, n * sizeof(int));
        for (size_t i = 0; i < n; i++) {
            passed &= got[i] == sum;
            sum = (int)((unsigned)sum + (unsigned)in[i]);
        }
        tap_buffer_free(&d_in);
        tap_buffer_free(&d_out);
        passed &= function_check(8 + round % 5, 5000 + tap_below(5000), &ws, 0);
    }
    ok(passed && tap_buffer_intact(&wrapped, scratch_bytes), "tags and scratch may take turns in the same memory");
    must(gp_workspace_release(&ws, 0));
    tap_buffer_free(&wrapped);
    free(in);
    free(got);
}

static void handle_errors(void)
{
    gp_workspace ws = GP_WORKSPACE_INIT;
    tap_buffer memory = tap_buffer_new(64, 0);

    ok(gp_workspace_reserve(NULL, 5, 0) == cudaErrorInvalidValue &&
           message_says("gp_workspace_reserve", "ws is NULL"),
       "reserve refuses no handle");
    ok(gp_workspace_wrap(NULL, memory.data, 5, 0) == cudaErrorInvalidValue &&
           message_says("gp_workspace_wrap", "ws is NULL"),
       "wrap refuses no handle");
    ok(gp_workspace_release(NULL, 0) == cudaErrorInvalidValue &&
           message_says("gp_workspace_release", "ws is NULL"),
       "release refuses no handle");
    ok(gp_workspace_wrap(&ws, NULL, 5, 0) == cudaErrorInvalidValue &&
           message_says("gp_workspace_wrap", "memory is NULL") &&
           message_says("gp_workspace_wrap", "when bytes is 5") && !ws.wrapped,
       "wrap refuses no memory");
    ok(gp_workspace_reserve(&ws, SIZE_MAX, 0) == cudaErrorMemoryAllocation &&
           message_says("gp_workspace_reserve", "no device memory") && ws.bytes == 0 &&
           !ws.memory && cudaPeekAtLastError() == cudaSuccess,
       "reserve does not even ask for more than there can be");
    must(gp_workspace_wrap(&ws, memory.data, 64, 0));
    ok(gp_workspace_reserve(&ws, 65, 0) == cudaErrorInvalidValue &&
           message_says("gp_workspace_reserve", "65 are needed") && ws.memory == memory.data,
       "reserve refuses to grow wrapped memory");
    must(gp_workspace_reserve(&ws, 64, 0));
    must(gp_workspace_release(&ws, 0));
    tap_buffer_free(&memory);
}

#ifndef __CUDACC__
/* No memory left: the error comes back, nothing is written, a handle keeps what it had. */
static void allocation_refused(void)
{
    gp_cpu_settings settings = gp_cpu;

    for (int function = 0; function < FUNCTIONS; function++) {
        size_t n = 9001, free_bytes, total_bytes, free_after;
        tap_buffer d_in = tap_buffer_new(n * 128, 0), d_out = tap_buffer_new(n * 128, 0);
        tap_buffer d_count = tap_buffer_new(sizeof(size_t), 0);
        gp_workspace ws = GP_WORKSPACE_INIT;
        int passed = 1;

        must(gp_workspace_reserve(&ws, 8, 0));
        void *memory = ws.memory;
        must(cudaMemGetInfo(&free_bytes, &total_bytes));
        gp_cpu.memory_bytes = total_bytes - free_bytes + function_bytes[function](n) - 1;
        for (int kept = 0; kept < 2; kept++) {
            cudaError_t error = function_call(function, d_in.data, (const uint8_t *)d_in.data, d_out.data,
                                              n, (size_t *)d_count.data, kept ? &ws : NULL);

            passed &= error == cudaErrorMemoryAllocation &&
                      message_says(function_names[function], "there is no device memory");
        }
        passed &= ws.memory == memory && ws.bytes == 8;
        passed &= tap_buffer_intact(&d_out, 0) && tap_buffer_intact(&d_count, 0);
        gp_cpu = settings;
        must(cudaMemGetInfo(&free_after, &total_bytes));
        passed &= free_after == free_bytes;
        cudaGetLastError();
        must(gp_workspace_release(&ws, 0));
        ok(passed, "%s without memory returns the error and writes nothing", function_names[function]);
        tap_buffer_free(&d_in);
        tap_buffer_free(&d_out);
        tap_buffer_free(&d_count);
    }
}

/* What is allocated is given back: with NULL after the call, with a handle at release. */
static void nothing_leaks(void)
{
    size_t before, after, total;
    gp_workspace ws = GP_WORKSPACE_INIT;
    int passed = 1;

    must(cudaMemGetInfo(&before, &total));
    for (int function = 0; function < FUNCTIONS; function++)
        passed &= function_check(function, 5001, NULL, 0) && function_check(function, 5001, &ws, 0);
    must(gp_workspace_release(&ws, 0));
    must(cudaMemGetInfo(&after, &total));
    ok(passed && before == after, "no call leaves memory behind");
}
#endif

/* ---- streams and threads --------------------------------------------------------------------- */

typedef struct stream_job {
    cudaStream_t stream;
    gp_workspace ws;
    int *d_in, *d_out, *want, *got;
    size_t *d_count, n;
    int id, passed;
} stream_job;

/* Scans, reduces and compacts on a stream of its own, several times over. */
static void *stream_work(void *argument)
{
    stream_job *job = (stream_job *)argument;

    job->passed = 1;
    for (int round = 0; round < 5; round++) {
        job->passed &= ints_inclusive_scan(job->d_in, job->d_out, job->n, round % 2 ? &job->ws : NULL,
                                           job->stream) == cudaSuccess;
        job->passed &= ints_reduce(job->d_in, job->d_out + job->n, job->n, &job->ws, job->stream) ==
                       cudaSuccess;
    }
    return NULL;
}

/* A refusal in this thread; the message is the thread's own. */
static void *refused_work(void *argument)
{
    int *passed = (int *)argument;

    *passed = gp_last_error_message()[0] == '\0';
    *passed &= ints_reduce(NULL, NULL, 3, NULL, 0) == cudaErrorInvalidValue;
    *passed &= message_says("ints_reduce", "in is NULL");
    return NULL;
}

static void two_streams(void)
{
    enum { JOBS = 2 };
    stream_job jobs[JOBS];
    pthread_t threads[JOBS], refused;
    int refused_passed = 0;

    memset(jobs, 0, sizeof jobs);
    for (int j = 0; j < JOBS; j++) {
        stream_job *job = &jobs[j];

        job->n = 12000 + 777 * (size_t)j;
        job->want = (int *)malloc(2 * (job->n + 1) * sizeof(int));
        job->got = job->want + job->n + 1;
        must(cudaStreamCreateWithFlags(&job->stream, cudaStreamNonBlocking));
        must(cudaMalloc((void **)&job->d_in, job->n * sizeof(int)));
        must(cudaMalloc((void **)&job->d_out, (job->n + 1) * sizeof(int)));
        for (size_t i = 0; i < job->n; i++)
            job->got[i] = (int)tap_random();
        for (size_t i = 0; i < job->n; i++)
            job->want[i] = i ? job->want[i - 1] + job->got[i] : job->got[i];
        job->want[job->n] = job->want[job->n - 1];
        must(cudaMemcpy(job->d_in, job->got, job->n * sizeof(int), cudaMemcpyHostToDevice));
    }
    for (int j = 0; j < JOBS; j++) /* one host thread feeds both */
        stream_work(&jobs[j]);
    for (int j = 0; j < JOBS; j++) /* a host thread for each */
        pthread_create(&threads[j], NULL, stream_work, &jobs[j]);
    for (int j = 0; j < JOBS; j++)
        pthread_join(threads[j], NULL);
    for (int j = 0; j < JOBS; j++) {
        stream_job *job = &jobs[j];

        must(cudaStreamSynchronize(job->stream));
        must(cudaMemcpy(job->got, job->d_out, (job->n + 1) * sizeof(int), cudaMemcpyDeviceToHost));
        ok(job->passed && memcmp(job->got, job->want, (job->n + 1) * sizeof(int)) == 0,
           "two streams at once, the %s", j ? "second" : "first");
        must(gp_workspace_release(&job->ws, job->stream));
        must(cudaStreamSynchronize(job->stream));
        must(cudaStreamDestroy(job->stream));
        must(cudaFree(job->d_in));
        must(cudaFree(job->d_out));
        free(job->want);
    }

    ok(odd_compact(NULL, NULL, 3, NULL, NULL, 0) == cudaErrorInvalidValue, "a refusal in this thread");
    pthread_create(&refused, NULL, refused_work, &refused_passed);
    pthread_join(refused, NULL);
    ok(refused_passed && message_says("odd_compact", "in is NULL"), "each thread has its own message");
}

/* ---- graphs ---------------------------------------------------------------------------------- */

#ifdef __CUDACC__
/*
 * Captures a scan, a reduction and a compaction, then replays them on changing data, with ordinary
 * calls that use the same handle in between.
 */
static void graph_replay(int kind)
{
    static const char *const kinds[] = {"NULL", "a kept handle", "an empty handle", "a wrapped workspace",
                                        "a wrapped workspace that is just large enough"};
    enum { N = 30011 };
    size_t bytes = N * sizeof(uint64_t), count;
    uint64_t *host = (uint64_t *)malloc(bytes), *d_kept;
    int *d_in, *d_scan, *d_naive, *d_sum, *ints = (int *)malloc(N * sizeof(int)), *got = (int *)malloc(N * sizeof(int));
    uint64_t *d_words;
    size_t *d_count;
    void *memory = NULL;
    gp_workspace ws = GP_WORKSPACE_INIT, *use = kind ? &ws : NULL;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    int passed = 1, sum;

    must(cudaStreamCreate(&stream));
    must(cudaMalloc((void **)&d_in, N * sizeof(int)));
    must(cudaMalloc((void **)&d_scan, N * sizeof(int)));
    must(cudaMalloc((void **)&d_naive, N * sizeof(int)));
    must(cudaMalloc((void **)&d_sum, sizeof(int)));
    must(cudaMalloc((void **)&d_words, bytes));
    must(cudaMalloc((void **)&d_kept, bytes));
    must(cudaMalloc((void **)&d_count, sizeof count));
    must(cudaMalloc(&memory, 1 << 20));
    if (kind == 1)
        must(gp_workspace_reserve(&ws, 1 << 20, stream));
    if (kind == 3)
        must(gp_workspace_wrap(&ws, (char *)memory + 1, (1 << 20) - 1, stream));
    if (kind == 4)
        must(gp_workspace_wrap(&ws, (char *)memory + 1, ints_naive_exclusive_scan_workspace_bytes(N),
                               stream));
    must(cudaStreamSynchronize(stream));

    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    must(ints_inclusive_scan(d_in, d_scan, N, use, stream));
    must(ints_naive_exclusive_scan(d_in, d_naive, N, NULL, use, stream));
    must(ints_reduce(d_in, d_sum, N, use, stream));
    must(odd_partition_stable(d_words, d_kept, N, d_count, use, stream));
    must(odd_compact(d_words, d_kept, N, d_count, use, stream));
    int refused = kind == 2 ? gp_workspace_reserve(&ws, 4096, stream) == cudaErrorInvalidValue : 1;
    must(cudaStreamEndCapture(stream, &graph));
    ok(refused && (kind != 2 || ws.memory == NULL), "while a stream is captured, %s does not grow", kinds[kind]);
    must(cudaGraphInstantiate(&exec, graph, 0));

    for (int round = 0; round < 4; round++) {
        size_t kept = 0;
        int running = 0;

        for (int i = 0; i < N; i++) {
            ints[i] = (int)tap_random();
            host[i] = tap_random();
        }
        must(cudaMemcpy(d_in, ints, N * sizeof(int), cudaMemcpyHostToDevice));
        must(cudaMemcpy(d_words, host, bytes, cudaMemcpyHostToDevice));
        if (round == 2) { /* the handle is used outside of the graph too */
            passed &= function_check(8, 12000, use, stream) && function_check(4, 600, use, stream);
            passed &= function_check(0, 200000, use, stream);
            must(cudaStreamSynchronize(stream));
        }
        for (int times = 0; times < (round == 3 && !tap_small ? 1000 : 1); times++)
            must(cudaGraphLaunch(exec, stream));
        must(cudaStreamSynchronize(stream));
        must(cudaMemcpy(got, d_scan, N * sizeof(int), cudaMemcpyDeviceToHost));
        for (int i = 0; i < N; i++) {
            running = (int)((unsigned)running + (unsigned)ints[i]);
            passed &= got[i] == running;
            if (host[i] % 2)
                host[kept++] = host[i];
        }
        must(cudaMemcpy(got, d_naive, N * sizeof(int), cudaMemcpyDeviceToHost));
        for (int i = N - 1, before = running; i >= 0; i--) {
            before = (int)((unsigned)before - (unsigned)ints[i]);
            passed &= got[i] == before;
        }
        must(cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
        must(cudaMemcpy(&count, d_count, sizeof count, cudaMemcpyDeviceToHost));
        passed &= sum == running && count == kept;
        uint64_t *got_words = (uint64_t *)malloc(bytes);
        must(cudaMemcpy(got_words, d_kept, bytes, cudaMemcpyDeviceToHost));
        passed &= memcmp(got_words, host, kept * sizeof *host) == 0;
        free(got_words);
    }
    ok(passed, "a captured graph with %s replays right", kinds[kind]);
    must(cudaGraphExecDestroy(exec));
    must(cudaGraphDestroy(graph));
    must(gp_workspace_release(&ws, stream));
    must(cudaStreamSynchronize(stream));
    must(cudaStreamDestroy(stream));
    must(cudaFree(d_in));
    must(cudaFree(d_scan));
    must(cudaFree(d_naive));
    must(cudaFree(d_sum));
    must(cudaFree(d_words));
    must(cudaFree(d_kept));
    must(cudaFree(d_count));
    must(cudaFree(memory));
    free(host);
    free(ints);
    free(got);
}
#endif

int main(int argc, char **argv)
{
    tap_begin(argc, argv);
    ok(gp_last_error_message()[0] == '\0', "no message before the first refusal");
    bytes_are_monotone();
    wrapped_exactly();
    too_small_is_refused();
    null_is_refused();
    too_many_are_refused();
    overlap_is_refused();
    empty_input();
    pending_error();
    kept_handle();
    after_the_last_epoch();
    tags_and_scratch_meet();
    handle_errors();
#ifndef __CUDACC__
    allocation_refused();
    nothing_leaks();
#endif
    two_streams();
#ifdef __CUDACC__
    for (int kind = 0; kind < 5; kind++)
        graph_replay(kind);
#endif
    return tap_end();
}
