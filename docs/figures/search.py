"""The figure of search.md."""
from draw import GREY, HOT, Figure


def search():
    f = Figure('search', 800, 392, 'a query goes from the table, by a node of each level, to the items')
    items = [1, 3, 4, 6, 9, 12, 15, 18, 21, 22, 25, 27, 30, 33, 36, 40]
    left, step, query = 150, 40, 23
    rows = [(1, 296, 'items', ''), (2, 206, 'level 0', 'in the L2'), (4, 116, 'level 1', 'in the L2'),
            (8, 40, 'the table', 'in shared memory')]
    f.text(left + 16 * step - 4, 24, f'the lower bound of {query}', 13, 'end', HOT, True)
    for stride, y, words, where in rows:
        f.text(20, y + 20, words, bold=True)
        f.text(20, y + 36, where, 12, color=GREY)
        for i in range(0, 16, stride):
            f.cell(left + i * step, y, items[i], 'new' if items[i] < query else 'same', step - 6)
    ends = [[i for i in range(0, 16, stride) if items[i] < query][-1] for stride, _, _, _ in rows]
    for k in range(3, 0, -1):
        stride, y, below = rows[k][0], rows[k][1], rows[k - 1][1]
        x = left + ends[k] * step
        f.arrow(x + 10, y + 32, x + 10, below - 4, hot=True)
        f.box(x - 5, below - 5, stride * step, 40, HOT, dash='4 3')
    place = ends[0] + 1
    f.arrow(left + place * step + 17, 352, left + place * step + 17, 332, hot=True)
    f.text(left + place * step + 17, 368, f'{place}', 14, 'middle', HOT, True)
    f.text(20, 384, 'A drawing with nodes of two entries; real ones have 32 bytes, and an entry of level 0 stands for '
           '32 bytes of items or more.', 12, color=GREY)
    f.save()


FIGURES = [search]
