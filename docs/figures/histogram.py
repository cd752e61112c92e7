"""The figure of histogram.md."""
from draw import GREY, HOT, Figure


def histogram():
    f = Figure('histogram', 800, 300, 'each lane counts in a copy of its own, in a bank of its own; then copies are added up')
    left, width, lanes = 130, 70, 8
    values = [2, 0, 2, 2, 1, 2, 0, 2]
    f.text(left - 20, 50, 'items', 13, 'end', GREY)
    f.text(left - 20, 30, 'lane', 12, 'end', GREY)
    for lane, value in enumerate(values):
        x = left + lane * width
        f.text(x + width / 2, 30, lane if lane < lanes - 1 else 31, 12, 'middle', GREY)
        f.cell(x + 4, 36, value, 'in', width - 8, 24, 13)
    for bin_ in range(3):
        y = 92 + bin_ * 36
        f.text(left - 20, y + 17, f'bin {bin_}', 13, 'end', GREY)
        for lane, value in enumerate(values):
            hit = value == bin_
            f.cell(left + lane * width + 4, y, '+ 1' if hit else '', 'new' if hit else 'same', width - 8, 26, 13)
        f.arrow(left + lanes * width + 2, y + 13, left + lanes * width + 34, y + 13)
        f.cell(left + lanes * width + 36, y, values.count(bin_), 'out', 46, 26, 13)
    for lane in range(lanes):
        x = left + lane * width + width / 2
        f.arrow(x, 64, x, 88, hot=True)
    f.text(left, 222, 'a column: the copies of one lane, in one bank of shared memory', 12, color=HOT)
    f.text(left + lanes * width + 59, 222, 'sums', 12, 'middle', GREY)
    f.text(left, 250, 'Lanes never meet in a bank, whatever the items are. In the end the copies of each bin are added up,', 12,
           color=GREY)
    f.text(left, 268, 'and each block adds its sums to the counts.', 12, color=GREY)
    f.save()


FIGURES = [histogram]
