#!/usr/bin/env python3
"""Draws the figures of the documentation as SVG.

A new page brings its figures in a file of its own beside this one: functions, in a list FIGURES, that draw with what
they import from here.
"""

import argparse
import csv
import math
import os
import pathlib
import runpy

PARSER = argparse.ArgumentParser(description=__doc__.split('\n')[0])
PARSER.add_argument('folder', nargs='?', default=os.path.dirname(os.path.abspath(__file__)),
                    help='where to; by default where this file is')
FOLDER = PARSER.parse_args().folder

INK, GREY, LINE = '#1f2933', '#5f6b7a', '#8a96a3'
KINDS = {  # of a cell: fill, outline
    'in': ('#dbeafe', '#3b82f6'),
    'new': ('#ffedd5', '#ea7317'),
    'out': ('#d9f5e3', '#1f9d55'),
    'same': ('#f3f5f7', '#a9b4bf'),
    'none': ('#ffffff', '#a9b4bf'),
}
HOT = '#c2570c'
W, H = 44, 30  # of a cell


class Figure:
    def __init__(self, name, width, height, title):
        self.name, self.width, self.height, self.title, self.body = name, width, height, title, []

    def text(self, x, y, text, size=13, anchor='start', color=INK, bold=False, mono=False):
        text = str(text).replace('&', '&amp;').replace('<', '&lt;')
        self.body.append(
            f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}" fill="{color}"'
            + (' font-weight="600"' if bold else '') + (' class="m"' if mono else '') + f'>{text}</text>')

    def cell(self, x, y, text='', kind='same', width=W, height=H, size=14):
        fill, outline = KINDS[kind]
        dash = ' stroke-dasharray="3 3"' if kind == 'none' else ''
        self.body.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="4" fill="{fill}" '
            f'stroke="{outline}" stroke-width="1.2"{dash}/>')
        if text != '':
            self.text(x + width / 2, y + height / 2 + size * 0.36, text, size, 'middle')

    def row(self, x, y, texts, kinds, step=W + 4, width=W):
        if isinstance(kinds, str):
            kinds = [kinds] * len(texts)
        for i, text in enumerate(texts):
            self.cell(x + i * step, y, text, kinds[i], width)

    def line(self, x1, y1, x2, y2, color=LINE, width=1.3, dash=''):
        self.body.append(f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{color}" '
                         f'stroke-width="{width}"' + (f' stroke-dasharray="{dash}"' if dash else '') + '/>')

    def arrow(self, x1, y1, x2, y2, hot=False, dash=''):
        color, mark = (HOT, 'h') if hot else (LINE, 'a')
        self.body.append(f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{color}" '
                         f'stroke-width="1.4" marker-end="url(#{mark})"'
                         + (f' stroke-dasharray="{dash}"' if dash else '') + '/>')

    def curve(self, x1, y1, x2, y2, bend, hot=False):
        color, mark = (HOT, 'h') if hot else (LINE, 'a')
        self.body.append(f'<path d="M{x1:g} {y1:g} C{x1:g} {y1 + bend:g} {x2:g} {y2 + bend:g} {x2:g} {y2:g}" '
                         f'fill="none" stroke="{color}" stroke-width="1.4" marker-end="url(#{mark})"/>')

    def brace(self, x1, x2, y, text='', color=GREY):
        """A bracket below a row."""
        self.body.append(f'<path d="M{x1:g} {y:g} v6 H{x2:g} v-6" fill="none" stroke="{color}" stroke-width="1.2"/>')
        if text:
            self.text((x1 + x2) / 2, y + 21, text, 12, 'middle', color)

    def box(self, x, y, width, height, color=LINE, fill='none', dash=''):
        self.body.append(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="8" fill="{fill}" '
                         f'stroke="{color}" stroke-width="1.2"' + (f' stroke-dasharray="{dash}"' if dash else '') + '/>')

    def save(self):
        def marker(name, color):
            return (f'<marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6.5" markerHeight="6.5" '
                    f'orient="auto"><path d="M0 0.6 L7.4 4 L0 7.4 z" fill="{color}"/></marker>')
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
            f'width="{self.width}" height="{self.height}" role="img">\n<title>{self.title}</title>\n'
            '<style>text{font-family:system-ui,-apple-system,"Segoe UI",Helvetica,Arial,"DejaVu Sans",sans-serif}'
            '.m{font-family:ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace}</style>\n'
            f'<defs>{marker("a", LINE)}{marker("h", HOT)}</defs>\n'
            f'<rect width="{self.width}" height="{self.height}" rx="6" fill="#ffffff"/>\n')
        with open(os.path.join(FOLDER, self.name + '.svg'), 'w', encoding='utf-8', newline='\n') as file:
            file.write(head + '\n'.join(self.body) + '\n</svg>\n')


def mid(x, i, step=W + 4, width=W):
    return x + i * step + width / 2


def exclusive(values, first='–'):
    out, total = [], 0
    for value in values:
        out.append(total)
        total += value
    out[0] = first
    return out


def inclusive(values):
    out, total = [], 0
    for value in values:
        total += value
        out.append(total)
    return out


# ---- tiles: scan, reduce, block scan -------------------------------------------------------------------

TILES = [[1, 5, 0, 1], [2, 0, 3, 4], [1, 1, 0, 2]]


def tile_x(left, t, items=4, gap=24):
    return left + t * (items * (W + 4) + gap)


def scan():
    f = Figure('scan', 800, 372, 'a scan in one pass: fold each tile, publish it, fold the tiles before, scan the tile')
    left, sums = 168, [sum(tile) for tile in TILES]
    before = exclusive(sums)
    f.text(20, 50, 'input', bold=True)
    f.text(20, 68, 'read once', 12, color=GREY)
    f.text(20, 122, '1. fold the tile', bold=True)
    f.text(20, 140, '2. publish it', bold=True)
    f.text(20, 206, '3. fold the tiles', bold=True)
    f.text(20, 224, 'before it', bold=True)
    f.text(20, 304, '4. scan the tile', bold=True)
    f.text(20, 322, 'from there', 12, color=GREY)
    middles = [tile_x(left, t) + 2 * (W + 4) - 2 for t in range(3)]
    for t, (tile, middle) in enumerate(zip(TILES, middles)):
        x = tile_x(left, t)
        f.row(x, 36, tile, 'in')
        f.brace(x, x + 4 * (W + 4) - 4, 70)
        f.arrow(middle, 77, middle, 110)
        f.cell(middle - 28, 112, sums[t], 'new', 56)
        f.cell(middle - 28, 190, before[t], 'new' if t else 'none', 56)
        for b in range(t):
            f.arrow(middles[b] + 30, 133 - 4 * (t - b), middle - 31, 209 - 9 * (t - b), hot=True)
        f.row(x, 290, inclusive([(0 if t == 0 else before[t]) + tile[0]] + tile[1:]), 'out')
        f.arrow(middle, 222, middle, 287)
        f.curve(x + 16, 68, x + 16, 287, 0)
    f.text(left, 350, 'A drawing with tiles of four items; real ones hold thousands. An aggregate waits for no other tile.',
           12, color=GREY)
    f.save()


def scan_shape():
    f = Figure('scan-shape', 800, 384, 'thread items, warp tiles, tiles and groups of ints')
    left, right = 178, 178 + 32 * 18.5
    rows = ((34, 'group', '32 tiles', '896 KB'), (124, 'tile', '8 warp tiles', '28 KB'),
            (214, 'warp tile', '32 × 28 ints', '3.5 KB'), (304, 'thread items', '28 ints', '112 bytes'))
    for y, name, parts, size in rows:
        f.text(20, y + 14, name, 14, bold=True)
        f.text(20, y + 32, f'{parts}, {size}', 12, color=GREY)
        f.text(20, y + 48, {'tile': 'one for each warp', 'warp tile': 'the items of 32 lanes'}.get(name, ''), 12, color=GREY)

    def zoom(x1, x2, y):
        f.line(x1, y, left, y + 58, dash='3 3')
        f.line(x2, y, right, y + 58, dash='3 3')

    for i in range(32):
        f.cell(left + i * 18.5, 34, i if i % 4 == 0 or i == 10 else '', 'new' if i == 10 else 'same', 16.5, size=10)
    f.text(right + 4, 54, '…', 16)
    zoom(left + 10 * 18.5, left + 11 * 18.5 - 2, 66)
    for i in range(8):
        f.cell(left + i * 74, 124, f'warp {i}', 'new' if i == 2 else 'same', 70, size=12)
    zoom(left + 148, left + 218, 156)
    for i in range(32):
        f.cell(left + i * 18.5, 214, i if i % 4 == 0 or i == 22 else '', 'new' if i == 22 else 'same', 16.5, size=10)
    zoom(left + 22 * 18.5, left + 23 * 18.5 - 2, 246)
    for i in range(28):
        f.cell(left + i * 20.6 + i // 4 * 2.4, 304, '', 'in', 18.6)
    for v in range(7):
        x = left + v * (4 * 20.6 + 2.4)
        f.brace(x, x + 80.4, 338, '16 bytes' if v in (0, 6) else '')
    f.save()


def scan_tile_states():
    f = Figure('scan-tile-states', 800, 372, 'tile states: a tile folds the aggregates of all tiles before it, group by group')
    left, step, width, top = 40, 60, 52, 62
    words = [(7, 3), (7, 5), (7, 4), (7, 1), (7, 2), (7, 6), (7, 1), (6, 8), (7, 4), (7, 2), (7, 5), (6, 9)]
    f.text(left, 24, 'The tile states, in launch 7: epoch and aggregate of each tile', bold=True)
    for t, (epoch, aggregate) in enumerate(words):
        x = left + t * step + t // 4 * 12
        f.text(x + width / 2, top - 12, f'tile {t}', 12, 'middle', GREY)
        there = epoch == 7
        f.cell(x, top, epoch, 'same' if there else 'none', width, 24, 12)
        f.cell(x, top + 26, aggregate, ('in' if t == 10 else 'new') if there else 'none', width, 28)

    def group_x(g):
        return left + g * (4 * step + 12)

    parts = []
    for g, (count, title, note, value) in enumerate((
            (4, 'group 0', 'kept: the block added it up', '13'), (4, 'group 1', 'look-back warp 0, a lane each', '2 6 1 ?'),
            (2, 'group 2, in part', 'look-back warp 1', '6'))):
        x1 = group_x(g)
        x2 = x1 + (count - 1) * step + width
        f.brace(x1, x2, 122)
        f.text((x1 + x2) / 2, 148, title, 13, 'middle', bold=True)
        f.text((x1 + x2) / 2, 165, note, 12, 'middle', GREY)
        middle = (x1 + x2) / 2
        f.arrow(middle, 174, middle, 202)
        f.cell(middle - 40, 204, value, 'new' if g != 1 else 'none', 80)
        parts.append(middle)
    f.text(parts[1], 252, 'tile 7 still shows epoch 6: polled again', 12, 'middle', HOT)
    for a, b in zip(parts, parts[1:]):
        f.text((a + b) / 2, 225, '∘', 18, 'middle')
    end = group_x(2) + 2 * step + width / 2
    f.arrow(parts[2] + 42, 219, end - 2, 219)
    f.text(end + 4, 223, 'before tile 10', 13, bold=True)
    f.text(group_x(2) + 3 * step + width / 2, 136, 'left from', 11, 'middle', GREY)
    f.text(group_x(2) + 3 * step + width / 2, 150, 'launch 6', 11, 'middle', GREY)
    f.text(end, 136, 'published', 11, 'middle', GREY)
    f.text(end, 150, 'already', 11, 'middle', GREY)
    f.text(left, 292, 'The block of tile 10 has added up group 0 for an earlier tile of its own. It folds group 1 and what '
           'comes before', 13)
    f.text(left, 312, 'tile 10 in group 2. Tile 10 itself is published already: that did not have to wait.', 13)
    f.text(left, 350, 'A drawing with groups of four tiles; real ones have 32, one for each lane of a warp.', 12,
           color=GREY)
    f.save()


def scan_stages():
    f = Figure('scan-stages', 800, 462, 'the pipelined kernel: the warps of a block, its stages, and how they meet')
    left, step, width, top = 28, 108, 100, 170
    stages = [('tile 24', 'storing', 'out'), ('tile 159', 'scanning', 'out'), ('tile 288', 'ready', 'new'),
              ('tile 419', 'summed', 'new'), ('tile 553', 'full', 'new'), ('tile 683', 'loading', 'in'),
              ('tile 816', 'loading', 'in')]
    f.box(14, 76, 772, 262, fill='#fafbfc')
    f.text(26, 96, 'a block, alone on its multiprocessor', 12, color=GREY)
    for s, (tile, state, kind) in enumerate(stages):
        x = left + s * step
        f.cell(x, top, '', kind, width, 56)
        f.text(x + width / 2, top + 24, tile, 13, 'middle')
        f.text(x + width / 2, top + 43, state, 12, 'middle', GREY)
        f.text(x + width / 2, top + 74, f'stage {s}', 11, 'middle', GREY)

    f.cell(left + 40, 112, '8 write warps', 'same', step + width - 40, 28, 12)
    f.cell(left + 3 * step, 112, '1 publish warp', 'same', width, 28, 12)
    f.cell(left + 4 * step, 112, '8 sum warps', 'same', width, 28, 12)
    f.cell(left + 5 * step + 34, 112, '1 load warp', 'same', step + width - 68, 28, 12)
    f.cell(left + 3 * step, 282, '6 look-back warps', 'same', step + width, 28, 12)
    for x in (1, 3, 4):
        f.arrow(left + x * step + width / 2, 141, left + x * step + width / 2, 168)
    for x in (5 * step + 60, 6 * step + 40):
        f.arrow(left + x, 141, left + x, 168)
    for x in (3, 4):
        f.arrow(left + x * step + width / 2, 281, left + x * step + width / 2, 250)
    f.text(left + 5 * step + 4, 300, 'fold what comes before a tile', 12, color=GREY)
    f.cell(left, 24, 'out', 'out', step + width, 28, 13)
    f.cell(left + 5 * step, 24, 'in', 'in', step + width, 28, 13)
    f.cell(left + 2 * step, 24, 'tile states', 'new', 2 * step + width, 28, 13)
    f.body.append(f'<path d="M{left + 20} 168 V54" fill="none" stroke="{HOT}" stroke-width="1.4" '
                  'marker-end="url(#h)"/>')
    f.text(left + 27, 68, 'bulk copies', 12, color=HOT)
    for x in (5 * step + 18, 6 * step + width - 18):
        f.arrow(left + x, 53, left + x, 168, hot=True)
    f.text(left + 5 * step + 26, 68, 'bulk copies', 12, color=HOT)
    f.arrow(left + 3 * step + width / 2, 111, left + 3 * step + width / 2, 54)
    f.text(left + 3 * step + width / 2 + 7, 92, 'publish', 12, color=GREY)
    f.body.append(f'<path d="M{left + 3 * step - 40} 53 V{160} H{left + 3 * step - 4} V{296} H{left + 3 * step - 2}" '
                  f'fill="none" stroke="{LINE}" stroke-width="1.4" marker-end="url(#a)"/>')
    f.text(left + 3 * step - 33, 92, 'poll', 12, color=GREY)
    y, chips = 362, (('empty', 'load', 'in'), ('full', 'sum', 'new'), ('summed', 'publish', 'new'), ('ready', 'write', 'out'))
    f.text(28, y + 20, 'A stage:', bold=True)
    x = 100
    for name, who, kind in chips:
        f.cell(x, y, name, 'none', 62, 30, 13)
        f.arrow(x + 64, y + 15, x + 80, y + 15)
        f.cell(x + 82, y, who, kind, 58, 30, 13)
        f.arrow(x + 142, y + 15, x + 158, y + 15)
        x += 160
    f.cell(x, y, 'empty', 'none', 46, 30, 13)
    f.cell(342, y + 36, 'look back', 'new', 218, 22, 13)  # from full to ready
    f.body.append(f'<path d="M291 {y + 31} V{y + 47} H339" fill="none" stroke="{LINE}" stroke-width="1.4" '
                  'marker-end="url(#a)"/>')
    f.body.append(f'<path d="M561 {y + 47} H611 V{y + 33}" fill="none" stroke="{LINE}" stroke-width="1.4" '
                  'marker-end="url(#a)"/>')
    f.text(100, y + 84, 'Dashed: mbarriers. The write warps take their items into registers at summed, then wait for ready.',
           12, color=GREY)
    f.save()


def scan_pipeline():
    f = Figure('scan-pipeline', 800, 376, 'seven stages over time: each is loaded, summed up, waits, is scanned and stored')
    left, top, unit, height, shown = 92, 56, 49, 30, 14

    def bar(s, start, end, kind, text='', half=None):
        a, b = max(start, 0), min(end, shown)
        if b <= a:
            return
        y = top + s * 38 + (height / 2 if half == 1 else 0)
        fill, outline = KINDS[kind]
        h = height if half is None else height / 2
        f.body.append(f'<rect x="{left + a * unit:g}" y="{y:g}" width="{(b - a) * unit:g}" height="{h:g}" '
                      f'fill="{fill}" stroke="{outline}" stroke-width="1"/>')
        if text and b - a > max(0.7, 0.125 * len(text)):
            f.text(left + (a + b) / 2 * unit, y + h / 2 + 4, text, 11, 'middle')

    for s in range(7):
        f.text(20, top + s * 38 + 20, f'stage {s}', bold=True)
        for start in (s - 7, s, s + 7):
            bar(s, start, start + 2.2, 'in', 'load')
            bar(s, start + 2.2, start + 3.2, 'new', 'sum', 0)
            bar(s, start + 3.2, start + 3.5, 'new', '', 0)
            bar(s, start + 2.2, start + 4.6, 'same', 'look back', 1)
            bar(s, start + 4.6, start + 5.5, 'out', 'scan')
            bar(s, start + 5.5, start + 6.8, 'out', 'store')
    for at, name in ((2.2, 'full'), (3.2, 'summed'), (4.6, 'ready'), (6.8, 'empty')):
        x = left + at * unit
        f.line(x, top - 8, x, top + (height / 2 if name == 'summed' else height + 2), HOT, 1.6)
        f.text(x, top - 14, name, 12, 'middle', HOT)
    y = top + 7 * 38 + 8
    f.arrow(left, y, left + shown * unit, y)
    f.text(left + shown * unit, y + 20, 'time', 12, 'end', GREY)
    f.text(left, y + 20, 'A tile is published as soon as it is summed up.', 12, color=GREY)
    f.text(left, y + 38, 'At any time some tiles are loaded, some wait for their prefix, one is scanned, and some are stored.',
           12, color=GREY)
    f.save()


def scan_alignment():
    f = Figure('scan-alignment', 800, 470, 'a warp tile of any alignment on its way through shared memory and registers')
    left, unit, lanes = 170, 56, ['in', 'new', 'out']

    def strip(y, misalignment, vectors=(0, 11)):
        """16-byte vectors, and in them a warp tile of three lanes with two vectors each."""
        for v in range(*vectors):
            f.cell(left + v * unit, y, '', 'none', unit, 30)
        for lane in range(3):
            x = left + (misalignment + 2 * lane) * unit
            fill, outline = KINDS[lanes[lane]]
            f.body.append(f'<rect x="{x:g}" y="{y + 3:g}" width="{2 * unit:g}" height="24" fill="{fill}" '
                          f'stroke="{outline}" stroke-width="1.2"/>')
            f.text(x + unit, y + 20, f'items of lane {lane}', 12, 'middle')

    def label(y, title, note=''):
        f.text(20, y + 14, title, bold=True)
        f.text(20, y + 31, note, 12, color=GREY)

    f.text(left, 24, 'a 128-byte line', 12, color=GREY)
    f.line(left, 30, left, 406, GREY, 1.6)
    label(36, 'in', 'global memory')
    strip(36, 2.5)
    f.brace(left + 2 * unit, left + 9 * unit, 70, 'a bulk copy: whole vectors, a little of the neighbours too')
    for v in (3, 7.5):
        f.arrow(left + v * unit, 98, left + v * unit, 118)
    label(120, 'slot', 'same offset')
    strip(120, 2.5, (0, 11))
    label(206, 'registers', 'shifted into place')
    for lane in range(3):
        x = left + (2 + 2.6 * lane) * unit
        f.cell(x, 206, '', lanes[lane], unit, 30)
        f.cell(x + unit, 206, '', lanes[lane], unit, 30)
        f.text(x + unit, 254, f'lane {lane}', 11, 'middle', GREY)
        for v in range(3):
            f.arrow(left + (2.5 + 2 * lane + v) * unit, 151, x + (0.35 + 0.65 * v) * unit, 204, hot=v == 2)
        f.arrow(x + unit, 260, left + (2.25 + 2 * lane) * unit, 288)
    label(290, 'slot', 'as out lies')
    strip(290, 1.25)
    f.brace(left + 2 * unit, left + 7 * unit, 324, 'a bulk copy: whole vectors')
    f.text(left + 1.62 * unit, 344, 'bytes', 12, 'middle', HOT)
    f.text(left + 7.14 * unit, 344, 'bytes', 12, 'middle', HOT)
    for x in (1.62, 7.14):
        f.arrow(left + x * unit, 350, left + x * unit, 372, hot=True)
    f.arrow(left + 4.5 * unit, 350, left + 4.5 * unit, 372)
    label(374, 'out', 'global memory')
    strip(374, 1.25)
    f.text(left, 432, 'Dashed: vectors of 16 bytes. A drawing with three lanes of two vectors each, not 32 of seven.', 12, color=GREY)
    f.text(left, 452, 'Orange: the extra vector that a lane reads when its items do not start with a vector.', 12, color=GREY)
    f.save()


def reduce():
    f = Figure('reduce', 800, 262, 'reduce: fold each tile to an aggregate, then fold the aggregates')
    left, sums = 168, [sum(tile) for tile in TILES]
    f.text(20, 50, 'input', bold=True)
    f.text(20, 68, 'one block per tile', 12, color=GREY)
    f.text(20, 128, '1. fold', bold=True)
    f.text(20, 146, 'an aggregate per tile', 12, color=GREY)
    f.text(20, 216, '2. fold', bold=True)
    f.text(20, 234, 'one block', 12, color=GREY)
    end = tile_x(left, 1) + 2 * (W + 4) - 2
    for t, tile in enumerate(TILES):
        x = tile_x(left, t)
        middle = x + 2 * (W + 4) - 2
        f.row(x, 36, tile, 'in')
        f.brace(x, x + 4 * (W + 4) - 4, 70)
        f.arrow(middle, 77, middle, 110)
        f.cell(middle - 28, 112, sums[t], 'new', 56)
        f.arrow(middle, 144, end + (t - 1) * 20, 198)
    f.cell(end - 34, 200, sum(sums), 'out', 68)
    f.save()


def block_scan():
    f = Figure('block-scan', 800, 400, 'block scan: scan each warp, fold the totals of the warps before, combine')
    left = 168
    totals = [sum(tile) for tile in TILES]
    before = exclusive(totals)
    for y, title, note in ((50, 'x', 'one value a thread'), (128, '1. scan the warp', 'shuffles, no memory'),
                           (206, '2. totals', 'one shared word a warp'), (276, '3. warps before', 'a left fold'),
                           (352, '4. result', 'one combine')):
        f.text(20, y, title, bold=True)
        f.text(20, y + 18, note, 12, color=GREY)
    for t, tile in enumerate(TILES):
        x = tile_x(left, t)
        last = mid(x, 3)
        f.text(x + 2 * (W + 4) - 2, 24, f'warp {t}', 12, 'middle', GREY)
        f.row(x, 36, tile, 'in')
        scanned = inclusive(tile)
        f.row(x, 114, scanned, 'new')
        for i in range(1, 4):
            f.arrow(mid(x, i - 1) + 10, 68, mid(x, i) - 12, 112, hot=True)
            f.arrow(mid(x, i), 68, mid(x, i), 112)
        f.arrow(mid(x, 0), 68, mid(x, 0), 112)
        f.arrow(last, 146, last, 190)
        f.cell(last - W / 2, 192, totals[t], 'new')
        f.cell(last - W / 2, 262, before[t], 'new' if t else 'none')
        if t:
            f.arrow(tile_x(left, t - 1) + 3 * (W + 4) + W / 2 + 24, 212, last - 24, 268, hot=True)
            if t > 1:
                f.arrow(tile_x(left, t - 1) + 3 * (W + 4) + W / 2 + 24, 278, last - 25, 278, hot=True)
        f.row(x, 338, [value + (before[t] if t else 0) for value in scanned], 'out')
        f.arrow(last, 294, last, 336)
    f.text(left, 390, 'A drawing with warps of four lanes.', 12, color=GREY)
    f.save()


def block_rake():
    f = Figure('block-rake', 800, 392, 'a block rakes: every thread stores, one warp folds, scans and goes over, every thread loads')
    left, sums = 168, [sum(tile) for tile in TILES]
    before = exclusive(sums)
    for y, title, note in ((50, '1. store', 'one value a thread'), (128, '2. fold', 'one lane each'),
                           (206, '3. scan', 'shuffles'), (288, '4. go over them', 'the same lanes'),
                           (352, '5. load', 'one result a thread')):
        f.text(20, y, title, bold=True)
        f.text(20, y + 18, note, 12, color=GREY)
    f.box(left - 12, 104, 640, 210, dash='4 4')
    f.text(left + 4, 250, 'the first warp', 12, color=GREY)
    for t, tile in enumerate(TILES):
        x = tile_x(left, t)
        middle = x + 2 * (W + 4) - 2
        f.row(x, 36, tile, 'in')
        f.brace(x, x + 4 * (W + 4) - 4, 70)
        f.arrow(middle, 77, middle, 112)
        f.cell(middle - 28, 114, sums[t], 'new', 56)
        f.text(middle - 38, 134, f'lane {t}', 12, 'end', GREY)
        f.cell(middle - 28, 192, before[t], 'new' if t else 'none', 56)
        if t:
            last = tile_x(left, t - 1) + 2 * (W + 4) - 2
            f.arrow(last + 30, 134, middle - 31, 199, hot=True)
            if t > 1:
                f.arrow(last + 30, 207, middle - 31, 207, hot=True)
        f.arrow(middle, 224, middle, 272)
        f.row(x, 274, inclusive([(0 if t == 0 else before[t]) + tile[0]] + tile[1:]), 'out')
        for i in range(4):
            f.arrow(mid(x, i), 306, mid(x, i), 346)
            f.text(mid(x, i), 360, f't{t * 4 + i}', 12, 'middle', GREY)
    f.text(left, 384, 'A drawing with a warp of three lanes and four threads for each.', 12, color=GREY)
    f.save()


def exchange():
    f = Figure('exchange', 660, 236, 'blocked and striped arrangement of twelve items over four threads')
    colors = ['in', 'new', 'out', 'same']
    f.text(20, 50, 'in memory', bold=True)
    f.row(110, 30, range(12), [colors[i // 3] for i in range(12)], 44, 40)
    for title, x, item in (('blocked', 110, lambda t, i: t * 3 + i), ('striped', 390, lambda t, i: i * 4 + t)):
        f.text(x + 66, 96, title, 13, 'middle', bold=True)
        for t in range(4):
            f.text(x - 10, 126 + t * 32, f'thread {t}', 12, 'end', GREY)
            f.row(x, 108 + t * 32, [item(t, i) for i in range(3)], [colors[item(t, i) // 3] for i in range(3)], 44, 40)
    f.arrow(262, 160, 318, 160)
    f.arrow(318, 184, 262, 184)
    f.save()


def node(f, x, y):
    f.body.append(f'<circle cx="{x:g}" cy="{y:g}" r="7" fill="#ffedd5" stroke="#ea7317" stroke-width="1.2"/>')


def fold_order():
    f = Figure('fold-order', 800, 420, 'the order of a reduction: vectors, lanes, warps, tiles')
    x0, step, lanes = 110, 40, 8
    f.text(16, 50, 'items', bold=True)
    f.text(16, 108, 'vectors', bold=True)
    f.text(16, 124, 'left to right', 12, color=GREY)
    f.text(16, 184, 'lanes', bold=True)
    f.text(16, 200, 'strides 1, 2, …', 12, color=GREY)
    f.text(16, 298, 'warps', bold=True)
    f.text(16, 314, 'strides 1, 2, …', 12, color=GREY)
    f.text(16, 372, 'tiles', bold=True)
    warps = []
    for w in range(2):
        left = x0 + w * (8 * step + 24)
        vectors = []
        for i in range(8):
            f.cell(left + i * step, 34, w * 8 + i, 'in', step - 4, 28, 12)
        for lane in range(4):
            a, b = left + 2 * lane * step + 18, left + (2 * lane + 1) * step + 18
            middle = (a + b) / 2
            f.line(a, 62, middle, 108)
            f.line(b, 62, middle, 108)
            node(f, middle, 108)
            f.text(middle + 11, 112, f'lane {lane}', 10, color=GREY)
            vectors.append(middle)
        pairs = []
        for p in range(2):
            f.line(vectors[2 * p], 115, vectors[2 * p], 170)
            f.line(vectors[2 * p + 1], 115, vectors[2 * p] + 5, 166, HOT)
            node(f, vectors[2 * p], 172)
            pairs.append(vectors[2 * p])
        f.line(pairs[0], 179, pairs[0], 226)
        f.line(pairs[1], 179, pairs[0] + 5, 222, HOT)
        node(f, pairs[0], 228)
        f.text(pairs[0] + 12, 238, 'the fold of the warp', 11, color=GREY)
        warps.append(pairs[0])
    f.line(warps[0], 235, warps[0], 288)
    f.line(warps[1], 235, warps[0] + 6, 286, HOT)
    node(f, warps[0], 290)
    f.text(warps[0] + 14, 306, 'the fold of the tile', 11, color=GREY)
    f.line(warps[0], 297, warps[0], 344)
    f.cell(warps[0] - 36, 346, 'tile 0', 'new', 72, 28, 12)
    for t in range(1, 5):
        f.cell(warps[0] - 36 + t * 100, 346, f'tile {t}', 'new', 72, 28, 12)
    f.text(warps[0] + 464, 366, '…', 16)
    f.brace(warps[0] - 36, warps[0] + 470, 380, 'groups of 32 by a tree, shares of groups left to right, the shares by a tree')
    f.save()


def scan_order():
    f = Figure('scan-order', 800, 560, 'the order of a scan: thread items, lanes, warp tiles, tiles, groups')
    x0, step = 130, 40
    for y, title, note in ((44, 'items', ''), (102, 'thread items', 'left to right'), (160, 'lanes', 'strides 1, 2, …'),
                           (268, 'warp tiles', 'strides 1, 2, …'), (340, 'tiles', 'of a group: a tree'),
                           (422, 'groups', 'left to right')):
        f.text(16, y, title, bold=True)
        f.text(16, y + 16, note, 12, color=GREY)
    ends = []
    for c in range(2):
        left = x0 + c * (8 * step + 16)
        lanes = [left + 2 * lane * step + 38 for lane in range(4)]
        for i in range(8):
            f.cell(left + i * step, 28, c * 8 + i, 'in', step - 4, 28, 12)
        for lane, x in enumerate(lanes):
            f.line(left + 2 * lane * step + 18, 56, x, 96)
            f.line(x + 20, 56, x, 96)
        for k, (y, stride) in enumerate(((100, 0), (152, 1), (204, 2))):
            for lane, x in enumerate(lanes):
                if k:
                    f.line(x, y - 45, x, y - 7)
                    if lane >= stride:
                        f.line(lanes[lane - stride] + 5, y - 47, x - 5, y - 5, HOT)
                node(f, x, y)
        ends.append(lanes[3])
        f.line(lanes[3], 211, lanes[3], 263)
        node(f, lanes[3], 270)
    f.line(ends[0] + 6, 207, ends[1] - 6, 266, HOT)
    f.text(ends[0] - 12, 274, 'warp tile 0', 11, 'end', GREY)
    f.text(ends[1] - 12, 290, 'warp tiles 0 and 1: the aggregate of the tile', 11, 'end', GREY)
    tile = [x0 + t * 56 + t // 4 * 18 for t in range(10)]
    for t, x in enumerate(tile):
        f.cell(x, 324, f'tile {t}', 'new', 50, 26, 11)
    groups = []
    for first, count in ((0, 4), (4, 4), (8, 2)):
        mids = [x + 25 for x in tile[first:first + count]]
        while len(mids) > 1:
            y = 364 if len(mids) == count else 392
            for a, b in zip(mids[::2], mids[1::2]):
                f.line(a, y - 14 if y == 364 else y - 21, a, y - 7)
                f.line(b, y - 14 if y == 364 else y - 21, a + 6, y - 3, HOT)
                node(f, a, y)
            mids = mids[::2]
        groups.append((mids[0], 392 if count == 4 else 364))
    f.cell(16, 452, 'init', 'in', 56, 28, 12)
    previous = 72
    for g, (x, y) in enumerate(groups):
        f.line(x, y + 7, x, 459)
        f.line(previous, 466, x - 7, 466)
        node(f, x, 466)
        previous = x + 7
    f.arrow(previous, 466, 690, 466)
    f.text(695, 470, 'before tile 10', 12, bold=True)
    y = 508
    x = 130
    for text, width, kind in (('before the tile', 118, 'new'), ('warp tiles before', 128, 'new'),
                              ('lanes before', 106, 'new'), ('items of the thread', 136, 'in')):
        f.cell(x, y, text, kind, width, 28, 12)
        x += width + 30
        if kind != 'in':
            f.text(x - 15, y + 19, '∘', 16, 'middle')
    f.text(16, y + 14, 'a place', bold=True)
    f.text(16, y + 30, 'left to right', 12, color=GREY)
    f.save()


# ---- compact, scatter ----------------------------------------------------------------------------------

def compact():
    f = Figure('compact', 620, 330, 'what compact, compact_indices, partition and partition_stable write')
    values = [4, 7, 2, 9, 1, 6]
    left, kept = 190, [v for v in values if v % 2]
    dropped = [v for v in values if v % 2 == 0]
    f.text(20, 56, 'in', bold=True, mono=True)
    f.row(left, 36, values, ['in' if v % 2 else 'same' for v in values])
    f.text(20, 96, 'GP_PRED: x is odd', 12, color=GREY)
    f.row(left, 78, [v % 2 for v in values], 'none')
    for y, name, out, kinds in (
            (136, 'compact', kept, ['out'] * 3),
            (182, 'compact_indices', [i for i, v in enumerate(values) if v % 2], ['new'] * 3),
            (228, 'partition', kept + dropped[::-1], ['out'] * 3 + ['same'] * 3),
            (274, 'partition_stable', kept + dropped, ['out'] * 3 + ['same'] * 3)):
        f.text(20, y + 20, name, 13, bold=True, mono=True)
        f.row(left, y, out, kinds)
    f.text(left + 6 * 48 + 10, 248, 'rejected, reversed', 12, color=GREY)
    f.text(left + 6 * 48 + 10, 294, 'rejected, in order', 12, color=GREY)
    f.text(left + 3 * 48 + 10, 156, '*d_count = 3', 12, color=GREY)
    f.save()


def look_back():
    f = Figure('look-back', 760, 250, 'look-back without a chain: tile 4 adds the counts of all tiles before it')
    left, step, width = 30, 146, 118
    for t, kept in enumerate((3, 2, 4, 1, 2)):
        x = left + t * step
        f.text(x + width / 2, 28, f'tile {t}', 13, 'middle', bold=True)
        f.cell(x, 38, f'keeps {kept}', 'same', width)
        f.cell(x, 92, f'7 | {kept}', 'new', width)
        f.arrow(x + width / 2, 69, x + width / 2, 90)
    f.text(left, 148, 'its word in memory: the number of the launch, the count', 12, color=GREY)
    end = left + 4 * step + width / 2
    for t, text in ((3, '+ 1'), (2, '+ 4'), (1, '+ 2'), (0, '3')):
        x = left + t * step + width / 2
        f.line(x, 154, x, 176, HOT)
        f.text(x + 8, 171, text, 12, color=HOT)
    f.line(left + width / 2, 176, end, 176, HOT)
    f.arrow(end, 176, end, 125, hot=True)
    f.text(left, 208, 'Tile 4 starts at 3 + 2 + 4 + 1 = 10. It has published its own count before it looks back.', 13)
    f.text(left, 230, 'A warp reads 64 words at a time. No tile waits for a sum that another one has to compute first.', 12,
           color=GREY)
    f.save()


def scatter():
    f = Figure('scatter', 700, 244, 'gather reads through the map, scatter writes through it')
    letters, places = ['a', 'b', 'c', 'd', 'e'], [3, 0, 4, 1, 2]
    for title, left, gather in (('gather: out[i] = in[map[i]]', 70, True), ('scatter: out[map[i]] = in[i]', 420, False)):
        f.text(left - 4, 30, title, 14, bold=True)
        for y, name in ((64, 'in'), (132, 'map'), (216, 'out')):
            f.text(left - 12, y, name, 13, 'end', GREY, mono=True)
        out = [''] * 5
        for i, place in enumerate(places):
            if gather:
                out[i] = letters[place]
            else:
                out[place] = letters[i]
        f.row(left, 44, letters, 'in')
        f.row(left, 112, places, 'new')
        f.row(left, 196, out, 'out')
        for i, place in enumerate(places):
            if gather:
                f.arrow(mid(left, place), 75, mid(left, i), 110, hot=True)
                f.arrow(mid(left, i), 143, mid(left, i), 194)
            else:
                f.arrow(mid(left, i), 75, mid(left, i), 110)
                f.arrow(mid(left, i), 143, mid(left, place), 194, hot=True)
    f.save()


def radix_cluster():
    f = Figure('radix-cluster', 760, 450, 'a cluster of blocks sorts: spread between splitters, bins, compare')
    shares = [[31, 12, 50, 7], [44, 3, 28, 19], [9, 55, 36, 22]]
    keys = [key for share in shares for key in share]
    owner = lambda key: min(sum(other // 10 < key // 10 for other in keys) // 4, 2)
    left = lambda b: 96 + b * 220
    for b, share in enumerate(shares):
        f.text(left(b) + 94, 24, f'block {b}', 14, 'middle', bold=True)
        f.row(left(b), 36, share, 'in')
    f.text(20, 56, 'shares', bold=True)
    f.text(20, 134, 'spread', bold=True)
    groups = [[key for share in shares for key in share if owner(key) == b] for b in range(3)]
    where = {key: (b, i) for b, group in enumerate(groups) for i, key in enumerate(group)}
    for b, share in enumerate(shares):
        for i, key in enumerate(share):
            to, k = where[key]
            f.arrow(mid(left(b), i), 67, mid(left(to), k, 40, 36), 168, hot=to != b)
    for b, group in enumerate(groups):
        f.row(left(b), 170, group, 'new', 40, 36)
    f.text(20, 190, 'got', bold=True)
    f.text(20, 244, 'bins', bold=True)
    f.text(20, 318, 'compare', bold=True)
    for b, group in enumerate(groups):
        binned = sorted(group, key=lambda key: key // 10)
        for i, key in enumerate(binned):
            f.arrow(left(b) + group.index(key) * 40 + 18, 201, left(b) + i * 40 + 18, 258)
            f.cell(left(b) + i * 40, 260, key, 'new', 36)
            f.cell(left(b) + i * 40, 334, sorted(group)[i], 'out', 36)
            f.arrow(left(b) + i * 40 + 18, 291, left(b) + sorted(group).index(key) * 40 + 18, 332)
    f.text(20, 394, 'Spread: each block gets the keys between two splitters, which a sample tells; here 22 and 44.', 13)
    f.text(20, 414, 'Bins: of equal width. Compare: within a bin, each key counts those before it.', 13)
    f.text(20, 434, 'Orange arrows write into the shared memory of another multiprocessor.', 13, color=HOT)
    f.save()


def radix_buckets():
    f = Figure('radix-buckets', 760, 330, 'from the highest digit down: two partitions, then each bucket in one go')
    def strip(y, title, parts, kind):
        f.text(20, y + 20, title, bold=True)
        for i in range(parts):
            f.cell(120 + i * 600 / parts, y, '', kind, 600 / parts - (3 if parts > 4 else 6), 30)
    strip(20, 'in', 1, 'in')
    strip(90, 'ranges', 8, 'new')
    strip(160, 'buckets', 40, 'new')
    strip(230, 'out', 40, 'out')
    for i, to in enumerate((2, 6, 0, 4, 1, 7)):  # a key is a dot, and leaves from where it came to
        bucket = to * 5 + (to * 3 + 2) % 5
        places = [(180 + i * 95, 35), (156 + to * 75, 105), (126 + bucket * 15, 175), (126 + bucket * 15, 245)]
        for (x, y), (next_x, next_y) in zip(places, places[1:]):
            f.arrow(x, y + 16, next_x, next_y - 17, hot=to == 4)
        for x, y in places:
            f.body.append(f'<circle cx="{x:g}" cy="{y:g}" r="3.2" fill="{HOT if to == 4 else GREY}"/>')
    f.text(20, 292, 'Ranges: one for each topmost digit; a tile of the input adds its keys to a range where the last tile ended.', 13)
    f.text(20, 312, 'Buckets: one for each value of the topmost bits; a block sorts each in its shared memory.', 13)
    f.save()


def cpu_backend():
    f = Figure('cpu-backend', 760, 292, 'a launch on the CPU: resident blocks on threads, their threads as fibers')
    f.cell(20, 30, 'GP_LAUNCH(kernel, 7, 256, …)', 'in', 250, 34, 13)
    f.text(290, 51, 'grid: blocks 0 to 6, taken in an order that the seed picks', 12, color=GREY)
    for i in range(4):
        x = 20 + i * 182
        f.box(x, 96, 172, 150, fill='#fafbfc')
        f.text(x + 86, 118, f'CPU thread {i}', 13, 'middle', bold=True)
        f.text(x + 86, 136, f'runs block {[5, 0, 3, 6][i]}', 12, 'middle', GREY)
        for k in range(32):
            cx, cy = x + 23 + k % 8 * 18, 160 + k // 8 * 18
            kind = KINDS['new' if k == [13, 2, 24, 7][i] else 'same']
            f.body.append(f'<circle cx="{cx}" cy="{cy}" r="6" fill="{kind[0]}" stroke="{kind[1]}"/>')
        f.text(x + 86, 238, 'fibers: one runs, the others wait', 10, 'middle', GREY)
        f.arrow(145, 65, x + 86, 94)
    f.text(20, 274, 'A fiber gives way at barriers, warp operations, polls and atomics; the seed picks who goes on.', 13)
    f.save()


# ---- the classic ladder --------------------------------------------------------------------------------

IN = [1, 5, 0, 1, 2, 0, 3]


def naive_scan():
    f = Figure('naive-scan', 620, 400, 'Hillis and Steele: with stride d, every item takes in the one d before it')
    left, n = 150, 7
    rows = [['–'] + IN[:-1]]
    for stride in (1, 2, 4):
        last = rows[-1]
        rows.append([last[i] + last[i - stride] if i > stride else last[i] for i in range(n)])
    rows[-1] = [0] + rows[-1][1:]
    f.text(20, 48, 'in', bold=True)
    f.row(left, 28, IN, 'in')
    for k, (values, name) in enumerate(zip(rows, ['shifted', 'stride 1', 'stride 2', 'stride 4'])):
        y = 104 + k * 78
        stride = [0, 1, 2, 4][k]
        f.text(20, y + 20, name, bold=True)
        for i in range(n):
            if k == 0:
                if i:
                    f.arrow(mid(left, i - 1), y - 45, mid(left, i), y - 2)
            else:
                f.arrow(mid(left, i), y - 47, mid(left, i), y - 2)
                if i > stride:
                    f.arrow(mid(left, i - stride), y - 47, mid(left, i) - 6, y - 2, hot=True)
        kinds = ['none' if values[i] == '–' else 'out' if k == 3 else 'new' if k and i > stride else 'same'
                 for i in range(n)]
        f.row(left, y, values, kinds)
    f.text(left, 384, '– is nothing: the identity is written at the end, never combined', 12, color=GREY)
    f.save()


def work_efficient_scan():
    f = Figure('work-efficient-scan', 720, 560, 'Blelloch: an upsweep and a downsweep over a balanced tree')
    left, n = 190, 8
    rows = [('in', IN + [''], ['in'] * 7 + ['none'], []),
            ('upsweep, stride 1', [1, 6, 0, 1, 2, 2, 3, 3], [1, 3, 5, 7], [(0, 1), (2, 3), (4, 5), (6, 7)]),
            ('stride 2', [1, 6, 0, 7, 2, 2, 3, 5], [3, 7], [(1, 3), (5, 7)]),
            ('downsweep, stride 4', [1, 6, 0, '–', 2, 2, 3, 7], [3, 7], [(3, 7)]),
            ('stride 2', [1, '–', 0, 6, 2, 7, 3, 9], [1, 3, 5, 7], [(1, 3), (5, 7)]),
            ('stride 1', [0, 1, 6, 6, 7, 9, 9, ''], list(range(7)), [(0, 1), (2, 3), (4, 5), (6, 7)])]
    for k, (name, values, changed, pairs) in enumerate(rows):
        y = 30 + k * 88
        f.text(18, y + 20, name, bold=True)
        if k == 0:
            kinds = changed
        else:
            kinds = ['none' if v == '–' else 'out' if k == 5 else 'new' if i in changed else 'same'
                     for i, v in enumerate(values)]
            for a, b in pairs:
                f.arrow(mid(left, b), y - 57, mid(left, b), y - 2)
                if k <= 2:
                    f.arrow(mid(left, a), y - 57, mid(left, b) - 8, y - 2, hot=True)
                else:
                    f.arrow(mid(left, a), y - 57, mid(left, b) - 8, y - 2, hot=True)
                    f.arrow(mid(left, b) - 6, y - 57, mid(left, a) + 2, y - 2)
        if k == 5:
            kinds[7] = 'none'
        f.row(left, y, values, kinds)
    f.text(left, 530, 'The eighth place exists in the tree alone.', 12, color=GREY)
    f.text(left, 547, '– is nothing, the fold before the first item; it becomes the identity at the end.', 12, color=GREY)
    f.save()


def shared_scan():
    f = Figure('shared-scan', 836, 420, 'shared-memory scan: tiles, recursive block sums, stitch')
    left, sums = 190, [sum(tile) for tile in TILES]
    for y, title, note in ((50, 'input', 'one block per tile'), (132, '1. scan each tile', 'Blelloch in shared memory'),
                           (214, '2. tile sums', 'scanned the same way,'), (232, '', 'level by level'),
                           (368, '3. stitch', 'add what comes before')):
        if title:
            f.text(18, y, title, bold=True)
            f.text(18, y + 18, note, 12, color=GREY)
        else:
            f.text(18, y + 18, note, 12, color=GREY)
    before = exclusive(sums)
    for t, tile in enumerate(TILES):
        x = tile_x(left, t)
        f.row(x, 36, tile, 'in')
        local = exclusive(tile, 0)
        f.row(x, 118, local, 'new')
        f.arrow(x + 94, 67, x + 94, 116)
        f.row(x, 350, [v + (before[t] if t else 0) for v in local], 'out')
        f.arrow(mid(x, 0) - 8, 150, mid(x, 0) - 8, 348)
        f.arrow(mid(x, 3), 150, left + 274 + t * 48, 198, hot=True)
    f.row(left + 252, 200, sums, 'new')
    f.arrow(left + 322, 232, left + 322, 262)
    f.row(left + 252, 264, before, ['none', 'new', 'new'])
    for t in range(1, 3):
        f.arrow(left + 274 + t * 48, 296, tile_x(left, t) + (94 if t == 1 else 60), 348, hot=True)
    f.text(left, 408, 'A drawing with tiles of four items. More sums than a tile holds are cut into tiles again.', 12,
           color=GREY)
    f.save()


def pad(i):
    return i + i // 32


def bank_conflicts():
    f = Figure('bank-conflicts', 810, 482, 'which bank each lane of a warp meets in the upsweep, without and with padding')
    cell = 10.5
    f.text(90 + 16 * cell, 30, 'without padding', 14, 'middle', bold=True)
    f.text(450 + 16 * cell, 30, 'with padding: place i + i / 32', 14, 'middle', bold=True)
    y = 60
    for stride, height in ((1, 20), (4, 70), (16, 200)):
        base = y + height
        f.text(18, base - 14, f'stride {stride}', bold=True)
        for left, place in ((90, lambda i: i), (450, pad)):
            count = [0] * 32
            for lane in range(32):
                bank = place(lane * 2 * stride + stride - 1) % 32
                count[bank] += 1
                size = min(5.6, (height - 4) / 32 if stride == 16 else 8)
                f.body.append(f'<rect x="{left + bank * cell + 1:g}" y="{base - count[bank] * (size + 0.6):g}" '
                              f'width="{cell - 2:g}" height="{size:g}" rx="1.5" fill="#ea7317"/>')
            for bank in range(32):
                f.body.append(f'<rect x="{left + bank * cell:g}" y="{base + 2:g}" width="{cell - 1:g}" height="5" '
                              'fill="#c9d3dd"/>')
            worst = max(count)
            f.text(left + 16 * cell, base + 24, f'{worst} lane{"s" if worst > 1 else ""} in one bank' if worst > 1
                   else 'every lane in a bank of its own', 12, 'middle', HOT if worst > 1 else '#1f7a47')
        y = base + 40
    f.text(90, 470, 'Grey: the 32 banks. Orange: the lanes of a warp that read there at the same time.', 12, color=GREY)
    f.save()


def shuffle_scan():
    f = Figure('shuffle-scan', 640, 330, 'a scan across the lanes of a warp by shuffles')
    left, values = 130, [1, 5, 0, 1, 2, 0, 3, 4]
    f.text(18, 48, 'x', bold=True)
    f.row(left, 28, values, 'in')
    for k, stride in enumerate((1, 2, 4)):
        y = 108 + k * 80
        values = [v + values[i - stride] if i >= stride else v for i, v in enumerate(values)]
        f.text(18, y + 20, f'stride {stride}', bold=True)
        for i in range(8):
            f.arrow(mid(left, i), y - 49, mid(left, i), y - 2)
            if i >= stride:
                f.arrow(mid(left, i - stride), y - 49, mid(left, i) - 7, y - 2, hot=True)
        f.row(left, y, values, ['out' if k == 2 else 'new' if i >= stride else 'same' for i in range(8)])
    f.text(left, 318, 'Orange arrows are __shfl_up_sync: registers alone. A warp takes five steps for its 32 lanes.', 12,
           color=GREY)
    f.width = 720
    f.save()


def map_scan_scatter():
    f = Figure('map-scan-scatter', 580, 330, 'compaction in three steps: map to flags, scan them, scatter')
    left = 150
    flags = [int(v != 0) for v in IN]
    places = exclusive(flags, 0)
    kept = [v for v in IN if v]
    for y, title, note in ((48, 'in', ''), (116, '1. map', 'GP_PRED'), (184, '2. scan', 'exclusive'), (276, '3. scatter', '')):
        f.text(20, y, title, bold=True)
        f.text(20, y + 17, note, 12, color=GREY)
    f.row(left, 28, IN, ['in' if v else 'same' for v in IN])
    f.row(left, 96, flags, ['new' if v else 'same' for v in flags])
    f.row(left, 164, places, ['new' if v else 'none' for v in flags])
    f.row(left, 258, kept, 'out')
    for i in range(7):
        f.arrow(mid(left, i), 59, mid(left, i), 94)
        f.arrow(mid(left, i), 127, mid(left, i), 162)
        if flags[i]:
            f.arrow(mid(left, i), 195, mid(left, places[i]), 256, hot=True)
    f.text(left, 312, 'count = the last place + the last flag = 4 + 1 = 5', 12, color=GREY)
    f.save()


def find_max():
    f = Figure('find-max', 600, 330, 'find-max: a tree of pairs')
    left = 150
    rows = [[1, 5, 0, 1, 2, 0, 3], [5, 1, 2, 3], [5, 3], [5]]
    xs = [mid(left, i) for i in range(7)]
    for k, values in enumerate(rows):
        y = 28 + k * 84
        f.text(20, y + 20, 'in' if k == 0 else f'round {k}', bold=True)
        if k:
            new = []
            for p in range(len(values)):
                pair = xs[2 * p:2 * p + 2]
                middle = sum(pair) / len(pair)
                for x in pair:
                    f.arrow(x, y - 53, middle + (x - middle) * 0.25, y - 2, hot=len(pair) == 2)
                new.append(middle)
            xs = new
        for x, value in zip(xs, values):
            f.cell(x - W / 2, y, value, 'in' if k == 0 else 'out' if k == 3 else 'new')
    f.save()


def split_sort():
    f = Figure('split-sort', 640, 400, 'split sort: one stable split per bit, the lowest bit first')
    left, keys = 150, [5, 2, 7, 1, 4, 6, 3]
    f.text(20, 46, 'in', bold=True)
    for k in range(4):
        y = 30 + k * 104
        for i, key in enumerate(keys):
            kind = 'out' if k == 3 else 'in' if k == 0 else 'same'
            f.cell(left + i * 58, y, f'{key:03b}', kind, 54, size=13)
            if k in (0, 3):
                f.text(left + i * 58 + 27, y - 6 if k == 0 else y + 46, key, 12, 'middle', GREY)
        if k == 3:
            break
        order = [i for i in range(7) if not keys[i] >> k & 1] + [i for i in range(7) if keys[i] >> k & 1]
        zeros = sum(not key >> k & 1 for key in keys)
        f.text(20, y + 80, f'split by bit {k}', bold=True)
        for to, i in enumerate(order):
            f.arrow(left + i * 58 + 27, y + 32, left + to * 58 + 27, y + 102, hot=to >= zeros)
        keys = [keys[i] for i in order]
    f.height = 424
    f.text(left, 412, 'Grey arrows: the bit is 0, to the front. Orange: the bit is 1, behind them.', 12, color=GREY)
    f.save()


# ---- merge sort ------------------------------------------------------------------------------------------

def merge_path():
    f = Figure('merge-path', 560, 460, 'two sorted runs and the path that merges them, cut into four equal parts')
    a, b, left, top, step = [1, 2, 4, 4, 6, 9], [0, 2, 3, 4, 7, 8], 120, 84, 44
    f.text(left, 30, 'the run that comes first', 12, color=GREY)
    f.text(16, top - 14, 'the other', 12, color=GREY)
    for i in range(6):
        f.cell(left + i * step + 2, 40, a[i], 'in', step - 4)
        f.cell(left - step - 8, top + i * step + 7, b[i], 'new', step - 4)
    for i in range(7):
        f.line(left + i * step, top, left + i * step, top + 6 * step, KINDS['same'][1], 0.6)
        f.line(left, top + i * step, left + 6 * step, top + i * step, KINDS['same'][1], 0.6)
    for diagonal in (3, 6, 9):
        x1, x2 = min(diagonal, 6), max(0, diagonal - 6)
        f.line(left + x1 * step, top + (diagonal - x1) * step, left + x2 * step, top + (diagonal - x2) * step,
               GREY, 1, '4 3')
    x = y = 0
    merged = []
    while x + y < 12:
        right = y == 6 or (x < 6 and a[x] <= b[y])
        merged.append((a[x], 'in') if right else (b[y], 'new'))
        to = (x + 1, y) if right else (x, y + 1)
        f.line(left + x * step, top + y * step, left + to[0] * step, top + to[1] * step, HOT, 3)
        x, y = to
        if (x + y) % 3 == 0 and x + y < 12:
            f.cell(left + x * step - 5, top + y * step - 5, '', 'out', 10, 10)
    f.text(left, top + 6 * step + 26, 'merged: three items for each of four threads', 12, color=GREY)
    for i, (value, kind) in enumerate(merged):
        f.cell(16 + i * 42 + i // 3 * 8, top + 6 * step + 38, value, kind, 40)
    f.save()


# ---- sorting networks ------------------------------------------------------------------------------------

def bitonic_steps(levels):
    """(stage, label, comparators) of each step for 2^levels items, as bitonic_sort.cuh makes them."""
    n = 1 << levels
    for p in range(1, levels + 1):
        yield p, f'M{1 << p}', [(i, i ^ ((1 << p) - 1)) for i in range(n) if not i >> (p - 1) & 1]
        for b in range(p - 2, -1, -1):
            yield p, str(1 << b), [(i, i | 1 << b) for i in range(n) if not i >> b & 1]


def odd_even_steps(levels):
    n = 1 << levels
    for q in range(1, levels + 1):
        half = 1 << (q - 1)
        yield q, str(half), [(i, i + half) for i in range(n) if not i & half]
        for b in range(q - 2, -1, -1):
            k = 1 << b
            yield q, str(k), [(i, i + k) for i in range(n) if i & k and i >> q == (i + k) >> q]


def network(name, title, steps, legend):
    wire, lane, gap, left, top, n = 13, 8, 22, 52, 78, 32
    columns = []  # of each step: its comparators, in lanes where they do not overlap
    for stage, label, comparators in steps:
        lanes = []
        for low, high in sorted(comparators):
            free = next((row for row in lanes if row[-1][1] < low), None)
            if free is None:
                lanes.append(free := [])
            free.append((low, high))
        columns.append((stage, label, lanes, len(comparators)))
    width = left + sum(max(0, len(lanes) - 1) * lane + gap for _, _, lanes, _ in columns) + 30
    f = Figure(name, width, top + n * wire + 74, title)
    bottom = top + (n - 1) * wire
    for i in range(n):
        f.line(left, top + i * wire, width - 30, top + i * wire, KINDS['same'][1], 0.8)
        f.text(left - 6, top + i * wire + 3.5, i, 10, 'end', GREY)
    f.text(12, 24, 'stage', 12, bold=True)
    f.text(12, 48, 'step', 12, bold=True)
    f.text(12, bottom + 30, 'count', 12, bold=True)
    x, stage_from = left, {}
    for k, (stage, label, lanes, count) in enumerate(columns):
        first, last = x + gap / 2, x + gap / 2 + (len(lanes) - 1) * lane
        x = last + gap / 2
        stage_from.setdefault(stage, [first, last])[1] = last
        f.text((first + last) / 2, 48, label, 11, 'middle')
        f.text((first + last) / 2, bottom + 30, count, 10, 'middle', GREY)
        if k + 1 < len(columns):
            following = columns[k + 1][0]
            f.line(x, 54, x, bottom + 16, GREY if following != stage else LINE, 1 if following != stage else 0.5, '2 3')
        for number, comparators in enumerate(lanes):
            for low, high in comparators:
                at = first + number * lane
                f.line(at, top + low * wire, at, top + high * wire, HOT if stage % 2 else KINDS['in'][1], 1.3)
                for end in (low, high):
                    f.body.append(f'<circle cx="{at:g}" cy="{top + end * wire:g}" r="2.1" fill="{INK}"/>')
    for stage, (first, last) in stage_from.items():
        f.text((first + last) / 2, 24, stage, 12, 'middle', bold=True)
    total = sum(column[3] for column in columns)
    f.text(left, bottom + 54, f'{total} comparators in {len(columns)} steps. Each sends the smaller key up. {legend}',
           12, color=GREY)
    f.save()


def bitonic_sort():
    network('bitonic-sort', 'the bitonic network for 32 items', bitonic_steps(5),
            'M8: mirrors in groups of 8; 4: 4 apart.')


def odd_even_merge_sort():
    network('odd-even-merge-sort', "Batcher's odd-even merge network for 32 items", odd_even_steps(5), '4: 4 apart.')


SORTS = {  # in tests/benchmark/results/h200_networks.csv: name, colour and comparators of 2^level pairs
    'odd_even': ('odd-even merge sort', '#7c3aed', lambda level: (level * (level - 1) << level) // 4 + (1 << level) - 1),
    'bitonic': ('bitonic sort', HOT, lambda level: (level * (level + 1) << level) // 4),
    'CUB_merge': ('CUB merge sort', '#86cfa5', None),
    'gpuprims_merge': ('merge sort', '#1f9d55', None),
    'CUB': ('CUB radix sort', '#9dc3fb', None),
    'gpuprims': ('radix sort', '#2563eb', None),
}


def network_times():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../tests/benchmark/results/h200_networks.csv')
    with open(path, newline='', encoding='utf-8') as file:
        rows = [r for r in csv.DictReader(file) if r['implementation'] in SORTS]
    levels = [(r['implementation'], int(r['n']).bit_length() - 1, float(r['median_ms'])) for r in rows]
    f = Figure('network-times', 800, 430, 'time and comparators of the sorting networks, by number of pairs')

    def panel(left, title, lowest, highest, value, unit):
        """Both axes by powers of two: from 2^14 pairs, and from 2^lowest to 2^highest in `unit`."""
        def x(level):
            return left + (level - 14) * 22.5

        def y(level):
            return 370 - (level - lowest) * 320 / (highest - lowest)
        f.text(left, 24, title, bold=True)
        for level in range(14, 27, 2):
            f.line(x(level), 50, x(level), 370, KINDS['same'][1], 0.5)
            f.text(x(level), 388, f'2^{level}', 11, 'middle', GREY)
        for level in range(lowest, highest + 1, 2):
            f.line(left, y(level), x(26), y(level), KINDS['same'][1], 0.5)
            f.text(left - 6, y(level) + 4, unit(level), 11, 'end', GREY)
        for key, (_, color, comparators) in SORTS.items():
            points = [(x(level), y(math.log2(value(level, ms, comparators)))) for name, level, ms in levels
                      if name == key and value(level, ms, comparators)]
            for (x1, y1), (x2, y2) in zip(points, points[1:]):
                f.line(round(x1, 1), round(y1, 1), round(x2, 1), round(y2, 1), color, 2)
        return x, y

    x, y = panel(70, 'milliseconds', -7, 7, lambda level, ms, comparators: ms,
                 lambda level: f'{2.0 ** level:g}' if level >= 0 else f'1/{2 ** -level}')
    f.line(x(22.64), 50, x(22.64), 370, GREY, 1, '4 3')
    f.text(x(22.64) - 4, 64, 'L2 cache', 11, 'end', GREY)
    for k, (name, color, _) in enumerate(SORTS.values()):
        f.line(84, 86 + 18 * k, 106, 86 + 18 * k, color, 2)
        f.text(112, 90 + 18 * k, name, 12)
    panel(460, 'comparators', 18, 34, lambda level, ms, comparators: comparators and comparators(level),
          lambda level: f'2^{level}')
    f.text(70, 414, f'Pairs of 32-bit keys and values on an H200; median of {rows[0]["repeat"]}. Both axes by powers of two.',
           12, color=GREY)
    f.save()


def hybrid_timeline(name, implementation, step):
    """Which chunk each stage of the hybrid sort worked on, and when, in tests/benchmark/results/h200_hybrid_timeline.csv."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                        '../../tests/benchmark/results/h200_hybrid_timeline.csv')
    with open(path, newline='', encoding='utf-8') as file:
        rows = [{key: value if key in ('implementation', 'what') else float(value) for key, value in row.items()}
                for row in csv.DictReader(file)]
    rows = [row for row in rows if row['implementation'] == implementation]
    last = max(row['end_ms'] for row in rows)
    f = Figure(name, 800, 250, f'the stages of the {implementation} over time')
    left, width, lanes = 100, 680, ('copy in', 'sort', 'copy out', 'CPU merge')

    def x(ms):
        return round(left + ms * width / last, 1)

    def bar(lane, begin, end, odd):
        fill, outline = KINDS[('in', 'new', 'out', 'same')[lane]]
        f.body.append(f'<rect x="{x(begin)}" y="{24 + 44 * lane + (14 if odd else 0)}" height="13" fill="{fill}" '
                      f'width="{max(0.4, round(x(end) - x(begin), 1)):g}" stroke="{outline}" stroke-width="0.6"/>')

    for lane, text in enumerate(lanes):
        f.text(left - 10, 24 + 44 * lane + 18, text, 13, 'end')
    for ms in range(0, int(last) + 1, step):
        f.line(x(ms), 16, x(ms), 204, KINDS['same'][1], 0.5)
        f.text(x(ms), 220, f'{ms} ms', 11, 'middle', GREY)
    for trip in (1, 3):
        before = None
        for row in sorted((r for r in rows if r['trip'] == trip and r['what'] == 'chunk'), key=lambda r: r['number']):
            odd = row['number'] % 2
            bar(0, row['begin_ms'], row['arrived_ms'], odd)
            bar(1, max(row['arrived_ms'], before['sorted_ms'] if before else 0), row['sorted_ms'], odd)
            bar(2, max(row['sorted_ms'], before['end_ms'] if before else 0), row['end_ms'], odd)
            before = row
    if implementation == 'hybrid by CPU merge':
        for trip, parts in ((1, 16), (2, 64)):
            groups = {}
            for row in (r for r in rows if r['trip'] == trip and r['what'] == 'task'):
                groups.setdefault(row['number'] // parts, []).append(row)
            for group, tasks in groups.items():
                bar(3, min(t['begin_ms'] for t in tasks), max(t['end_ms'] for t in tasks), group % 2)
    f.text(left, 242, '8 GB of 32-bit keys with 1 GB of device memory on an H200. A bar is a chunk, or a group of runs '
           'that is merged.', 12, color=GREY)
    f.save()


def hybrid_distribution():
    hybrid_timeline('hybrid-distribution', 'hybrid by distribution', 100)


def hybrid_merge():
    hybrid_timeline('hybrid-merge', 'hybrid by CPU merge', 500)


FIGURES = [scan, scan_shape, scan_tile_states, scan_stages, scan_pipeline, scan_alignment, scan_order, reduce, block_rake,
           block_scan, exchange, fold_order, compact, look_back, scatter, radix_cluster,
           radix_buckets, cpu_backend, naive_scan,
           work_efficient_scan, shared_scan, bank_conflicts, shuffle_scan, map_scan_scatter, find_max, split_sort,
           merge_path, bitonic_sort, odd_even_merge_sort, network_times, hybrid_distribution, hybrid_merge]

if __name__ == '__main__':
    for path in sorted(pathlib.Path(__file__).resolve().parent.glob('*.py')):
        for draw in FIGURES if path.name == 'draw.py' else runpy.run_path(str(path))['FIGURES']:
            draw()
