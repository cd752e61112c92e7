"""The figures of internals.md."""
from draw import GREY, Figure


def internals_layers():
    f = Figure('internals-layers', 800, 452, 'the layers: each includes only those below it')
    layers = [
        ('scan.cuh, radix_sort.cuh, …', 'banner; check arguments, carve the workspace, launch', 'out'),
        ('core/scan/, core/radix/, …', 'the kernels of one primitive, and its tuning constants', 'out'),
        ('core/tile/', 'copies, the shape of a tile, tickets and epochs, tile states', 'new'),
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


FIGURES = [internals_layers]
