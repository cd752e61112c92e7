/*
 * run_checks.h: what the tests of by_key.cuh and run_length.cuh check in the same way, once they have defined
 *
 *     run_case                  an instance, with its name, `units`, and workspace[RUN_FUNCTIONS] for n items
 *     run_function_names        of its functions
 *     run_call                  a call with c, function, n, runs, place, and what it reads and writes, of which d_out
 *                               and d_count have to stay as they are where it is refused
 *     call_new, call_fill, call_run, call_wrong, call_free
 *     in_place_of(c, function, in_place)   which bits of in_place a function can heed
 */
#ifndef RUN_CHECKS_H
#define RUN_CHECKS_H

/* Runs a function, and compares everything; says what is wrong. */
static int run_check(const run_case *c, int function, size_t n, int shape, fold_place place)
{
    place.in_place = in_place_of(c, function, place.in_place);
    run_call call = call_new(c, function, n, shape, place);
    const cudaError_t error = call_run(&call);
    const char *wrong = error != cudaSuccess ? gp_last_error_message() : call_wrong(&call);

    if (wrong)
        printf("# %s, %s of %zu, %s, offsets %zu and %zu, in place %d: %s (error %d, %zu runs)\n", c->name,
               run_function_names[function], n, run_shape_names[shape], place.in_offset, place.out_offset,
               place.in_place, wrong, (int)error, call.runs);
    call_free(&call);
    return !wrong;
}

/* Around thread items, warp tiles and tiles; each at offsets and with runs of its own, some in place. */
static void check_sizes(const run_case *c, size_t limit)
{
    size_t sizes[RUN_SIZES];
    const unsigned count = run_sizes(sizes, &c->units, limit);

    for (int function = 0; function < RUN_FUNCTIONS; function++) {
        int passed = 1;

        for (unsigned k = 0; k < count; k++) {
            fold_place place = {k * 7 % 16, k * 3 % 16, (int)(k % 4), NULL, 0};

            passed &= run_check(c, function, sizes[k], (int)(k * 5 + (unsigned)function * 7) % RUN_SHAPES, place);
            place.in_place = 0;
            passed &= run_check(c, function, sizes[k], RUNS_MIXED, place);
        }
        ok(passed, "%s: %s of %u sizes up to %zu", c->name, run_function_names[function], count, limit);
    }
}

/* Every shape, or some of them, over some tiles. */
static void check_shapes(const run_case *c, size_t n)
{
    for (int function = 0; function < RUN_FUNCTIONS; function++) {
        int passed = 1;

        for (int shape = 1 - !tap_small; shape < RUN_SHAPES; shape += tap_small ? 5 : 1) {
            fold_place place = {(size_t)shape % 16, (size_t)shape * 3 % 16, 0, NULL, 0};

            passed &= run_check(c, function, n, shape, place);
            place.in_place = 3 - shape % 3;
            if (in_place_of(c, function, place.in_place))
                passed &= run_check(c, function, n, shape, place);
        }
        ok(passed, "%s: %s of %zu items in runs of every kind", c->name, run_function_names[function], n);
    }
}

/* Wherever the arrays start. */
static void check_offsets(const run_case *c, size_t n)
{
    for (int function = 0; function < RUN_FUNCTIONS; function++) {
        int passed = 1;

        for (size_t in = 0; in < 16; in++)
            for (size_t out = 0; out < 16; out++) {
                fold_place place = {in, out, 0, NULL, 0};

                passed &= run_check(c, function, n, out % 2 ? RUNS_OF_2 : RUNS_RANDOM_8, place);
            }
        ok(passed, "%s: %s of %zu items at 16 x 16 offsets", c->name, run_function_names[function], n);
    }
}

/* More than one tile at offsets up to a line: the first warp tile is cut in every way. */
static void check_phases(const run_case *c, size_t step)
{
    for (int function = 0; function < RUN_FUNCTIONS; function++) {
        int passed = 1;

        for (size_t in = 127; in < 128; in -= step) {
            fold_place place = {in, in * 7 % 128, 0, NULL, 0};

            passed &= run_check(c, function, c->units.tile + 60 + in % 11, RUNS_MIXED, place);
        }
        ok(passed, "%s: %s of more than a tile at 128 offsets, in steps of %zu", c->name, run_function_names[function],
           step);
    }
}

/* No handle, one that is kept, wrapped memory of exactly enough bytes, dirty, and one byte less. */
static void check_workspaces(const run_case *c)
{
    static const size_t tiles[] = {0, 1, 2, 33, 5};

    for (int function = 0; function < RUN_FUNCTIONS; function++) {
        gp_workspace kept = GP_WORKSPACE_INIT;
        int passed = 1, refused = 1;
        size_t largest = 0;

        for (int k = 0; k < 5; k++) {
            const size_t n = tiles[k] * c->units.tile + 3, bytes = c->workspace[function](n);
            gp_workspace ws = GP_WORKSPACE_INIT;
            fold_place place = {1, 2, k & 3, &kept, 0};
            tap_buffer memory = tap_buffer_new(bytes, (size_t)k * 37);

            passed &= run_check(c, function, n, RUNS_MIXED, place);
            passed &= run_check(c, function, n, RUNS_RANDOM_100, place);
            place.ws = &ws;
            if (k == 1)
                must(cudaMemset(memory.data, 0xFF, bytes));
            must(gp_workspace_wrap(&ws, bytes ? memory.data : NULL, bytes, 0));
            passed &= run_check(c, function, n, RUNS_MIXED, place);
            passed &= run_check(c, function, n / 2, RUNS_MIXED, place); /* in what the first left */
            passed &= run_check(c, function, n, RUNS_RANDOM_8, place);
            passed &= tap_buffer_intact(&memory, bytes);
            must(gp_workspace_release(&ws, 0));
            if (bytes) {
                must(gp_workspace_wrap(&ws, memory.data, bytes - 1, 0));
                place.in_place = 0;
                run_call call = call_new(c, function, n, RUNS_MIXED, place);
                refused &= call_run(&call) == cudaErrorInvalidValue;
                refused &= strstr(gp_last_error_message(), "the wrapped workspace holds") != NULL;
                refused &= tap_buffer_intact(&call.d_out, 0) && tap_buffer_intact(&call.d_count, 0);
                call_free(&call);
                must(gp_workspace_release(&ws, 0));
            }
            largest = bytes > largest ? bytes : largest;
            tap_buffer_free(&memory);
        }
        must(gp_workspace_release(&kept, 0));
        ok(passed && largest, "%s: %s in workspaces that are kept, wrapped and dirty", c->name,
           run_function_names[function]);
        ok(refused, "%s: %s refuses one byte too little, and writes nothing", c->name, run_function_names[function]);
    }
}

static void refused(cudaError_t error, const char *function, const char *text)
{
    const char *message = gp_last_error_message();
    const size_t length = strlen(function);

    ok(error == cudaErrorInvalidValue && strncmp(message, function, length) == 0 && message[length] == ':' &&
           strstr(message, text),
       "refused: %s", message);
}

/* ---- streams and graphs ---------------------------------------------------------------------- */

#ifdef __CUDACC__
/* A captured call, replayed on other data. */
static void check_graphs(const run_case *c, int kept)
{
    const size_t n = 5 * c->units.tile + 3;

    for (int function = 0; function < RUN_FUNCTIONS; function++) {
        gp_workspace ws = GP_WORKSPACE_INIT;
        fold_place place = {0, 1, 0, kept ? &ws : NULL, 0};
        cudaGraph_t graph;
        cudaGraphExec_t executable;
        int passed = 1;

        must(cudaStreamCreate(&place.stream));
        if (kept)
            must(gp_workspace_reserve(&ws, c->workspace[function](n), place.stream));
        run_call call = call_new(c, function, n, RUNS_MIXED, place);
        must(cudaStreamBeginCapture(place.stream, cudaStreamCaptureModeThreadLocal));
        must(call_run(&call));
        must(cudaStreamEndCapture(place.stream, &graph));
        must(cudaGraphInstantiate(&executable, graph, 0));
        for (int shape = 0; shape < RUN_SHAPES; shape += 3) {
            call_fill(&call, shape);
            must(cudaGraphLaunch(executable, place.stream));
            must(cudaStreamSynchronize(place.stream));
            passed &= call_wrong(&call) == NULL;
            passed &= run_check(c, function, n / 2, shape, place); /* between replays */
        }
        ok(passed, "%s: %s, captured with %s, replays right", c->name, run_function_names[function],
           kept ? "a kept handle" : "NULL");
        call_free(&call);
        must(cudaGraphExecDestroy(executable));
        must(cudaGraphDestroy(graph));
        must(gp_workspace_release(&ws, place.stream));
        must(cudaStreamSynchronize(place.stream));
        must(cudaStreamDestroy(place.stream));
    }
}

/* Calls of two streams, at the same time. */
static void check_streams(const run_case *c)
{
    enum { CALLS = 12 };
    gp_workspace ws[2] = {GP_WORKSPACE_INIT, GP_WORKSPACE_INIT};
    cudaStream_t streams[2];
    run_call calls[CALLS];
    int passed = 1;

    for (int s = 0; s < 2; s++)
        must(cudaStreamCreate(&streams[s]));
    for (int k = 0; k < CALLS; k++) {
        fold_place place = {(size_t)k, 1, in_place_of(c, k % 3, k % 4), k < 4 ? NULL : &ws[k % 2], streams[k % 2]};

        calls[k] = call_new(c, k % 3, (tap_small ? 7 : 40) * c->units.tile + (size_t)k, RUNS_MIXED, place);
    }
    for (int k = 0; k < CALLS; k++)
        must(call_run(&calls[k]));
    must(cudaDeviceSynchronize());
    for (int k = 0; k < CALLS; k++) {
        passed &= call_wrong(&calls[k]) == NULL;
        call_free(&calls[k]);
    }
    for (int s = 0; s < 2; s++) {
        must(gp_workspace_release(&ws[s], streams[s]));
        must(cudaStreamSynchronize(streams[s]));
        must(cudaStreamDestroy(streams[s]));
    }
    ok(passed, "%s: %d calls on two streams", c->name, CALLS);
}
#endif

#endif
