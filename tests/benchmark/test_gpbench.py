#!/usr/bin/env python3
"""Test of gpbench. TAP on stdout.

    test_gpbench.py GPBENCH [GPBENCH_PLANTED]

GPBENCH_PLANTED is the same program over implementations that are wrong on purpose, and must say so. A
CUDA build is tested as far as a GPU answers: where it exits with 77, what measures is skipped.
"""

import csv
import functools
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import study

EXE = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else sys.exit(__doc__)
PLANTED = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else None
HERE = pathlib.Path(__file__).resolve().parent

COLUMNS = ('primitive,implementation,type,distribution,n,cache,batch,median_ms,min_ms,max_ms,bytes,GBps,'
           'of_memcpy,vs_cub,items_per_s,gpu,driver,toolkit,cub,commit,date,repeat,block,offset_in,'
           'offset_out,fresh').split(',')
DISTRIBUTIONS = ('uniform few sorted reversed constant range entropy zipf seven mostly gaussian low20 '
                 'high16 runs banks hole crowd runs512 small').split()

# What must be there. More may: the table grows.
GROUPS = [f'scan_exclusive_sum/{t}' for t in 'i32 u32 f32 i64 f64 u8 i16 u8-u64 struct16 struct48'.split()]
GROUPS += [f'scan_inclusive_max/{t}' for t in 'i32 f32 i64 f64 u8 i16'.split()]
GROUPS += [f'scan_exclusive_own/{t}' for t in 'u8 i16 i32'.split()] + ['scan_exclusive_product/struct16']
GROUPS += [f'reduce_sum/{t}' for t in 'i32 f32 i64 f64 u8-u64'.split()] + ['reduce_max/i32']
GROUPS += ['compact/u32', 'compact/u64', 'compact/u8', 'compact_costly/u8']
GROUPS += [f'{p}/u32' for p in 'compact_none compact_all compact_rare compact_flagged compact_indices '
                               'partition partition_stable'.split()]
GROUPS += [f'{p}/{t}' for p in 'gather scatter scatter_if'.split() for t in 'u32 u64 struct48'.split()]
GROUPS += [f'{p}_map32/{t}' for p in 'gather scatter scatter_if'.split() for t in 'u32 u64'.split()]
GROUPS += ['map_to_flags/u32']
GROUPS += [f'sort/{t}' for t in 'i32 u32 f32 i64 u64 f64 u8 i16 u16'.split()]
GROUPS += [f'sort_pairs/{t}' for t in 'u32 u64 u32-u64 u32-struct16 u32-struct32'.split()] + ['sort_pairs_bits/u64']
GROUPS += ['merge/u32', 'merge/u64', 'merge_in_turn/u32', 'merge_1_to_1000/u32']
GROUPS += ['sort_networks/u32']
GROUPS += [f'block_{p}/{t}' for p in 'inclusive_scan_256 exclusive_scan_256 reduce_256'.split() for t in 'u32 u64'.split()]

WORK = tempfile.mkdtemp(prefix='test_gpbench.')
PATH = os.path.join(WORK, 'out.csv')


def gpbench(*arguments, exe=EXE, **keywords):
    keywords.setdefault('stdout', subprocess.PIPE)
    return subprocess.run([exe, *map(str, arguments)], stderr=subprocess.PIPE, text=True, timeout=280,
                          **keywords)


def check_refused(result, *words):
    """Exit status 2, one sentence on stderr that says these words, nothing on stdout."""
    assert result.returncode == 2, (result.returncode, result.stderr)
    assert result.stdout in ('', None), result.stdout
    assert re.fullmatch(r'gpbench: [^\n]+\n', result.stderr), result.stderr
    for word in words:
        assert word in result.stderr, (word, result.stderr)


def measured(*arguments, **keywords):
    """A run in which all is right: the rows of its CSV, which stand on stdout too."""
    if os.path.exists(PATH):
        os.unlink(PATH)
    result = gpbench('--csv', PATH, *arguments, **keywords)
    assert result.returncode == 0, (result.returncode, result.stderr)
    assert result.stderr == '', result.stderr
    assert not os.path.exists(PATH + '.partial')
    with open(PATH, newline='', encoding='utf-8') as stream:
        reader = csv.DictReader(stream, strict=True)
        rows = list(reader)
    assert reader.fieldnames == COLUMNS, reader.fieldnames
    assert rows
    printed = [line.split() for line in result.stdout.splitlines()[3:]]
    names = ['%s/%s/%s' % (r['primitive'], r['type'], r['implementation']) for r in rows]
    assert [line[0] for line in printed] == names
    return rows


def names_listed(*arguments):
    result = gpbench('--list', *arguments)
    assert result.returncode == 0 and result.stderr == '', result
    return result.stdout.split()


# ---- the tests: those that need no GPU ----

def test_help():
    for option in ('--help', '-h'):
        result = gpbench(option)
        assert result.returncode == 0 and result.stderr == ''
        for word in ('--list --filter --sizes --types --distribution --cold --warm --repeat --block --csv '
                     '--check --batch --offset-in --offset-out --copies --fresh --profile --sample tune '
                     'Exit').split() + DISTRIBUTIONS:
            assert word in result.stdout, word
        assert max(map(len, result.stdout.split('\n'))) <= 100


def test_list():
    names = names_listed()
    assert len(names) == len(set(names))
    for group in GROUPS:
        assert group + '/gpuprims' in names, group
        assert group + '/memcpy' in names, group
    for name in ('scan_exclusive_sum/i32/naive', 'scan_exclusive_sum/i32/work_efficient',
                 'scan_exclusive_sum/i32/work_efficient_idle', 'scan_exclusive_sum/i32/shared_unpadded',
                 'scan_exclusive_sum/i32/cpu', 'reduce_sum/f32/cpu', 'compact/u32/cpu_threads',
                 'sort/i32/cpu_threads', 'compact/u32/cpu_with_scan', 'sort/i32/split',
                 'sort/i32/bitonic', 'sort/i32/odd_even'):
        assert name in names, name


def test_filter_and_types():
    names = names_listed()
    for arguments, wanted in [
            (['--filter', 'reduce'], lambda n: 'reduce' in n),
            (['--filter=reduce_sum/f32,u8-u64'], lambda n: 'reduce_sum/f32' in n or 'u8-u64' in n),
            (['--filter', '*/gpuprims'], lambda n: n.endswith('/gpuprims')),
            (['--filter', 'compact*/u[0-9]/*'], lambda n: re.match(r'compact\w*/u\d/', n)),
            (['--types', 'f64'], lambda n: '/f64/' in n),
            (['--types=u8,u8-u64', '--filter', 'scan_'], lambda n: re.match(r'scan\w*/u8(-u64)?/', n))]:
        listed = names_listed(*arguments)
        assert listed and listed == [n for n in names if wanted(n)], arguments


def test_bad_options():
    for arguments, words in [
            (['--nonsense'], ['--nonsense', '--help']),
            (['nonsense'], ['nonsense']),
            ([''], ['--help']),
            (['--size', '8'], ['--size']),
            (['--sizes'], ['--sizes', 'value']),
            (['--csv'], ['--csv', 'value']),
            (['--csv', ''], ['--csv']),
            (['--filter='], ['--filter']),
            (['--check=1'], ['--check', 'no value']),
            (['--warm=yes'], ['--warm']),
            (['--sizes', '0'], ['--sizes', "'0'"]),
            (['--sizes', '8x'], ['--sizes']),
            (['--sizes', '-8'], ['--sizes']),
            (['--sizes', ' 8'], ['--sizes']),
            (['--sizes', '1e6'], ['--sizes']),
            (['--sizes', '2^41'], ['--sizes']),
            (['--sizes', '2^'], ['--sizes']),
            (['--sizes', '3^4'], ['--sizes']),
            (['--sizes', '2^64'], ['--sizes']),
            (['--sizes', '99999999999999999999999'], ['--sizes']),
            (['--sizes', '10..'], ['--sizes', "'10..'"]),
            (['--sizes', '..10'], ['--sizes']),
            (['--sizes', '12..10'], ['--sizes']),
            (['--sizes', '10..41'], ['--sizes']),
            (['--sizes', '2^3-8'], ['--sizes']),
            (['--sizes', '2^3-'], ['--sizes']),
            (['--sizes', '100-3'], ['--sizes']),
            (['--sizes', '1..4-2'], ['--sizes', "'1..4-2'"]),
            (['--sizes', '1..4-x'], ['--sizes', "'1..4-x'"]),
            (['--sizes', '8,'], ['--sizes', 'empty']),
            (['--sizes', ',8'], ['--sizes', 'empty']),
            (['--sizes', '8,,9'], ['--sizes', 'empty']),
            (['--sizes', ','.join(['8'] * 300)], ['--sizes', '256']),
            (['--sizes', '8' * 100], ['--sizes']),
            (['--distribution', 'normal'], ['--distribution', 'normal']),
            (['--distribution', ','.join(['few'] * 99)], ['--distribution']),
            (['--batch', '0'], ['--batch']),
            (['--batch', '1000000'], ['--batch']),
            (['--batch', '20', '--cold'], ['--batch 20', '--warm']),
            (['--repeat', '0'], ['--repeat']),
            (['--repeat', '10001'], ['--repeat']),
            (['--block', '31'], ['--block']),
            (['--block', '96'], ['--block']),
            (['--block', '2048'], ['--block']),
            (['--block', '64,'], ['--block', 'empty']),
            (['--block', '32,64,128,256,512,1024,32'], ['--block', '6']),
            (['--profile', '--warm'], ['--profile', '--warm']),
            (['--profile', '--csv', PATH], ['--profile', '--csv']),
            (['--sample', '--warm'], ['--sample', '--warm']),
            (['--sample', '--batch', '20'], ['--sample', '--batch']),
            (['--sample', '--distribution', 'few'], ['--sample', '--distribution']),
            (['--sample', '--sizes', '1..20'], ['--sample', '1500']),
            (['--sample', '--filter', 'gather'], ['--filter']),
            (['--offset-in', '-1'], ['--offset-in']),
            (['--offset-out', '4097'], ['--offset-out']),
            (['--filter', 'no such thing'], ['--filter']),
            (['--filter', 'scan,'], ['--filter', 'empty']),
            (['--types', 'i33'], ['--types', 'i33']),
            (['--types', 'i32,i33'], ['--types', 'i33']),
            (['--types', 'f64', '--filter', 'compact'], ['--filter', '--types']),
            (['--csv', WORK], [WORK, 'directory']),
            (['--csv', '/dev/null'], ['/dev/null']),
            (['--csv', os.path.join(WORK, 'no', 'such')], ['cannot write']),
            (['--csv', 'x' * 5000], ['too long'])]:
        check_refused(gpbench(*arguments), *words)


def test_no_gpu_is_a_skip():
    result = gpbench('--sizes', 8, '--filter', 'reduce_sum/i32', '--repeat', 1)
    assert result.returncode in (0, 77), result
    if result.returncode == 77:
        assert re.fullmatch(r'gpbench: no GPU answers: [^\n]+\n', result.stderr), result.stderr


# ---- those that measure ----

@functools.lru_cache(None)
def every_row():
    """All that there is, measured once. Where an element is a row, of up to 131,072 items, ten take long enough."""
    names = names_listed()
    rows = [name for name in names if name.startswith('row_')]
    others = [name for name in names if name not in rows]
    return measured('--sizes', '1,1000', '--repeat', 1, *study.only(*others)) + \
        measured('--sizes', '1,10', '--repeat', 1, *study.only(*rows))


def test_every_row():
    rows = every_row()
    names = {'%s/%s/%s' % (r['primitive'], r['type'], r['implementation']) for r in rows}
    assert set(GROUPS) <= {name.rpartition('/')[0] for name in names}
    if rows[0]['gpu'] == 'CPU backend':
        assert names == set(names_listed())
    for row in rows:
        assert float(row['min_ms']) <= float(row['median_ms']) <= float(row['max_ms'])
        assert row['n'] in ('1', '10', '1000') and row['batch'] == '1' and row['distribution'] == 'uniform'
        assert row['gpu'] and row['toolkit'] and row['commit']
        assert re.fullmatch(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ', row['date'])
        if row['gpu'] == 'CPU backend':
            assert row['driver'] == row['cub'] == row['vs_cub'] == ''


def test_bytes():
    """What must move, by the definitions of --help; compactions by the count that they must have."""
    rows = [row for row in every_row() if row['n'] == '1000']
    bytes_of = {(r['primitive'], r['type']): float(r['bytes']) for r in rows}
    for key, value in {
            ('scan_exclusive_sum', 'i32'): 8, ('scan_exclusive_sum', 'u8-u64'): 9,
            ('scan_exclusive_sum', 'struct48'): 96, ('scan_inclusive_max', 'i16'): 4,
            ('reduce_sum', 'f64'): 8, ('reduce_sum', 'u8-u64'): 1, ('compact_none', 'u32'): 4,
            ('compact_all', 'u32'): 8, ('partition', 'u32'): 8, ('partition_stable', 'u32'): 8,
            ('gather', 'u32'): 16, ('scatter', 'struct48'): 104, ('gather_map32', 'u32'): 12, ('sort_pairs', 'u32'): 16,
            ('sort_pairs_bits', 'u64'): 24, ('sort_pairs', 'u32-u64'): 24, ('sort_pairs', 'u32-struct32'): 72,
            ('scatter_map32', 'u64'): 20, ('map_to_flags', 'u32'): 5}.items():
        assert bytes_of[key] == 1000 * value, key
    assert 4000 < bytes_of['compact', 'u32'] < 8000
    assert 5000 < bytes_of['compact_flagged', 'u32'] < 9000
    flagged = (bytes_of['scatter_if', 'u32'] - 13000) / 4
    assert 400 < flagged < 600 and flagged == (bytes_of['compact_flagged', 'u32'] - 5000) / 4
    assert bytes_of['scatter_if', 'u64'] == 17000 + 8 * flagged
    for row in rows:
        rate = float(row['bytes']) / float(row['median_ms']) * 1e-6
        # The median is rounded to a nanosecond.
        assert abs(float(row['GBps']) / rate - 1) < 0.02 + 1e-6 / float(row['median_ms']), row
        assert abs(float(row['items_per_s']) / (1e6 / float(row['median_ms'])) - 1) < \
            0.02 + 1e-6 / float(row['median_ms']), row


def test_sizes():
    rows = measured('--sizes', '5..7,2^3,77', '--filter', 'reduce_sum/i32/gpuprims', '--repeat', 2)
    assert [r['n'] for r in rows] == ['32', '64', '128', '8', '77']
    rows = measured('--sizes', '2..4-3,2^10-1', '--filter', 'reduce_sum/i32/gpuprims', '--repeat', 1)
    assert [r['n'] for r in rows] == ['1', '5', '13', '1023']


def test_distributions():
    rows = measured('--distribution', 'all', '--sizes', 300, '--repeat', 1, '--check',
                    '--filter', 'scan_exclusive_sum/i32,scan_inclusive_max/f32,compact/u8,reduce_sum/f64')
    assert list(dict.fromkeys(r['distribution'] for r in rows)) == DISTRIBUTIONS
    rows = measured('--distribution', 'zipf,few', '--sizes', 300, '--repeat', 1, '--filter', 'reduce_max')
    assert list(dict.fromkeys(r['distribution'] for r in rows)) == ['zipf', 'few']


def test_cache_and_batch():
    for arguments, wanted in [
            (['--warm'], [('warm', '1')]), (['--cold'], [('cold', '1')]),
            (['--cold', '--warm', '--batch', '1,3'], [('cold', '1'), ('warm', '1'), ('warm', '3')]),
            (['--batch', '3', '--warm'], [('warm', '3')])]:
        rows = measured('--sizes', 64, '--repeat', 2, '--filter', 'reduce_sum/i32/gpuprims', *arguments)
        assert [(r['cache'], r['batch']) for r in rows] == wanted, arguments


SAMPLE_COLUMNS = ('primitive,type,distribution,n,cache,batch,gpuprims_ms,cub_ms,cub_toolkit_ms,of_better_cub,gpu,driver,'
                  'toolkit,cub,cub_toolkit,commit,date,repeat').split(',')
SAMPLED = [f'scan_exclusive_sum/{t}' for t in 'i32 f32 i64 u8'.split()] + ['scan_inclusive_max/i32', 'reduce_sum/i32']
SAMPLED += ['reduce_sum/f64', 'compact/u32', 'partition/u32', 'transform/i32', 'merge/u32']
SAMPLED_KEYS = [f'sort/{t}' for t in 'u32 u64 u8 f64'.split()] + ['sort_pairs/u32', 'sort_pairs_bits/u64', 'merge_sort/u32']
MODES = [('cold', '1'), ('warm', '1'), ('warm', '20')]


def sampled(*arguments, exe=EXE):
    result = gpbench('--sample', '--csv', PATH, *arguments, exe=exe)
    assert result.returncode == 0 and result.stderr == '', result
    with open(PATH, newline='', encoding='utf-8') as stream:
        reader = csv.DictReader(stream, strict=True)
        rows = list(reader)
    assert reader.fieldnames == SAMPLE_COLUMNS, reader.fieldnames
    assert f'a sample of {len(rows)} rows, ' in result.stdout, result.stdout
    return rows, result.stdout


def test_sample_is_short():
    result = gpbench('--sample', '--list')
    assert result.returncode == 0 and result.stderr == '', result
    rows, seconds = re.fullmatch(r'a sample of (\d+) rows, which takes about (\d+) s on an H200\n', result.stdout).groups()
    assert 1000 < int(rows) <= 1500 and int(seconds) < 300, result.stdout


def test_sample():
    rows, printed = sampled('--sizes', '300', '--repeat', 1)
    expected = [(*group.split('/'), 'uniform') for group in SAMPLED]
    expected += [(*group.split('/'), distribution) for group in SAMPLED_KEYS for distribution in
                 'uniform entropy zipf sorted reversed runs512 small few constant'.split()]
    assert sorted((r['primitive'], r['type'], r['distribution'], r['cache'], r['batch']) for r in rows) == \
        sorted((*row, *mode) for row in expected for mode in MODES)
    assert {r['n'] for r in rows} == {'300'} and all(float(r['gpuprims_ms']) > 0 for r in rows)
    if rows[0]['gpu'] == 'CPU backend':
        assert {r['of_better_cub'] for r in rows} == {''}
        assert printed.endswith(f'\n{len(rows)} rows, and no CUB beside them\n'), printed


def test_summary_of_the_sample():
    """Of implementations that take 8 ms, and 6 and 4 as CUBs."""
    rows, printed = sampled('--repeat', 3, exe=PLANTED)
    assert [(r['distribution'], r['n'], r['cache'], r['batch']) for r in rows] == \
        [(d, n, *mode) for d in ('uniform', 'few') for n in ('16', '64') for mode in MODES]
    for row in rows:
        ratio = min(float(row['cub_ms']), float(row['cub_toolkit_ms'])) / float(row['gpuprims_ms'])
        assert abs(float(row['of_better_cub']) - ratio) < 0.001, row
    ratios = [float(row['of_better_cub']) for row in rows]
    summary = re.search(r'\nall +(\d+) +(\d+) +([\d.]+) +([\d.]+)\n\nthe worst rows\n(.*)', printed, re.S).groups()
    assert summary[:2] == ('12', str(sum(ratio < 1.05 for ratio in ratios))), printed
    assert abs(float(summary[3]) - min(ratios)) < 0.001 and min(ratios) < 0.9, printed
    assert min(ratios) <= float(summary[2]) <= max(ratios) and len(summary[4].splitlines()) == 12, printed


def test_the_rest_of_the_options():
    rows = measured('--sizes', 1000, '--repeat', 3, '--block', 64, '--offset-in', 3, '--offset-out', 5,
                    '--check', '--filter', 'scan_exclusive_sum/i32,compact,partition,gather,scatter,flags')
    for row in rows:
        assert (row['repeat'], row['block'], row['offset_in'], row['offset_out']) == ('3', '64', '3', '5')
    result = gpbench('--sizes', 1000, '--repeat', 2, '--block', '32,1024', '--filter', 'reduce_max/i32', '--csv', PATH)
    assert result.returncode == 0 and 'reduce_max/i32/find_max/1024 ' in result.stdout, result
    with open(PATH, newline='', encoding='utf-8') as stream:
        rows = list(csv.DictReader(stream))
    assert [r['block'] for r in rows if r['implementation'] == 'find_max'] == ['32', '1024']
    assert [r['block'] for r in rows if r['implementation'] == 'gpuprims'] == ['32']
    rows = measured('--sizes', 64, '--repeat', 1, '--filter', 'reduce_max', '--cpu',
                    env={**os.environ, 'GPBENCH_COMMIT': 'a,"b"\n'})
    assert {r['commit'] for r in rows} == {'a  b '}
    assert 'cpu' in {r['implementation'] for r in rows}


def test_fresh_data():
    """Every run has other data, for which a result of the data before is found out to be wrong."""
    what = ['--sizes', 1000, '--repeat', 4, '--fresh', '--check']
    rows = measured(*what, '--cpu', '--filter', 'scan_exclusive_sum/i32,scan_exclusive_sum/f32,compact,partition,gather,'
                    'sort/i32,reduce_sum')
    assert {r['fresh'] for r in rows} == {'1'}
    if PLANTED:
        result = gpbench(*what, '--filter', 'planted_scan/u32/right,planted_scan/u32/stale', exe=PLANTED)
        assert result.returncode == 1 and result.stderr.count('wrong') == 1, result
        assert re.search(r'planted_scan/u32/stale, uniform, n = 1000: item \d+ ', result.stderr), result.stderr
        result = gpbench('--sizes', 1000, '--repeat', 4, '--filter', 'planted_scan/u32/stale', exe=PLANTED)
        assert result.returncode == 0, result


def test_copies():
    rows = measured('--sizes', 1000, '--repeat', 2, '--copies', '--warm', '--cpu',
                    '--filter', 'scan_exclusive_sum/i32,compact,partition,gather/u32,scatter_if,sort_pairs/u32,'
                    'reduce_sum/i32')
    assert {r['cache'] for r in rows} == {'copies', 'warm'}
    names = {mode: {r['primitive'] + r['implementation'] for r in rows if r['cache'] == mode}
             for mode in ('copies', 'warm')}
    assert names['copies'] == {name for name in names['warm'] if 'cpu' not in name}
    assert 'compactcpu_threads' in names['warm'] and 'compactmemcpy' in names['copies']


def test_profile():
    result = gpbench('--profile', '--sizes', '100,2^8', '--filter', 'scan_exclusive_sum/i32/shared', '--block', '32,64')
    assert result.returncode == 0 and result.stderr == '', result
    calls = [['scan_exclusive_sum', name, 'i32', n, block]
             for n in ('100', '256') for name in ('shared', 'shared_unpadded') for block in ('32', '64')]
    assert [line.split() for line in result.stdout.splitlines()] == [[str(k), *call] for k, call in enumerate(calls, 1)]


def test_memory_that_there_is_not():
    if gpbench('--help').stdout.find('10..14') < 0:
        return    # CUDA
    result = gpbench('--sizes', '64,2^22', '--filter', 'reduce_sum/f64/cpu', '--repeat', 1,
                     env={**os.environ, 'GP_CPU_MEMORY': str(190 << 20)})
    assert result.returncode == 0 and 'n = 4194304' not in result.stderr, result
    result = gpbench('--sizes', '64,2^25', '--filter', 'reduce_sum/f64/cpu', '--repeat', 1,
                     env={**os.environ, 'GP_CPU_MEMORY': str(190 << 20)})
    assert result.returncode == 0, result
    assert 'n = 33554432: left out' in result.stderr and '1 of 2 left out' in result.stderr, result.stderr
    assert len(result.stdout.splitlines()) == 4, result.stdout


def test_files():
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))
        import signal
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with open(PATH, 'w', encoding='utf-8') as stream:
        stream.write('old')
    result = gpbench('--sizes', 64, '--repeat', 1, '--filter', 'reduce', '--csv', PATH, preexec_fn=limit)
    assert result.returncode == 2 and 'cannot write' in result.stderr, result
    with open(PATH, encoding='utf-8') as stream:
        assert stream.read() == 'old'
    with open('/dev/full', 'w', encoding='utf-8') as full:
        result = gpbench('--list', stdout=full)
    assert result.returncode == 2 and 'standard output' in result.stderr, result


def test_planted_errors_are_found():
    for arguments in ([], ['--check', '--batch', '1,2', '--warm']):
        result = gpbench('--sizes', '100', '--repeat', 3, '--csv', PATH, *arguments, exe=PLANTED)
        assert result.returncode == 1, result
        blamed = dict(re.findall(r'^gpbench: planted_\w+/u32/(\w+), uniform, n = 100: (.+)$', result.stderr,
                                 re.M))
        for name, words in {
                'wrong_value': 'item 50 ', 'wrong_last': 'item 99 ', 'overrun': 'byte 400 ',
                'underrun': 'byte -4 ', 'idle': 'item 0 ', 'failing': 'cudaErrorInvalidValue',
                'wrong_later': 'item 50 ', 'wrong_count': 'the count is 47, that of the reference 48',
                'past_count': 'byte 192 ', 'past_flags': 'item 90 ', 'wrong_on_host': 'item 50 '}.items():
            assert words in blamed.pop(name), (name, result.stderr)
        assert blamed == {}, blamed
        assert '11 wrong' in result.stderr
        with open(PATH, newline='', encoding='utf-8') as stream:
            names = {row['implementation'] for row in csv.DictReader(stream)}
        assert names == {'memcpy', 'right', 'stale', 'gpuprims', 'CUB', 'CUB_toolkit'}, names


def test_maps_are_permutations():
    sizes = '1,2,3,31,32,33,1000,4096,4097,300007'
    rows = measured('--sizes', sizes, '--repeat', 1, '--filter', 'planted_scatter/u32/right', exe=PLANTED)
    assert [r['n'] for r in rows] == sizes.split(',')


def test_tune():
    result = gpbench('tune', 'no such primitive')
    assert result.returncode == 2 and 'compact' in result.stderr, result
    result = gpbench('tune', 'compact', '--help')
    assert result.returncode == 0 and '--rounds' in result.stdout, result
    result = gpbench('tune', 'compact', '--cpu', '--limit', 2, '--rounds', 1, '--repeat', 1, '--sizes', 3000)
    assert result.returncode == 0, result
    for name in ('STAGES', 'LOOK_BACK_WARPS', 'SUM_WARPS', 'BYTE_LOOK_BACK_WARPS', 'BYTE_TEAMS', 'SIMPLE_BLOCKS',
                 'ROUNDS'):
        assert re.search(r'^#ifndef GPI_TUNE_COMPACT_%s\n#define GPI_TUNE_COMPACT_%s \d+\n#endif$' % (name, name),
                         result.stdout, re.M), result.stdout
    assert result.stdout.count('(present)') == 4 and result.stdout.count('of the present time') == 8
    assert 'compiled in ' in result.stderr and 'round 1 of 1, 2 of 2: GPI_TUNE_COMPACT_' in result.stderr, result


def test_tune_knows_every_constant():
    """And tries no more combinations of them than anybody would wait for."""
    folder = HERE / '../../gpuprims/core'
    header = ''.join(path.read_text(encoding='utf-8') for path in folder.glob('*/tuning.cuh'))
    known = set()
    for primitive in re.search(r'\{([\w,]+)\}', gpbench('tune', '--help').stdout)[1].split(','):
        result = gpbench('tune', primitive, '--dry-run')
        assert result.returncode == 0 and '(present)' in result.stdout, result
        assert result.stdout.count('\n') < 200, primitive
        known |= set(re.findall(r'(GPI_TUNE_\w+)=\d', result.stdout))
    assert known == set(re.findall(r'^#define (GPI_TUNE_\w+) \d', header, re.M)), known


def test_tune_leaves_out_what_fails():
    """What does not compile, what the device refuses; and a program that takes too long is stopped."""
    script = """
import sys
sys.path.insert(0, sys.argv.pop(1))
import tune
task = tune.PRIMITIVES['scatter'][0]
task['shapes'] = {'GPI_TUNE_SCATTER_THREADS': [256, 2048], 'GPI_TUNE_SCATTER_UNITS': [1, -1]}
task['instances'] = task['instances'][1:2]
try:
    tune.run(['sh', '-c', 'sleep 100 & wait'], 1)
except tune.Problem as problem:
    print(problem)
sys.exit(tune.main())
"""
    result = subprocess.run([sys.executable, '-c', script, HERE, 'scatter', '--cpu', '--rounds', '2', '--repeat', '1',
                             '--sizes', '3000'], capture_output=True, text=True, check=False, timeout=280)
    assert result.returncode == 0, result
    assert result.stdout.startswith('took more than 1 s\n'), result.stdout
    assert result.stdout.count('of the present time') == 1, result.stdout
    assert result.stderr.count('left out: ') == 3, result.stderr
    for words in ('THREADS=256 GPI_TUNE_SCATTER_UNITS=-1: left out: variant1_0 does not compile: ',
                  'THREADS=2048 GPI_TUNE_SCATTER_UNITS=1: left out: gather_map32/u32/gpuprims, uniform, n = 3000: '):
        assert words in result.stderr, (words, result.stderr)


def test_plots():
    folder = os.path.join(WORK, 'plots')
    command = [sys.executable, str(HERE / 'plots.py'), '--out', folder]
    measured('--sizes', '6..8', '--repeat', 1, '--filter', 'reduce')
    result = subprocess.run([*command, '--tables-only', '--sizes', '64,2^8', PATH], capture_output=True, text=True,
                            check=False)
    assert result.returncode == 0 and result.stderr == '', result
    with open(os.path.join(folder, 'tables.md'), encoding='utf-8') as stream:
        table = stream.read()
    assert '## reduce_sum' in table and '| f32 | 2^6 | gpuprims |' in table and '2^7' not in table, table
    result = subprocess.run([*command, __file__], capture_output=True, text=True, check=False)
    assert result.returncode == 2 and re.fullmatch(r'plots.py: [^\n]+\n', result.stderr), result


# ---- TAP ----

ANYWHERE = [test_help, test_list, test_filter_and_types, test_bad_options, test_sample_is_short, test_no_gpu_is_a_skip]
WITH_DEVICE = [test_every_row, test_bytes, test_sizes, test_distributions, test_cache_and_batch,
               test_sample, test_summary_of_the_sample,
               test_the_rest_of_the_options, test_fresh_data, test_copies, test_profile,
               test_memory_that_there_is_not, test_files,
               test_planted_errors_are_found, test_maps_are_permutations, test_tune,
               test_tune_knows_every_constant, test_tune_leaves_out_what_fails, test_plots]
OF_PLANTED = [test_summary_of_the_sample, test_planted_errors_are_found, test_maps_are_permutations]


def main():
    tests = ANYWHERE + WITH_DEVICE
    print('1..%d' % len(tests))
    no_device = gpbench('--sizes', '8', '--filter', 'reduce_sum/i32', '--repeat', 1).returncode == 77
    failed = 0
    for number, test in enumerate(tests, 1):
        name = test.__name__[len('test_'):].replace('_', ' ')
        if no_device and test in WITH_DEVICE:
            print('ok %d - %s # SKIP no GPU answers' % (number, name))
            continue
        if test in OF_PLANTED and PLANTED is None:
            print('ok %d - %s # SKIP no program with planted errors was given' % (number, name))
            continue
        started = time.monotonic()
        try:
            test()
            print('ok %d - %s' % (number, name))
        except Exception as error:    # one failing test must not hide the others
            failed += 1
            place = error.__traceback__
            while place.tb_next is not None:
                place = place.tb_next
            print('not ok %d - %s' % (number, name))
            print('# line %d: %s' % (place.tb_lineno, type(error).__name__))
            print('#   ' + str(error)[:3000].replace('\n', '\n#   '))
        print('# %.1f s' % (time.monotonic() - started))
        sys.stdout.flush()
    return 1 if failed else 0


if __name__ == '__main__':
    try:
        status = main()
    finally:
        shutil.rmtree(WORK, ignore_errors=True)
    sys.exit(status)
