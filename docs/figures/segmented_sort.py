"""The figures of segmented-sort.md."""
from draw import GREY, HOT, Figure


def tile():
    """A segment has as many bins as items; a key's bits, as a fraction, choose one."""
    f = Figure('segmented-sort', 860, 416, 'short segments are sorted together in shared memory')
    segments = [[6, 1, 7, 3], [2, 5], [4, 0, 1, 6, 4, 7, 2]]
    left, step, kinds = 150, 48, ['in', 'new', 'out']
    f.text(24, 58, 'keys, below 8', 12, color=GREY)
    f.text(24, 108, 'heads', 12, color=GREY)
    f.text(24, 178, 'share: key / 8', 12, color=GREY)
    f.text(24, 194, 'of the bins', 12, color=GREY)
    f.text(24, 248, 'bins', 12, color=GREY)
    f.text(24, 318, 'in order', 12, color=GREY)
    f.text(24, 334, 'within bins', 12, color=GREY)
    x = left
    for s, keys in enumerate(segments):
        bins = [key * len(keys) // 8 for key in keys]
        slots = sorted(range(len(keys)), key=lambda i: (bins[i], -i))
        for i, key in enumerate(keys):
            f.cell(x + i * step, 38, key, kinds[s], step - 6)
            f.text(x + i * step + 21, 108, 0 if i else 1, 12, 'middle', HOT if i == 0 else GREY)
            f.text(x + i * step + 21, 186, f'bin {bins[i]}', 12, 'middle')
            f.arrow(x + i * step + 21, 196, x + slots.index(i) * step + 21, 226)
        for slot, i in enumerate(slots):
            f.cell(x + slot * step, 230, keys[i], kinds[s], step - 6)
        for b in sorted(set(bins)):
            mine = [slot for slot, i in enumerate(slots) if bins[i] == b]
            f.brace(x + mine[0] * step, x + mine[-1] * step + step - 6, 264)
        for i, key in enumerate(sorted(keys)):
            f.cell(x + i * step, 306, key, kinds[s], step - 6)
        f.text(x + len(keys) * step / 2 - 3, 142, f'segment {s}: {len(keys)} bins', 12, 'middle')
        x += len(keys) * step + 10
    f.text(24, 372, 'A bin of random keys has one key on average. Keys that are equal keep the order of their positions.', 12,
           color=GREY)
    f.text(24, 392, 'A bin with more than twelve is parted by the bits that follow, or by positions where its keys are equal.', 12,
           color=GREY)
    f.save()


def ways():
    """By their lengths segments go one of three ways."""
    f = Figure('segmented-sort-ways', 860, 330, 'the ways of segments, by length')
    left, y = 30, 46
    f.text(left, 30, 'segments, and ranges that are blocks', 12, color=GREY)
    x = left
    for width, kind, text in ((40, 'in', ''), (18, 'new', ''), (60, 'in', ''), (30, 'new', ''), (330, 'out', 'long'),
                              (50, 'new', ''), (24, 'in', ''), (200, 'out', 'long'), (40, 'new', '')):
        f.cell(x, y, text, kind, width - 3)
        x += width
    for r in range(8):
        f.line(left - 2 + r * 113, y - 8, left - 2 + r * 113, y + 38, HOT, 1.2, '4 3')
    f.arrow(left + 70, 84, left + 70, 216)
    f.text(left + 80, 150, 'short', 12)
    f.arrow(left + 320, 84, left + 320, 106)
    f.arrow(left + 680, 84, left + 680, 106)
    f.cell(left + 180, 110, 'count digits; is any bucket too large?', 'same', 560, 28, 12)
    f.arrow(left + 320, 142, left + 320, 162)
    f.arrow(left + 620, 142, left + 620, 162)
    f.text(left + 330, 156, 'no', 12, color=HOT)
    f.text(left + 630, 156, 'yes', 12, color=HOT)
    f.cell(left + 180, 166, 'one pass by the topmost digit: buckets', 'same', 290, 28, 12)
    f.cell(left + 490, 166, 'a pass by each digit', 'same', 250, 28, 12)
    f.arrow(left + 320, 198, left + 320, 216)
    f.arrow(left + 620, 198, left + 620, 270)
    f.cell(left, 220, 'blocks sort tiles of short segments, and of buckets, in shared memory', 'same', 470, 28, 12)
    f.arrow(left + 240, 252, left + 240, 270)
    f.cell(left, 274, 'output', 'out', 740, 28, 12)
    f.save()


FIGURES = [tile, ways]
