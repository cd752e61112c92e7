"""The figures of run-length.md."""
from draw import GREY, HOT, Figure, mid

ITEMS = [7, 7, 7, 2, 5, 5, 7]


def run_length():
    f = Figure('run-length', 664, 366, 'what run_length_encode, run_offsets and unique write, and run_length_decode reads')
    left = 220
    heads = [i for i in range(len(ITEMS)) if i == 0 or ITEMS[i] != ITEMS[i - 1]]
    number = [sum(head <= i for head in heads) for i in range(len(ITEMS))]
    colours = ['in' if run % 2 else 'new' for run in number]
    kinds = [colours[i] for i in heads]
    ends = heads[1:] + [len(ITEMS)]
    f.text(20, 42, 'in', bold=True, mono=True)
    f.row(left, 22, ITEMS, colours)
    for i in heads:
        f.arrow(mid(left, i), 8, mid(left, i), 20, hot=True)
    f.text(left + 7 * 48 + 8, 20, 'heads', 12, color=HOT)
    for y, name, out, kind, what in (
            (84, 'run_length_encode', [ITEMS[i] for i in heads], kinds, 'values'),
            (120, '', [end - i for i, end in zip(heads, ends)], kinds, 'lengths'),
            (178, 'run_offsets', heads + [len(ITEMS)], kinds + ['same'], 'offsets'),
            (228, 'unique', [ITEMS[i] for i in heads], kinds, 'out'),
            (318, 'run_length_decode', ITEMS, colours, '')):
        f.text(20, y + 20, name, 13, bold=True, mono=True)
        f.row(left, y, out, kind)
        f.text(left + len(out) * 48 + 8, y + 20, what, 12, color=GREY, mono=True)
    f.text(left + 4 * 48 + 90, 122, '*d_count = 4', 12, color=GREY)
    f.text(left, 292, 'from values 7 2 5 7 and lengths 3 1 2 1; *d_count = 7', 12, color=GREY)
    f.text(left + 5 * 48 + 76, 198, 'n behind the last', 12, color=GREY)
    f.save()


def run_length_list():
    """A warp tile of two items a lane: bits, a list of places, and what lanes write of it."""
    f = Figure('run-length-list', 800, 300, 'the heads of a warp tile become a list, and lanes take its places in turn')
    items = [4, 4, 4, 9, 9, 9, 1, 1, 6, 6, 6, 6]
    left, step = 130, 48
    heads = [i for i in range(len(items)) if i and items[i] != items[i - 1]]
    f.text(20, 42, 'items', bold=True)
    f.cell(left - 6, 22, 4, 'none', 38)
    f.row(left + step, 22, items, ['in' if i // 2 % 2 else 'same' for i in range(len(items))])
    f.text(left + 12, 70, 'the one before', 11, 'middle', GREY)
    f.text(20, 106, 'bits of the lanes', bold=True)
    for lane in range(6):
        bits = ''.join('1' if i in heads else '0' for i in (2 * lane, 2 * lane + 1))
        f.cell(left + step + 2 * lane * step, 86, bits, 'new', 2 * step - 4)
        f.brace(left + step + 2 * lane * step + 4, left + step + 2 * lane * step + 2 * step - 8, 56)
    f.text(20, 176, 'list of places', bold=True)
    f.row(left + step, 156, heads, 'out')
    for k, i in enumerate(heads):
        f.arrow(mid(left + step, i // 2 * 2) + step / 2, 118, mid(left + step, k), 154)
    f.text(left + step + 3 * step + 10, 176, 'a lane takes every 32nd of them: as many lanes work as there are heads', 12, color=GREY)
    f.text(20, 236, 'written', bold=True)
    f.row(left + step, 216, ['…'] + [b - a for a, b in zip(heads, heads[1:])], 'out')
    f.text(left + step + 3 * step + 10, 236, 'lengths: places less the places before', 12, color=GREY)
    f.text(left + step, 278, 'The first run began in an earlier tile: its length is the place, and the items since the last '
           'head.', 12, color=GREY)
    f.save()


FIGURES = [run_length, run_length_list]
