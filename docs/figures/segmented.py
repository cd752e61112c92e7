"""The figure of segmented.md."""
from draw import GREY, HOT, Figure


def segmented():
    f = Figure('segmented', 800, 316, 'segments and items are counted together and cut into equal ranges')
    lengths = [3, 0, 2, 9, 0, 0, 3]
    left, step, y = 40, 28, 70
    kinds = ['in', 'new', 'out']
    f.text(left, 26, 'units: a mark for where each segment starts, and its items', 12, color=GREY)
    x, unit, starts = left, 0, []
    for s, length in enumerate(lengths):
        starts.append(unit)
        f.cell(x, y, f's{s}', 'same', step - 4, 30, 11)
        x, unit = x + step, unit + 1
        for i in range(length):
            f.cell(x, y, i, kinds[s % 3], step - 4, 30, 11)
            x, unit = x + step, unit + 1
    ranges = 4
    for r in range(ranges):
        first, last = left + 6 * r * step, left + min(6 * (r + 1), unit) * step
        f.line(first - 2, y - 18, first - 2, y + 96, HOT, 1.2, '4 3')
        f.brace(first, last - 4, y + 38)
        f.text((first + last) / 2, y + 62, f'warp {r}', 12, 'middle', HOT)
    f.text(left, 176, 'segments 0, 1 and 2', 12)
    f.text(left + 6 * step, 176, 'the first chunk of 3', 12)
    f.text(left + 12 * step, 176, 'the second chunk of 3', 12)
    f.text(left + 18 * step, 176, 'segments 4, 5 and 6', 12)
    f.arrow(left + 8.5 * step, 186, left + 8.5 * step, 222)
    f.arrow(left + 14.5 * step, 186, left + 14.5 * step, 222)
    f.cell(left + 6 * step, 224, 'sum of chunk 0', 'new', 5 * step, 28, 11)
    f.cell(left + 12 * step, 224, 'result of 3', 'out', 5 * step, 28, 11)
    f.arrow(left + 11 * step, 238, left + 12 * step - 4, 238, hot=True)
    f.text(left, 282, 'A drawing with ranges of 6 units and chunks of 6 items; real ones have up to thousands.', 12,
           color=GREY)
    f.text(left, 300, 'Chunks are counted from where their segment starts.', 12, color=GREY)
    f.save()


FIGURES = [segmented]
