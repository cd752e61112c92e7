"""hybrid_sort.cuh, which has a benchmark of its own, bench_hybrid"""
from measured import percent, pick, read, table

PLACE = 100

COMPILE_TIME = {
    "hybrid_sort": {"header": "hybrid_sort.cuh", "arguments": "int *keys", "call": "gp_hybrid_sort_host(keys, n, NULL)"},
}

STUDIES = {
    "hybrid": {
        "what": "hybrid sorts of 8 GiB, sorts by the CPU, and timelines of two of them",
        "program": "bench_hybrid_cuda",
        "timed": [{"options": options} for options in (
            "--method 2 --types u32 --budget 1G --serial",
            "--method 1 --types u32 --budget 1G --serial --repeat 1",
            "--method 2 --types u32 --budget 2G,4G --cpu",
            "--method 2 --types u64 --budget 1G,2G,4G --cpu",
            "--method 1 --types u32 --budget 2G,4G --repeat 1",
            "--method 1 --types u64 --budget 1G,2G,4G --repeat 1")],
        # By method: the last run of its step with --serial.
        "timelines": {"1": "hybrid by CPU merge", "2": "hybrid by distribution"},
    },
}


def bus(way):
    """The bus alone, in GB/s: in, out, or both ways at once; for a sentence."""
    rates = [f"{row[f'bus_{way}_GBps']:.0f}" for row in read("hybrid") if row["budget"]]
    least, most = min(rates, key=int), max(rates, key=int)
    return f"{least} GB/s" if least == most else f"{least} to {most} GB/s"


def hybrid_copies(how):
    """The least time for the copies, in_turn or at_once, for a sentence."""
    times = [round(row["median_ms"] * row[f"of_copies_{how}"]) for row in read("hybrid") if row["budget"]]
    return f"{min(times)} ms" if min(times) == max(times) else f"{min(times)} to {max(times)} ms"


def hybrid_trip(trip):
    """From the first copy to the last one, in the timeline of the distribution; for a sentence."""
    chunks = pick("hybrid_timeline", implementation="hybrid by distribution", trip=int(trip), what="chunk")
    return f"{max(row['end_ms'] for row in chunks) - min(row['begin_ms'] for row in chunks):.0f} ms"


def hybrid_start():
    """What comes before the first copy there."""
    return f"{min(row['begin_ms'] for row in pick('hybrid_timeline', implementation='hybrid by distribution')):.0f} ms"


def hybrid_speed():
    """The hybrid sort beside the copies alone, and sorts by the CPU."""
    methods = {"hybrid by distribution": "2", "hybrid by CPU merge": "1",
               "CPU radix and merge": "CPU: radix sort of {threads} parts, merge",
               "__gnu_parallel::sort": "CPU: `__gnu_parallel::sort`"}
    rows = []
    for row in sorted(read("hybrid"), key=lambda r: (list(methods).index(r["implementation"]), r["lanes"] == "serial",
                                                     r["type"], r["budget"])):
        method = methods[row["implementation"]].format(**row) + (", serial lanes" if row["lanes"] == "serial" else "")
        shares = [percent(row[key]) if row["budget"] else "" for key in ("of_copies_in_turn", "of_copies_at_once")]
        rows.append([f"`{'uint32_t' if row['type'] == 'u32' else 'uint64_t'}`", method,
                     f"{row['budget'] >> 30} GiB" if row["budget"] else "", f"{row['median_ms']:.0f}",
                     f"{row['GBps']:.1f}", *shares])
    return table(["keys", "method", "device memory", "ms", "GB/s", "in turn", "at once"], rows, 2)


TABLES = [bus, hybrid_copies, hybrid_trip, hybrid_start, hybrid_speed]
