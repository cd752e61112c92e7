/* test options: timeout=300 many */
/* run_length.cuh: every function, many types of items and values, runs of every kind, against plain loops. */
#include "run_shapes.h"

enum { ENCODE, OFFSETS, UNIQUE, RUN_FUNCTIONS };

static const char *const run_function_names[] = {"run_length_encode", "run_offsets", "unique"};

/* An instance, its items and values. */
typedef struct run_case {
    const char *name;
    size_t bytes, align, index_bytes;
    int index_is_signed;
    size_t value_bytes, value_align; /* 0 bytes: there are no values */
    run_units units;
    void (*make)(void *in, const uint32_t *labels, size_t n);
    void (*load)(void *to, const void *in, size_t i);
    int (*same)(const void *a, const void *b);
    cudaError_t (*run)(int function, const void *in, void *out, const void *vin, void *vout, void *indices, size_t n,
                       void *count, gp_workspace *ws, cudaStream_t stream);
    cudaError_t (*expand)(const void *values, const void *lengths, size_t runs, void *out, size_t capacity, void *count,
                          gp_workspace *ws, cudaStream_t stream);
    size_t (*workspace[RUN_FUNCTIONS])(size_t n);
    size_t (*expand_workspace)(size_t runs, size_t capacity);
} run_case;

/* ---- instances ------------------------------------------------------------------------------- */

#define CASE      gp
#define CASE_IS_GP
#define CASE_TYPE int
#define CASE_MAKE (int)label
#include "run_length_case.h"
#undef CASE_IS_GP

#define CASE_TYPE   uint8_t
#define CASE_MAKE   (uint8_t)label
#define CASE_INDEX  int
#define CASE        bytes_pipelined
#define CASE_KERNEL GP_KERNEL_PIPELINED
#define CASE_GRID   3
#define CASE_MORE
#include "run_length_case.h"
#define CASE        bytes_simple
#define CASE_KERNEL GP_KERNEL_SIMPLE
#include "run_length_case.h"

#define CASE        halves_pipelined
#define CASE_TYPE   uint16_t
#define CASE_MAKE   (uint16_t)label
#define CASE_INDEX  unsigned
#define CASE_KERNEL GP_KERNEL_PIPELINED
#define CASE_GRID   2
#include "run_length_case.h"

#define CASE        longs_pipelined
#define CASE_TYPE   int64_t
#define CASE_MAKE   ((int64_t)label << 32)
#define CASE_INDEX  int64_t
#define CASE_KERNEL GP_KERNEL_PIPELINED
#define CASE_GRID   3
#include "run_length_case.h"

#define CASE_TYPE   float
#define CASE_MAKE   make_float_key(label, r)
#define CASE        floats_pipelined
#define CASE_KERNEL GP_KERNEL_PIPELINED
#define CASE_GRID   5
#define CASE_MORE
#include "run_length_case.h"
#define CASE        floats_simple
#define CASE_KERNEL GP_KERNEL_SIMPLE
#define CASE_GRID   1
#include "run_length_case.h"

#define CASE_TYPE   key12
#define CASE_MAKE   make_key12(label, r)
#define CASE_EQUAL  same_key12
#define CASE_SAME   same_key12
#define CASE        twelves_pipelined
#define CASE_KERNEL GP_KERNEL_PIPELINED
#define CASE_GRID   3
#define CASE_MORE
#include "run_length_case.h"
#define CASE        twelves_simple
#define CASE_KERNEL GP_KERNEL_SIMPLE
#include "run_length_case.h"

#define CASE_TYPE   key48
#define CASE_MAKE   make_key48(label, r)
#define CASE_EQUAL  same_key48
#define CASE_SAME   same_key48
#define CASE        wide_pipelined
#define CASE_KERNEL GP_KERNEL_PIPELINED
#define CASE_GRID   3
#define CASE_MORE
#include "run_length_case.h"
#define CASE        wide_simple
#define CASE_KERNEL GP_KERNEL_SIMPLE
#include "run_length_case.h"

#define CASE       widest
#define CASE_TYPE  key200
#define CASE_MAKE  make_key200(label, r)
#define CASE_EQUAL same_key200
#define CASE_SAME  same_key200
#include "run_length_case.h"

/* Which items are of a run depends on neighbours alone. */
#define CASE        near_pipelined
#define CASE_TYPE   int
#define CASE_MAKE   make_near_key(label, r)
#define CASE_EQUAL  is_near
#define CASE_SAME   is_near
#define CASE_KERNEL GP_KERNEL_PIPELINED
#define CASE_GRID   4
#include "run_length_case.h"

/* Values beside the items: smaller, larger, and too large for the pipeline of other primitives. */
#define CASE_TYPE   uint32_t
#define CASE_MAKE   label
#define CASE_VALUE  uint8_t
#define CASE        small_values_pipelined
#define CASE_KERNEL GP_KERNEL_PIPELINED
#define CASE_GRID   3
#define CASE_MORE
#include "run_length_case.h"
#define CASE        small_values_simple
#define CASE_KERNEL GP_KERNEL_SIMPLE
#include "run_length_case.h"

#define CASE_TYPE   uint8_t
#define CASE_MAKE   (uint8_t)label
#define CASE_VALUE  uint64_t
#define CASE_INDEX  unsigned
#define CASE        long_values_pipelined
#define CASE_KERNEL GP_KERNEL_PIPELINED
#define CASE_GRID   3
#define CASE_MORE
#include "run_length_case.h"
#define CASE        long_values_simple
#define CASE_KERNEL GP_KERNEL_SIMPLE
#include "run_length_case.h"

#define CASE        twelve_values_pipelined
#define CASE_TYPE   key12
#define CASE_MAKE   make_key12(label, r)
#define CASE_EQUAL  same_key12
#define CASE_SAME   same_key12
#define CASE_VALUE  triangle
#define CASE_KERNEL GP_KERNEL_PIPELINED
#define CASE_GRID   2
#include "run_length_case.h"

#define CASE        wide_values_pipelined
#define CASE_TYPE   uint16_t
#define CASE_MAKE   (uint16_t)label
#define CASE_VALUE  matrices3
#define CASE_KERNEL GP_KERNEL_PIPELINED
#define CASE_GRID   3
#include "run_length_case.h"

#define CASE       widest_values
#define CASE_TYPE  uint32_t
#define CASE_MAKE  label
#define CASE_VALUE key200
#include "run_length_case.h"

/* Items that are computed. */
#define turned_at(in, i) (~((const uint32_t *)(in))[i])
#define CASE_TYPE        uint32_t
#define CASE_INPUT_TYPE  void
#define CASE_MAKE        label
#define CASE_LOAD_AT     turned_at
#define CASE_REF_LOAD(x) (~(x))
#define CASE             at_pipelined
#define CASE_KERNEL      GP_KERNEL_PIPELINED
#define CASE_GRID        3
#define CASE_MORE
#include "run_length_case.h"
#define CASE             at_simple
#define CASE_KERNEL      GP_KERNEL_SIMPLE
#include "run_length_case.h"

/* Items that tell of whatever is none of the input, or no neighbour. */
static uint32_t *d_strangers;

#define CASE_TYPE          place_key
#define CASE_MAKE          make_place_key(label, i)
#define CASE_EQUAL         same_place_key
#define CASE_SAME(a, b)    ((a).label == (b).label)
#define CASE_CONTEXT       uint32_t *
#define CASE_CONTEXT_VALUE d_strangers
#define CASE               asked_pipelined
#define CASE_KERNEL        GP_KERNEL_PIPELINED
#define CASE_GRID          3
#define CASE_MORE
#include "run_length_case.h"
#define CASE               asked_simple
#define CASE_KERNEL        GP_KERNEL_SIMPLE
#include "run_length_case.h"

/* One block, as many as there are tiles, and warps that look at every tile themselves which is not there when they ask. */
#define CASE_TYPE   uint32_t
#define CASE_MAKE   label
#define CASE_INDEX  int
#define CASE        words_lone_pipelined
#define CASE_KERNEL GP_KERNEL_PIPELINED
#define CASE_GRID   1
#define CASE_MORE
#include "run_length_case.h"
#define CASE        words_lone_simple
#define CASE_KERNEL GP_KERNEL_SIMPLE
#define CASE_GRID   1
#define CASE_MORE
#include "run_length_case.h"
#define CASE        words_pipelined
#define CASE_KERNEL GP_KERNEL_PIPELINED
#define CASE_MORE
#include "run_length_case.h"
#pragma push_macro("GPI_PATIENCE")
#undef GPI_PATIENCE
#define GPI_PATIENCE 0
#define CASE        words_hasty_pipelined
#define CASE_KERNEL GP_KERNEL_PIPELINED
#define CASE_MORE
#include "run_length_case.h"
#define CASE        words_hasty_simple
#define CASE_KERNEL GP_KERNEL_SIMPLE
#include "run_length_case.h"
#pragma pop_macro("GPI_PATIENCE")

/* ---- the check ------------------------------------------------------------------------------- */

/* What of a unique is in place. */
enum { ITEMS_IN_PLACE = 1, VALUES_IN_PLACE = 2 };

/* A call with all that it reads and writes, and what it should write. */
typedef struct run_call {
    const run_case *c;
    int function;
    size_t n, runs;
    fold_place place;
    char *in, *vin, *want, *want_values, *want_indices;
    tap_buffer d_in, d_out, d_vin, d_vout, d_indices, d_count;
} run_call;

static void put_index(const run_case *c, char *indices, size_t i, size_t index)
{
    memcpy(indices + i * c->index_bytes, &index, c->index_bytes); /* little-endian */
}

/* What should be in the outputs, as loops say it; returns how many runs there are. */
static size_t run_length_reference(run_call *call)
{
    const run_case *c = call->c;
    char *x = (char *)malloc(2 * c->bytes), *last = x + c->bytes;
    size_t runs = 0, start = 0;

    for (size_t i = 0; i < call->n; i++) {
        c->load(x, call->in, i);
        if (i == 0 || !c->same(last, x)) {
            if (i && call->function == ENCODE)
                put_index(c, call->want_indices, runs - 1, i - start);
            if (call->function == OFFSETS)
                put_index(c, call->want_indices, runs, i);
            memcpy(call->want + runs * c->bytes, x, c->bytes);
            memcpy(call->want_values + runs * c->value_bytes, call->vin + i * c->value_bytes, c->value_bytes);
            start = i;
            runs++;
        }
        memcpy(last, x, c->bytes);
    }
    if (call->function == ENCODE && runs)
        put_index(c, call->want_indices, runs - 1, call->n - start);
    if (call->function == OFFSETS)
        put_index(c, call->want_indices, runs, call->n);
    free(x);
    return runs;
}

/* Makes an input of a shape, and what comes of it; outputs are as they were. */
static void call_fill(run_call *call, int shape)
{
    const run_case *c = call->c;
    uint32_t *labels = (uint32_t *)malloc(call->n * sizeof *labels + 1);

    run_labels(labels, call->n, shape, &c->units);
    c->make(call->in, labels, call->n);
    free(labels);
    for (size_t i = 0; i < call->n * c->value_bytes; i++)
        call->vin[i] = (char)tap_random();
    call->runs = run_length_reference(call);
    must(cudaMemset(call->d_out.data, 0xC3, call->n * c->bytes));
    must(cudaMemset(call->d_vout.data, 0xC3, call->n * c->value_bytes));
    must(cudaMemset(call->d_indices.data, 0xC3, (call->n + 1) * c->index_bytes));
    must(cudaMemset(call->d_count.data, 0xC3, c->index_bytes));
    must(cudaMemcpy(call->d_in.data, call->in, call->n * c->bytes, cudaMemcpyHostToDevice));
    must(cudaMemcpy(call->d_vin.data, call->vin, call->n * c->value_bytes, cudaMemcpyHostToDevice));
    must(cudaDeviceSynchronize());
}

static run_call call_new(const run_case *c, int function, size_t n, int shape, fold_place place)
{
    run_call call;
    const size_t items = n * c->bytes, values = n * c->value_bytes, indices = (n + 1) * c->index_bytes;
    const size_t in = place.in_offset, out = place.out_offset;

    call.c = c;
    call.function = function;
    call.n = n;
    call.place = place;
    call.in = (char *)malloc(items + 1);
    call.vin = (char *)malloc(values + 1);
    call.want = (char *)malloc(items + 1);
    call.want_values = (char *)malloc(values + 1);
    call.want_indices = (char *)malloc(indices);
    call.d_in = tap_buffer_new(items, in * c->align);
    call.d_vin = tap_buffer_new(values, (in * 3 + out) % 16 * c->value_align);
    call.d_out = place.in_place & ITEMS_IN_PLACE ? call.d_in : tap_buffer_new(items, out * c->align);
    call.d_vout = place.in_place & VALUES_IN_PLACE ? call.d_vin
                                                   : tap_buffer_new(values, (out * 5 + in) % 16 * c->value_align);
    call.d_indices = tap_buffer_new(indices, (in * 5 + out * 3) % 16 * c->index_bytes);
    call.d_count = tap_buffer_new(c->index_bytes, in * c->index_bytes);
    call_fill(&call, shape);
    return call;
}

static cudaError_t call_run(const run_call *call)
{
    return call->c->run(call->function, call->d_in.data, call->d_out.data, call->d_vin.data, call->d_vout.data,
                        call->d_indices.data, call->n, call->d_count.data, call->place.ws, call->place.stream);
}

/* Whether a buffer has what it should, and nothing more than `used` bytes are written of it. */
static int has(const tap_buffer *buffer, const char *want, size_t used)
{
    char *got = (char *)malloc(used + 1);

    tap_buffer_read(got, buffer, used);
    const int right = memcmp(got, want, used) == 0 && tap_buffer_intact(buffer, used);
    free(got);
    return right;
}

/* The same of a buffer in place: behind the first `used` bytes it is as it was. */
static int has_in_place(const tap_buffer *buffer, const char *want, size_t used, const char *was)
{
    char *got = (char *)malloc(buffer->bytes + 1);

    tap_buffer_read(got, buffer, buffer->bytes);
    const int right = memcmp(got, want, used) == 0 && memcmp(got + used, was + used, buffer->bytes - used) == 0 &&
                      tap_buffer_intact(buffer, buffer->bytes);
    free(got);
    return right;
}

/* What is wrong with what a call has written; NULL if nothing is. */
static const char *call_wrong(const run_call *call)
{
    const run_case *c = call->c;
    const int in_place = call->place.in_place;
    const size_t items = call->function == OFFSETS ? 0 : call->runs, values = call->function == UNIQUE ? call->runs : 0;
    const size_t indices = call->function == ENCODE ? call->runs : call->function == OFFSETS ? call->runs + 1 : 0;
    size_t count = 0;

    tap_buffer_read(&count, &call->d_count, c->index_bytes);
    if (count != call->runs)
        return "miscounts";
    if (!tap_buffer_intact(&call->d_count, c->index_bytes))
        return "wrote around the count";
    if (!(in_place & ITEMS_IN_PLACE ? has_in_place(&call->d_out, call->want, items * c->bytes, call->in)
                                    : has(&call->d_out, call->want, items * c->bytes) &&
                                          has(&call->d_in, call->in, call->n * c->bytes)))
        return "has other items than the reference, or wrote past them";
    if (!(in_place & VALUES_IN_PLACE ? has_in_place(&call->d_vout, call->want_values, values * c->value_bytes, call->vin)
                                     : has(&call->d_vout, call->want_values, values * c->value_bytes) &&
                                           has(&call->d_vin, call->vin, call->n * c->value_bytes)))
        return "has other values than the reference, or wrote past them";
    if (!has(&call->d_indices, call->want_indices, indices * c->index_bytes))
        return "has other lengths or offsets than the reference, or wrote past them";
    return NULL;
}

static void call_free(run_call *call)
{
    tap_buffer_free(&call->d_in);
    tap_buffer_free(&call->d_vin);
    if (!(call->place.in_place & ITEMS_IN_PLACE))
        tap_buffer_free(&call->d_out);
    if (!(call->place.in_place & VALUES_IN_PLACE))
        tap_buffer_free(&call->d_vout);
    tap_buffer_free(&call->d_indices);
    tap_buffer_free(&call->d_count);
    free(call->in);
    free(call->vin);
    free(call->want);
    free(call->want_values);
    free(call->want_indices);
}

/* In place is a unique of items that are not computed, and values if there are any. */
static int in_place_of(const run_case *c, int function, int in_place)
{
    const int computed = c == &at_pipelined_case || c == &at_simple_case;

    return function != UNIQUE || computed ? 0 : in_place & (c->value_bytes ? 3 : ITEMS_IN_PLACE);
}

/* Expands runs with `room` items of room, and compares everything. */
static int expand_check(const run_case *c, const char *values, const int64_t *lengths, size_t runs, size_t room,
                        fold_place place)
{
    char *indices = (char *)malloc(runs * c->index_bytes + 1), *want = (char *)malloc(room * c->bytes + 1);
    size_t total = 0, count = 0;
    const char *wrong = NULL;

    for (size_t k = 0; k < runs; k++) {
        put_index(c, indices, k, (size_t)lengths[k]);
        for (int64_t i = 0; i < lengths[k]; i++, total++)
            if (total < room)
                memcpy(want + total * c->bytes, values + k * c->bytes, c->bytes);
    }
    tap_buffer d_values = tap_buffer_of(values, runs * c->bytes, place.in_offset * c->align);
    tap_buffer d_lengths = tap_buffer_of(indices, runs * c->index_bytes, place.out_offset * c->index_bytes);
    tap_buffer d_out = tap_buffer_new(room * c->bytes, place.out_offset * c->align);
    tap_buffer d_count = tap_buffer_new(c->index_bytes, place.in_offset * c->index_bytes);
    const cudaError_t error =
        c->expand(d_values.data, d_lengths.data, runs, d_out.data, room, d_count.data, place.ws, place.stream);

    tap_buffer_read(&count, &d_count, c->index_bytes);
    if (error != cudaSuccess)
        wrong = gp_last_error_message();
    else if (count != total || !tap_buffer_intact(&d_count, c->index_bytes))
        wrong = "miscounts";
    else if (!has(&d_out, want, (total < room ? total : room) * c->bytes))
        wrong = "differs from the reference, or wrote past the items";
    else if (!has(&d_values, values, runs * c->bytes) || !has(&d_lengths, indices, runs * c->index_bytes))
        wrong = "changed the input";
    if (wrong)
        printf("# %s, run_length_decode of %zu runs, %zu items with room for %zu: %s (error %d, %zu counted)\n", c->name,
               runs, total, room, wrong, (int)error, count);
    tap_buffer_free(&d_values);
    tap_buffer_free(&d_lengths);
    tap_buffer_free(&d_out);
    tap_buffer_free(&d_count);
    free(indices);
    free(want);
    return !wrong;
}

/* ---- what is checked ------------------------------------------------------------------------- */

#include "run_checks.h"

/* Lengths of several kinds; room for nothing, less than there is, all of it, and more. */
static void check_expand(const run_case *c, size_t limit)
{
    static const size_t some_runs[] = {0, 1, 2, 31, 33, 255, 256, 257, 1000, 2049};
    static const char *const names[] = {"1", "0 to 3", "0 to 999, most of them 0", "random, some of them negative",
                                        "0, but for one", "0"};

    for (int kind = 0; kind < 6; kind++) {
        int passed = 1;

        for (size_t k = 0; k < sizeof some_runs / sizeof *some_runs && some_runs[k] <= limit; k++) {
            const size_t runs = some_runs[k];
            char *values = (char *)malloc(runs * c->bytes + 1);
            int64_t *lengths = (int64_t *)malloc(runs * sizeof *lengths + 1);
            size_t total = 0;

            for (size_t i = 0; i < runs; i++) {
                const int64_t of_kind[] = {
                    1, (int64_t)tap_below(4), tap_below(20) ? 0 : (int64_t)tap_below(1000), (int64_t)tap_below(24) - 9,
                    i == runs * 2 / 3 ? 5000 : 0, 0};

                lengths[i] = of_kind[kind] < 0 && !c->index_is_signed ? 0 : of_kind[kind];
                total += lengths[i] > 0 ? (size_t)lengths[i] : 0;
            }
            for (size_t i = 0; i < runs * c->bytes; i++)
                values[i] = (char)tap_random();
            const size_t rooms[] = {0, total / 2, total ? total - 1 : 0, total, total + 1, total + 3000};
            for (size_t r = 0; r < sizeof rooms / sizeof *rooms; r++) {
                const fold_place place = {(k + r) % 16, (k * 3 + r) % 16, 0, NULL, 0};

                passed &= expand_check(c, values, lengths, runs, rooms[r], place);
            }
            free(values);
            free(lengths);
        }
        ok(passed, "%s: run_length_decode of lengths that are %s", c->name, names[kind]);
    }
}

/* What is encoded and decoded is as it was. */
static void check_round_trip(const run_case *c, size_t n)
{
    int passed = 1;

    for (int shape = 0; shape < RUN_SHAPES; shape += 3) {
        fold_place place = {1, 2, 0, NULL, 0};
        run_call call = call_new(c, ENCODE, n, shape, place);
        tap_buffer d_out = tap_buffer_new(n * c->bytes, 3 * c->align), d_count = tap_buffer_new(c->index_bytes, 0);
        char *got = (char *)malloc(n * c->bytes);
        size_t count = 0;

        passed &= call_run(&call) == cudaSuccess && call_wrong(&call) == NULL;
        passed &= c->expand(call.d_out.data, call.d_indices.data, call.runs, d_out.data, n, d_count.data, NULL, 0) ==
                  cudaSuccess;
        tap_buffer_read(&count, &d_count, c->index_bytes);
        passed &= count == n && has(&d_out, call.in, n * c->bytes);
        tap_buffer_free(&d_out);
        tap_buffer_free(&d_count);
        free(got);
        call_free(&call);
    }
    ok(passed, "%s: %zu items are encoded and decoded", c->name, n);
}

/* The same of run_length_decode. */
static void check_expand_workspaces(const run_case *c)
{
    static const size_t some_runs[] = {1, 100, 5000, 700};
    gp_workspace kept = GP_WORKSPACE_INIT;
    int passed = 1, refused = 1;

    for (int k = 0; k < 4; k++) {
        const size_t runs = some_runs[k], room = 3 * runs, bytes = c->expand_workspace(runs, room);
        char *values = (char *)malloc(runs * c->bytes);
        int64_t *lengths = (int64_t *)malloc(runs * sizeof *lengths);
        gp_workspace ws = GP_WORKSPACE_INIT;
        fold_place place = {1, 2, 0, &kept, 0};
        tap_buffer memory = tap_buffer_new(bytes, (size_t)k * 37);

        for (size_t i = 0; i < runs; i++)
            lengths[i] = (int64_t)tap_below(5);
        for (size_t i = 0; i < runs * c->bytes; i++)
            values[i] = (char)tap_random();
        passed &= expand_check(c, values, lengths, runs, room, place);
        passed &= run_check(c, ENCODE, 3 * c->units.tile + 1, RUNS_MIXED, place); /* tags of another kind */
        passed &= expand_check(c, values, lengths, runs, room, place);
        place.ws = &ws;
        must(gp_workspace_wrap(&ws, memory.data, bytes, 0));
        passed &= expand_check(c, values, lengths, runs, room, place);
        passed &= expand_check(c, values, lengths, runs / 2, room, place);
        passed &= expand_check(c, values, lengths, runs, room, place);
        passed &= tap_buffer_intact(&memory, bytes);
        must(gp_workspace_release(&ws, 0));
        must(gp_workspace_wrap(&ws, memory.data, bytes - 1, 0));
        tap_buffer d = tap_buffer_new(64, 0), d_in = tap_buffer_new(runs * c->bytes, 0);
        tap_buffer d_lengths = tap_buffer_new(runs * c->index_bytes, 0);
        refused &= c->expand(d_in.data, d_lengths.data, runs, (char *)d.data + 16, 1, d.data, &ws, 0) ==
                   cudaErrorInvalidValue;
        refused &= strstr(gp_last_error_message(), "the wrapped workspace holds") && tap_buffer_intact(&d, 0);
        tap_buffer_free(&d_in);
        tap_buffer_free(&d_lengths);
        tap_buffer_free(&d);
        must(gp_workspace_release(&ws, 0));
        tap_buffer_free(&memory);
        free(values);
        free(lengths);
    }
    must(gp_workspace_release(&kept, 0));
    ok(passed, "%s: run_length_decode in workspaces that are kept, wrapped and dirty", c->name);
    ok(refused, "%s: run_length_decode refuses one byte too little", c->name);
}

/* Lengths whose sum is more than the type of the count holds. */
static void check_long_total(void)
{
    static const uint32_t values[] = {1, 2, 3};
    static const int lengths[] = {5, 0x7FFFFFFF, 9};
    tap_buffer d_values = tap_buffer_of(values, sizeof values, 0), d_lengths = tap_buffer_of(lengths, sizeof lengths, 0);
    tap_buffer d_out = tap_buffer_new(8 * sizeof *values, 0), d_count = tap_buffer_new(sizeof(int), 0);
    uint32_t got[8];
    int count, right = 1;

    must(words_lone_simple_run_length_decode((const uint32_t *)d_values.data, (const int *)d_lengths.data, 3,
                                             (uint32_t *)d_out.data, 8, (int *)d_count.data, NULL, 0));
    tap_buffer_read(got, &d_out, sizeof got);
    tap_buffer_read(&count, &d_count, sizeof count);
    for (int i = 0; i < 8; i++)
        right &= got[i] == (i < 5 ? 1u : 2u);
    ok(right && count == 0x7FFFFFFF, "run_length_decode counts as far as the type of the count goes");
    tap_buffer_free(&d_values);
    tap_buffer_free(&d_lengths);
    tap_buffer_free(&d_out);
    tap_buffer_free(&d_count);
}

/* ---- errors ---------------------------------------------------------------------------------- */

static void check_errors(void)
{
    tap_buffer memory = tap_buffer_new(8192, 0);
    int *in = (int *)memory.data, *out = in + 256;
    size_t *indices = (size_t *)(void *)(out + 256), *count = indices + 256;
    uint32_t *kin = (uint32_t *)memory.data, *kout = kin + 256;
    uint8_t *vin = (uint8_t *)(kout + 256), *vout = vin + 256;

    refused(gp_run_length_encode(NULL, out, indices, 3, count, NULL, 0), "gp_run_length_encode", "in is NULL");
    refused(gp_run_length_encode(in, NULL, indices, 3, count, NULL, 0), "gp_run_length_encode", "values is NULL");
    refused(gp_run_length_encode(in, out, NULL, 3, count, NULL, 0), "gp_run_length_encode", "lengths is NULL");
    refused(gp_run_length_encode(in, out, indices, 3, NULL, NULL, 0), "gp_run_length_encode", "d_count is NULL");
    refused(gp_run_length_encode(NULL, NULL, NULL, 0, NULL, NULL, 0), "gp_run_length_encode", "d_count is NULL");
    refused(gp_run_offsets(NULL, indices, 3, count, NULL, 0), "gp_run_offsets", "in is NULL");
    refused(gp_run_offsets(in, NULL, 3, count, NULL, 0), "gp_run_offsets", "offsets is NULL");
    refused(gp_run_offsets(NULL, NULL, 0, count, NULL, 0), "gp_run_offsets", "offsets is NULL");
    refused(gp_run_offsets(in, indices, 3, NULL, NULL, 0), "gp_run_offsets", "d_count is NULL");
    refused(gp_unique(NULL, out, 3, count, NULL, 0), "gp_unique", "in is NULL");
    refused(gp_unique(in, NULL, 3, count, NULL, 0), "gp_unique", "out is NULL");
    refused(gp_unique(in, out, 3, NULL, NULL, 0), "gp_unique", "d_count is NULL");
    refused(small_values_simple_unique(NULL, kout, vin, vout, 3, count, NULL, 0), "small_values_simple_unique",
            "kin is NULL");
    refused(small_values_simple_unique(kin, NULL, vin, vout, 3, count, NULL, 0), "small_values_simple_unique",
            "kout is NULL");
    refused(small_values_simple_unique(kin, kout, NULL, vout, 3, count, NULL, 0), "small_values_simple_unique",
            "vin is NULL");
    refused(small_values_simple_unique(kin, kout, vin, NULL, 3, count, NULL, 0), "small_values_simple_unique",
            "vout is NULL");
    refused(gp_run_length_decode(NULL, indices, 3, out, 9, count, NULL, 0), "gp_run_length_decode", "values is NULL");
    refused(gp_run_length_decode(in, NULL, 3, out, 9, count, NULL, 0), "gp_run_length_decode", "lengths is NULL");
    refused(gp_run_length_decode(in, indices, 3, NULL, 9, count, NULL, 0), "gp_run_length_decode", "out is NULL");
    refused(gp_run_length_decode(in, indices, 3, out, 9, NULL, NULL, 0), "gp_run_length_decode", "d_count is NULL");

    refused(gp_run_length_encode(in, in, indices, 3, count, NULL, 0), "gp_run_length_encode", "in and values overlap");
    refused(gp_run_length_encode(in, out, (size_t *)(void *)in, 3, count, NULL, 0), "gp_run_length_encode",
            "in and lengths overlap");
    refused(gp_run_length_encode(in, out, count, 3, count, NULL, 0), "gp_run_length_encode",
            "lengths and d_count overlap");
    refused(gp_run_offsets(in, (size_t *)(void *)(in + 2), 3, count, NULL, 0), "gp_run_offsets",
            "in and offsets overlap");
    refused(gp_run_offsets(in, indices, 3, indices, NULL, 0), "gp_run_offsets", "offsets and d_count overlap");
    refused(gp_unique(in, in + 1, 3, count, NULL, 0), "gp_unique", "in and out overlap; they must be equal or apart");
    refused(gp_unique(in, out, 3, (size_t *)(void *)in, NULL, 0), "gp_unique", "in and d_count overlap");
    refused(small_values_simple_unique(kin, kout, vin, vin + 1, 3, count, NULL, 0), "small_values_simple_unique",
            "vin and vout overlap; they must be equal or apart");
    refused(small_values_simple_unique(kin, kin + 2, vin, vout, 3, count, NULL, 0), "small_values_simple_unique",
            "kin and kout overlap; they must be equal or apart");
    refused(small_values_simple_unique(kin, kout, vin, (uint8_t *)kin, 3, count, NULL, 0), "small_values_simple_unique",
            "kin and vout overlap");
    refused(gp_run_length_decode(in, indices, 3, in, 9, count, NULL, 0), "gp_run_length_decode",
            "values and out overlap");
    refused(gp_run_length_decode(in, indices, 3, out, 9, indices, NULL, 0), "gp_run_length_decode",
            "lengths and d_count overlap");

    refused(gp_unique(in, out, SIZE_MAX, count, NULL, 0), "gp_unique", "n is");
    refused(words_lone_simple_run_offsets(kin, (int *)kout, (size_t)1 << 31, (int *)(void *)count, NULL, 0),
            "words_lone_simple_run_offsets", "n is 2147483648; it must be at most 2147483647");
    refused(long_values_simple_unique(vin, vin + 64, (uint64_t *)(void *)in, (uint64_t *)(void *)out, (size_t)1 << 32,
                                      (unsigned *)(void *)count, NULL, 0),
            "long_values_simple_unique", "n is 4294967296; it must be at most 4294967295");
    refused(words_lone_simple_run_length_decode(kin, (int *)kout, (size_t)1 << 31, kin, 9, (int *)(void *)count, NULL, 0),
            "words_lone_simple_run_length_decode", "runs is 2147483648; it must be at most 2147483647");
    ok(cudaGetLastError() == cudaSuccess && tap_buffer_intact(&memory, 0), "refusals write nothing and leave no error");

    ok(gp_run_length_encode(NULL, NULL, NULL, 0, count, NULL, 0) == cudaSuccess &&
           gp_unique(NULL, NULL, 0, count, NULL, 0) == cudaSuccess &&
           gp_run_length_decode(NULL, NULL, 0, NULL, 0, count, NULL, 0) == cudaSuccess &&
           gp_run_offsets(NULL, indices, 0, count, NULL, 0) == cudaSuccess,
       "of nothing nothing else is needed");
    tap_buffer_free(&memory);
}

/* ---- several headers and instances ----------------------------------------------------------- */

/* The default again, and another header, under one name. */
#include <gpuprims/run_length.cuh>
#define GP_NAME words_pipelined
#define GP_KEY uint32_t
#include <gpuprims/by_key.cuh>

static void check_names(void)
{
    static const int in[] = {7, 7, 7, 2, 5, 5, 7}, want[] = {7, 2, 5, 7};
    static const size_t want_lengths[] = {3, 1, 2, 1}, want_offsets[] = {0, 3, 4, 6, 7};
    tap_buffer d_in = tap_buffer_of(in, sizeof in, 0), d_out = tap_buffer_new(sizeof want, 0);
    tap_buffer d_lengths = tap_buffer_new(sizeof want_lengths, 0), d_offsets = tap_buffer_new(sizeof want_offsets, 0);
    tap_buffer d_count = tap_buffer_new(sizeof(size_t), 0), d_sums = tap_buffer_new(sizeof in, 0);
    size_t count = 0;
    int sums[7], passed = 1;

    passed &= gp_run_length_encode((const int *)d_in.data, (int *)d_out.data, (size_t *)d_lengths.data, 7,
                                   (size_t *)d_count.data, NULL, 0) == cudaSuccess;
    passed &= has(&d_out, (const char *)want, sizeof want);
    passed &= has(&d_lengths, (const char *)want_lengths, sizeof want_lengths);
    passed &= gp_run_offsets((const int *)d_in.data, (size_t *)d_offsets.data, 7, (size_t *)d_count.data, NULL, 0) ==
              cudaSuccess;
    passed &= has(&d_offsets, (const char *)want_offsets, sizeof want_offsets);
    tap_buffer_read(&count, &d_count, sizeof count);
    passed &= words_pipelined_inclusive_scan_by_key((const uint32_t *)d_in.data, (const int *)d_in.data,
                                                    (int *)d_sums.data, 7, NULL, 0) == cudaSuccess;
    tap_buffer_read(sums, &d_sums, sizeof sums);
    ok(passed && count == 4 && sums[2] == 21 && sums[5] == 10, "the example of the header, and sums of the same name");
    tap_buffer_free(&d_in);
    tap_buffer_free(&d_out);
    tap_buffer_free(&d_lengths);
    tap_buffer_free(&d_offsets);
    tap_buffer_free(&d_count);
    tap_buffer_free(&d_sums);
}

/* ---- streams and graphs ---------------------------------------------------------------------- */

#ifdef __CUDACC__
/* An encoding and the decoding of what it gives, in one graph: with as many runs as there may be, of which the rest have
 * no items. */
static void check_graph_of_both(int kept)
{
    const run_case *c = &words_pipelined_case;
    const size_t n = 3 * c->units.tile + 3, lengths = (n + 1) * c->index_bytes;
    gp_workspace ws = GP_WORKSPACE_INIT;
    fold_place place = {0, 1, 0, kept ? &ws : NULL, 0};
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    int passed = 1;

    must(cudaStreamCreate(&place.stream));
    if (kept)
        must(gp_workspace_reserve(&ws, c->expand_workspace(n, n) + c->workspace[ENCODE](n), place.stream));
    run_call call = call_new(c, ENCODE, n, RUNS_MIXED, place);
    tap_buffer d_out = tap_buffer_new(n * c->bytes, 0), d_count = tap_buffer_new(c->index_bytes, 0);
    must(cudaStreamBeginCapture(place.stream, cudaStreamCaptureModeThreadLocal));
    must(cudaMemsetAsync(call.d_indices.data, 0, lengths, place.stream));
    must(call_run(&call));
    must(c->expand(call.d_out.data, call.d_indices.data, n, d_out.data, n, d_count.data, place.ws, place.stream));
    must(cudaStreamEndCapture(place.stream, &graph));
    must(cudaGraphInstantiate(&executable, graph, 0));
    for (int shape = 0; shape < RUN_SHAPES; shape += 4) {
        call_fill(&call, shape);
        must(cudaGraphLaunch(executable, place.stream));
        must(cudaStreamSynchronize(place.stream));
        passed &= has(&d_out, call.in, n * c->bytes);
    }
    ok(passed, "an encoding and its decoding, captured with %s, replay right", kept ? "a kept handle" : "NULL");
    call_free(&call);
    tap_buffer_free(&d_out);
    tap_buffer_free(&d_count);
    must(cudaGraphExecDestroy(executable));
    must(cudaGraphDestroy(graph));
    must(gp_workspace_release(&ws, place.stream));
    must(cudaStreamSynchronize(place.stream));
    must(cudaStreamDestroy(place.stream));
}

#endif

int main(int argc, char **argv)
{
    static const run_case *const cases[] = {
        &gp_case, &bytes_pipelined_case, &bytes_simple_case, &halves_pipelined_case, &longs_pipelined_case,
        &floats_pipelined_case, &floats_simple_case, &twelves_pipelined_case, &twelves_simple_case, &wide_pipelined_case,
        &wide_simple_case, &widest_case, &near_pipelined_case, &small_values_pipelined_case, &small_values_simple_case,
        &long_values_pipelined_case, &long_values_simple_case, &twelve_values_pipelined_case,
        &wide_values_pipelined_case, &widest_values_case, &at_pipelined_case, &at_simple_case, &asked_pipelined_case,
        &asked_simple_case, &words_lone_pipelined_case, &words_lone_simple_case, &words_pipelined_case,
        &words_hasty_pipelined_case, &words_hasty_simple_case};
    uint32_t strangers = 0;

    tap_begin(argc, argv);
    must(cudaMalloc((void **)&d_strangers, sizeof strangers));
    must(cudaMemset(d_strangers, 0, sizeof strangers));

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const run_case *c = cases[k];
        const size_t tile = c->units.tile;

        if (!tap_wants(c->name))
            continue;
        check_sizes(c, tap_small ? (tile < 2500 ? 2 * tile + 1 : 2500) : k == 0 ? 100003 : 3 * tile);
        /* The last warp tile may have many heads, and lanes without any. */
        check_shapes(c, (tap_small ? tile + c->units.warp_tile : 2 * tile) + c->units.warp_tile * 3 / 4);
    }
    if (tap_wants("offsets")) {
        check_offsets(&bytes_simple_case, 77);
        check_offsets(&gp_case, 333);
        check_offsets(&twelve_values_pipelined_case, 133);
    }
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        if (tap_wants("phases") && cases[k]->units.tile < (tap_small ? 4000 : 8000))
            check_phases(cases[k], tap_small ? 61 : 13);
    if (tap_wants("decode")) {
        check_expand(&gp_case, tap_small ? 300 : 3000);
        check_expand(&bytes_simple_case, tap_small ? 300 : 3000);
        check_expand(&halves_pipelined_case, 300);
        check_expand(&longs_pipelined_case, 300);
        check_expand(&twelves_simple_case, 300);
        check_expand(&widest_case, 300);
        check_round_trip(&gp_case, tap_small ? 2500 : 20011);
        check_round_trip(&words_lone_simple_case, tap_small ? 2500 : 20011);
        check_round_trip(&longs_pipelined_case, 4000);
        check_expand_workspaces(&gp_case);
        check_expand_workspaces(&bytes_simple_case);
        check_long_total();
    }
    if (tap_wants("workspaces")) {
        check_workspaces(&wide_pipelined_case);
        check_workspaces(&twelve_values_pipelined_case);
        check_workspaces(&widest_case);
    }
    if (tap_wants("errors")) {
        check_errors();
        check_names();
    }
#ifdef __CUDACC__
    if (tap_wants("graphs")) {
        check_graphs(&words_pipelined_case, 0);
        check_graphs(&words_pipelined_case, 1);
        check_graphs(&long_values_simple_case, 0);
        check_graphs(&long_values_simple_case, 1);
        check_graph_of_both(0);
        check_graph_of_both(1);
        check_streams(&words_pipelined_case);
        check_streams(&long_values_simple_case);
        check_streams(&words_hasty_pipelined_case);
    }
#endif
    must(cudaDeviceSynchronize());
    must(cudaMemcpy(&strangers, d_strangers, sizeof strangers, cudaMemcpyDeviceToHost));
    ok(strangers == 0, "GP_EQUAL sees neighbours alone");
    must(cudaFree(d_strangers));
    return tap_end();
}
