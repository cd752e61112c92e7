"""The figure of transform.md."""
from draw import GREY, HOT, KINDS, Figure


def transform():
    f = Figure('transform', 800, 330, 'units lie as the vectors of out do; those of in are read in pairs and shifted')
    left, item, items, head = 90, 34, 14, 3  # in out, three items come before the first vector
    unit_of = lambda i: (i - head) // 4 if head <= i < items - (items - head) % 4 else None
    kinds = ['in', 'new']

    def strip(y, name, shift):
        """The array from its item 0 on, `shift` items behind a vector; dashed: the vectors."""
        f.text(left - 20, y + 20, name, 13, 'end', GREY, mono=True)
        for v in range(5):
            f.cell(left + 4 * v * item, y - 4, '', 'none', 4 * item, 38)
        for i in range(items):
            unit = unit_of(i)
            fill, outline = KINDS['same' if unit is None else kinds[unit % 2]]
            x = left + (i + shift) * item
            f.body.append(f'<rect x="{x + 2:g}" y="{y:g}" width="{item - 4:g}" height="30" rx="3" fill="{fill}" '
                          f'stroke="{outline}" stroke-width="1.2"/>')
            f.text(x + item / 2, y + 20, i, 13, 'middle')

    f.text(left, 26, 'addresses that are multiples of 16', 12, color=GREY)
    strip(44, 'in', 3)
    strip(226, 'out', 1)
    for unit in range(2):
        first = left + (3 + head + 4 * unit) * item  # of the unit, in `in`
        vector = left + (4 + 4 * unit) * item
        x = left + (4 + 4 * unit) * item  # in `out`
        f.brace(vector + 4, vector + 8 * item - 4, 84 + 26 * unit)
        f.arrow((first + x) / 2 + 3 * item, 92 + 26 * unit, x + 2 * item, 160, hot=True)
        f.cell(x, 162, f'thread {unit}', kinds[unit], 4 * item - 8, 26, 12)
        f.arrow(x + 2 * item - 4, 190, x + 2 * item - 4, 218)
    f.text(20, 104, 'two vectors', 12, color=HOT)
    f.text(20, 120, 'for a unit', 12, color=HOT)
    f.text(20, 179, 'shifted', 12, color=GREY)
    f.text(left, 294, 'Items of 4 bytes. Colours: units, which a thread reads, maps and writes at a time.', 12, color=GREY)
    f.text(left, 312, 'Grey: items before the first vector of out and behind the last unit, which go one by one.', 12,
           color=GREY)
    f.save()


FIGURES = [transform]
