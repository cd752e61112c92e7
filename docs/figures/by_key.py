"""The figures of by-key.md."""
from draw import GREY, HOT, Figure, mid

KEYS = [7, 7, 7, 2, 5, 5, 7]
ITEMS = [1, 5, 0, 1, 2, 0, 3]


def heads_of(keys):
    return [i == 0 or keys[i] != keys[i - 1] for i in range(len(keys))]


def by_key():
    f = Figure('by-key', 640, 330, 'what reduce_by_key, inclusive_scan_by_key and exclusive_scan_by_key write')
    left, heads = 220, heads_of(KEYS)
    inclusive, before, runs = [], [], []
    for head, item in zip(heads, ITEMS):
        before.append(0 if head else inclusive[-1])
        inclusive.append(before[-1] + item)
        runs[len(runs) - (not head):] = [inclusive[-1]]
    run = [sum(heads[:i + 1]) % 2 for i in range(len(KEYS))]
    colours = ['in' if r else 'new' for r in run]
    f.text(20, 42, 'keys', bold=True, mono=True)
    f.row(left, 22, KEYS, colours)
    f.text(20, 84, 'in', bold=True, mono=True)
    f.row(left, 64, ITEMS, colours)
    for i, head in enumerate(heads):
        if head:
            f.arrow(mid(left, i), 8, mid(left, i), 20, hot=True)
    f.text(left + 7 * 48 + 8, 20, 'heads', 12, color=HOT)
    kinds = [colours[i] for i, head in enumerate(heads) if head]
    for y, name, out, kind in (
            (128, 'reduce_by_key', [k for k, head in zip(KEYS, heads) if head], kinds),
            (164, '', runs, kinds),
            (226, 'inclusive_scan_by_key', inclusive, colours),
            (276, 'exclusive_scan_by_key', before, colours)):
        f.text(20, y + 20, name, 13, bold=True, mono=True)
        f.row(left, y, out, kind)
    f.text(left + 4 * 48 + 8, 148, 'keys_out', 12, color=GREY, mono=True)
    f.text(left + 4 * 48 + 8, 184, 'out', 12, color=GREY, mono=True)
    f.text(left + 4 * 48 + 84, 166, '*d_count = 4', 12, color=GREY)
    f.save()


def by_key_pairs():
    """Pairs of heads and the fold from the last head on, and how they combine."""
    f = Figure('by-key-pairs', 800, 306, 'tiles publish how many heads they have, and the fold from the last one on')
    tiles = [('7 7 7 2', '1 5 0 1', 2, '1'), ('2 2 2 2', '2 0 3 4', 0, '9'), ('2 5 5 5', '1 1 0 2', 1, '3'),
             ('5 5 9 9', '4 1 1 6', 1, '7')]
    totals = [None, (2, '1'), (2, '10'), (3, '3')]
    left, step, width = 150, 162, 132
    for y, text in ((54, 'keys'), (90, 'items'), (140, 'published')):
        f.text(20, y, text, bold=True)
    f.text(20, 157, 'heads, fold', 12, color=GREY)
    f.text(20, 228, 'all before', bold=True)
    f.text(20, 245, 'likewise', 12, color=GREY)
    for t, (keys, items, heads, fold) in enumerate(tiles):
        x = left + t * step
        f.text(x + width / 2, 24, f'tile {t}', 13, 'middle', bold=True)
        f.cell(x, 36, keys, 'in', width)
        f.cell(x, 72, items, 'in', width)
        f.cell(x, 126, f'{heads}, {fold}', 'new', width)
        f.arrow(x + width / 2, 104, x + width / 2, 124)
        if totals[t]:
            f.cell(x, 214, f'{totals[t][0]}, {totals[t][1]}', 'out', width)
            f.arrow(x - step + width / 2, 158, x + width / 2 - 8, 212, hot=heads > 0 or t < 3)
        if t > 1:
            f.arrow(x - step + width + 2, 229, x - 3, 229, hot=True)
    f.text(left + step, 274, '2 + 0 heads; 1 + 9 = 10, for tile 1 has no head', 12, color=GREY)
    f.text(left + step, 292, '2 + 1 = 3 heads; 3, from the head in tile 2 on', 12, color=GREY)
    f.save()


FIGURES = [by_key, by_key_pairs]
