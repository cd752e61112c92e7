"""The figure of arg-reduce.md."""
from draw import GREY, Figure, W


def arg_reduce():
    f = Figure('arg-reduce', 800, 330, 'each thread keeps the first of the smallest items it has seen, and its number')
    values = [7, 4, 9, 6, 2, 8, 5, 2, 6, 3, 2, 9, 8, 5, 7, 4]  # threads 0 and 1 take vectors of four, and four again
    left, step = 110, W - 2
    f.text(20, 62, 'input', bold=True)
    f.text(20, 142, '1. threads', bold=True)
    f.text(20, 160, 'value, number', 12, color=GREY)
    f.text(20, 222, '2. blocks', bold=True)
    f.text(20, 292, '3. one block', bold=True)
    for i, value in enumerate(values):
        f.text(left + i * step + step / 2, 32, i, 11, 'middle', GREY)
        f.cell(left + i * step + 1, 42, value, 'in' if i // 4 % 2 == 0 else 'new', step - 2)
    for v in range(4):
        x = left + 4 * v * step
        f.brace(x + 3, x + 4 * step - 3, 78)
        f.text(x + 2 * step, 104, f'thread {v % 2}', 12, 'middle', GREY)
    bests = [min((values[i], i) for i in range(16) if i // 4 % 2 == t) for t in range(2)]
    for t in range(2):
        x = left + (4 * t + 2) * step
        f.arrow(x, 110, left + 170 + 220 * t, 126)
        f.arrow(x + 8 * step, 110, left + 182 + 220 * t, 126)
        f.cell(left + 130 + 220 * t, 128, f'{bests[t][0]}, {bests[t][1]}', 'in' if t == 0 else 'new', 92)
        f.arrow(left + 176 + 220 * t, 160, left + 270 + 30 * t, 204)
    block = min(bests)
    f.cell(left + 240, 206, f'{block[0]}, {block[1]}', 'out', 92)
    f.text(left + 346, 226, 'equal values: the lower number', 12, color=GREY)
    f.arrow(left + 286, 238, left + 286, 274)
    f.cell(left + 240, 276, block[1], 'out', 92)
    f.text(left + 346, 296, 'of what all blocks have published', 12, color=GREY)
    f.save()


FIGURES = [arg_reduce]
