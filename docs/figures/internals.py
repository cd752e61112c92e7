"""The figures of internals.md."""
from draw import GREY, HOT, Figure


def internals_layers():
    f = Figure('internals-layers', 800, 452, 'the layers: each includes only those below it')
    layers = [
        ('scan.cuh, radix_sort.cuh, …', 'banner; check arguments, carve the workspace, launch', 'out'),
        ('core/scan/, core/radix/, …', 'the kernels of one primitive, and its tuning constants', 'out'),
        ('core/tile/', 'copies, the shape of a tile, tickets, tile states, look-back, the pipeline', 'new'),
        ('block/', 'scan, reduction, exchange and sort of a block', 'new'),
        ('warp/', 'scan and reduction of a warp', 'new'),
        ('core/instance/', 'parameters, names; operator, order and predicate, folds of a warp', 'in'),
        ('core/backend/', 'launch, errors, workspace, special instructions; cpu/: the CPU backend', 'in'),
    ]
    y = 24
    for name, what, kind in layers:
        f.cell(24, y, '', kind, 560, 44)
        f.text(38, y + 19, name, 13, bold=True)
        f.text(38, y + 36, what, 12, color=GREY)
        y += 54
    f.arrow(12, 30, 12, y - 14)
    f.box(608, 24, 168, 98, fill='#fafbfc')
    f.text(622, 46, 'classic/', 13, bold=True)
    f.text(622, 66, 'the textbook rungs,', 12, color=GREY)
    f.text(622, 82, 'and what only they use;', 12, color=GREY)
    f.text(622, 98, 'same layers below', 12, color=GREY)
    f.box(608, 186, 168, 98, fill='#fafbfc')
    f.text(622, 208, 'host/', 13, bold=True)
    f.text(622, 228, 'plain C on the CPU:', 12, color=GREY)
    f.text(622, 244, 'references, and the CPU', 12, color=GREY)
    f.text(622, 260, 'side of the hybrid sort', 12, color=GREY)
    f.text(24, 426, 'gpuprims.h is the backend and the ready operators, and no instance. Every header includes it first.', 12,
           color=GREY)
    f.save()


def internals_pipeline():
    f = Figure('internals-pipeline', 800, 366, 'the states of a stage, and the warps that take it from one to the next')
    left = 176
    full, summed, ready, empty = left + 130, left + 284, left + 438, left + 582
    for x, name in ((left, 'empty'), (full, 'full'), (summed, 'summed'), (ready, 'ready'), (empty, 'empty')):
        f.text(x, 30, name, 13, 'middle', HOT)
        f.line(x, 40, x, 296, HOT, 1.2, '3 3')

    def warps(y, who, note):
        f.text(20, y + 15, who, 13, bold=True)
        f.text(20, y + 31, note, 12, color=GREY)

    def work(y, x1, x2, name, kind, note=''):
        f.cell(x1 + 5, y, '', kind, x2 - x1 - 10, 38)
        f.text((x1 + x2) / 2, y + (16 if note else 23), name, 12, 'middle', mono=True)
        f.text((x1 + x2) / 2, y + 31, note, 11, 'middle', GREY)

    warps(50, '1 load warp', 'takes a tile')
    work(50, left, full, 'stage_copy', 'in', 'bulk copies')
    warps(100, 'sum warps', 'a share of the warp tiles')
    work(100, full, summed, 'sum_warp_tile', 'new')
    warps(150, '1 publish warp', 'sums up the tile')
    work(150, summed, ready, 'publish_tile', 'new', 'of look_back.cuh')
    warps(200, 'look-back warps', 'a group of tiles each')
    work(200, full, ready, 'sum_group, add', 'new', 'the aggregates of all tiles before')
    warps(250, 'write warps', 'a warp tile each')
    work(250, summed, summed + 120, 'take_warp_tile', 'out', 'to registers')
    work(250, ready, empty, 'put_warp_tile', 'out', 'bulk copies')
    f.arrow(summed + 117, 269, ready + 3, 269)
    f.text(20, 328, 'Dashed: the state of a stage, which is an mbarrier. A bar begins when its state has come, and all that end '
           'at one', 12, color=GREY)
    f.text(20, 345, 'bring it about: a stage is ready when it is published and the tiles before are known.', 12, color=GREY)
    f.save()


FIGURES = [internals_layers, internals_pipeline]
