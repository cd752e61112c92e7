"""The figures of top-k.md."""
from draw import GREY, HOT, Figure


def top_k():
    f = Figure('top-k', 800, 372,
               'a sample bounds what may be among the k best; what is within the bound is selected from')
    keys = [41, 7, 68, 25, 90, 12, 57, 33, 3, 76, 18, 62]
    sampled = {1, 3, 6, 9}
    left, step, bound = 150, 52, 25
    f.text(20, 56, 'items', bold=True)
    f.text(20, 74, 'a sample of them', 12, color=GREY)
    for i, key in enumerate(keys):
        f.cell(left + i * step, 38, key, 'new' if i in sampled else 'in')
        f.text(left + i * step + 22, 84, i, 11, 'middle', GREY)
    f.text(20, 136, '1. sample', bold=True)
    f.text(20, 154, 'in order', 12, color=GREY)
    for j, i in enumerate(sorted(sampled, key=lambda i: keys[i])):
        f.cell(left + j * step, 118, keys[i], 'new')
    f.text(left + step + 22, 166, 'the bound', 12, 'middle', HOT)
    f.text(left + 4 * step + 10, 138, 'the second of the sample: k = 3 and a few more are', 12, color=GREY)
    f.text(left + 4 * step + 10, 154, 'likely to be within it, and little else', 12, color=GREY)
    f.text(20, 214, '2. stream', bold=True)
    f.text(20, 232, 'in shared memory', 12, color=GREY)
    within = [i for i, key in enumerate(keys) if key <= bound]
    for j, i in enumerate(within):
        f.cell(left + j * step, 196, keys[i], 'same')
        f.text(left + j * step + 22, 242, i, 11, 'middle', GREY)
    f.text(left + 6 * step, 216, 'key and place: all are different', 12, color=GREY)
    f.text(20, 296, '3. select', bold=True)
    f.text(20, 314, 'in order', 12, color=GREY)
    for j, i in enumerate(sorted(within, key=lambda i: keys[i])[:3]):
        f.cell(left + j * step, 278, keys[i], 'out')
        f.text(left + j * step + 22, 324, i, 11, 'middle', GREY)
    f.text(left + 6 * step, 298, 'fewer than k: again, without a bound', 12, color=GREY)
    f.text(20, 356, 'Each block does this with a part of the items, and another launch with the lists that they leave.',
           12, color=GREY)
    f.save()


FIGURES = [top_k]
