"""block/block_sort.cuh"""
from measured import need, table

PLACE = 80

INSTANCES = [
    ("block_sort", {"PRIMITIVE": "block_sort_256x16", "BLOCK": "256", "ITEMS": "16"}, ["u32", "f32"]),
    ("block_sort", {"PRIMITIVE": "block_sort_256x8", "BLOCK": "256", "ITEMS": "8"}, ["u64"]),
    ("block_sort", {"PRIMITIVE": "block_sort_128x4", "BLOCK": "128", "ITEMS": "4"}, ["u32"]),
]


def block_sort_speed():
    """Items a second in blocks, and how many times as fast as CUB's block collectives."""
    rows = []
    for words, group in (("16 integers of 4 bytes a thread", "block_sort_256x16/u32"),
                         ("8 integers of 8 bytes", "block_sort_256x8/u64"),
                         ("16 floats", "block_sort_256x16/f32")):
        mine, merge, radix = (need("merge_sort", group, i, n=1 << 28) for i in ("gpuprims", "CUB", "CUB_radix"))
        rows.append([words, f"{mine['items_per_s'] / 1e9:.1f}",
                     *[f"{other['median_ms'] / mine['median_ms']:.2f}" for other in (merge, radix)]])
    return table(["", "10^9 items per second", "of CUB's block merge sort", "of CUB's block radix sort"], rows)


TABLES = [block_sort_speed]
