#!/usr/bin/env python3
"""Test of the comparison program, examples/compare. TAP on stdout.

    test_compare.py COMPARE [COMPARE_PLANTED]

COMPARE_PLANTED is the same program built with -DCOMPARE_PLANTED: it has implementations that are
wrong on purpose, and must say so. A CUDA build is tested as far as a GPU answers: what needs one
is skipped, visibly, where the program exits with 77.
"""

import csv
import glob
import math
import os
import pty
import re
import resource
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zlib

EXE = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else sys.exit(__doc__)
PLANTED = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else None

with open(EXE, 'rb') as program:
    SANITIZED = b'__asan_init' in program.read()

# The sanitizers slow everything down tenfold. What large inputs show, the build without them shows.
FILE_BYTES = 4001 if SANITIZED else 40001

RUN = re.compile(r'==== (.+), (power-of-two|non-power-of-two|full length|full length - 3) ====$')
TIME = re.compile(r'   elapsed time: \d+\.\d{6}ms    \((CUDA events|host clock|CPU backend)\)$')
END_TO_END = re.compile(r'   end to end:   \d+\.\d{6}ms    \(host clock, copies included\)$')

CSV_COLUMNS = ('section,implementation,type,n,kernel_ms,end_to_end_ms,clock,result,'
               'mismatch_index,expected,got,block,repeat,seed').split(',')

# What must be there. More may: the table grows, and CUB runs with CUDA only.
SCANS = ['cpu scan', 'cpu threads scan', 'naive scan', 'work-efficient scan',
         'work-efficient scan (active threads only)', 'shared-memory scan',
         'shared-memory scan (padded banks)', 'warp-shuffle scan', 'gpuprims scan (scan.cuh)']
COMPACTIONS = ['cpu compact without scan', 'cpu compact with scan', 'naive map-scan-scatter',
               'work-efficient map-scan-scatter', 'shared-memory map-scan-scatter',
               'warp-shuffle map-scan-scatter', 'gpuprims compact (compact.cuh)']
MAXIMA = ['cpu find-max', 'pairwise find-max', 'gpuprims maximum (reduce.cuh)']
SORTS = ['cpu sort (qsort)', 'split sort (maximum first)', 'bitonic sort', 'odd-even merge sort',
         'gpuprims sort (merge_sort.cuh)', 'gpuprims sort (radix_sort.cuh)']


# ---- running it and reading what it prints ----

def compare(*arguments, exe=EXE, **keywords):
    keywords.setdefault('stdout', subprocess.PIPE)
    return subprocess.run([exe, *map(str, arguments)], stderr=subprocess.PIPE, text=True,
                          timeout=600, **keywords)


def cells(line):
    """The values of an array print; None stands for the three dots."""
    assert line.startswith('    [ ') and line.endswith(']'), line
    words = line[6:-1].split()
    for word in words:    # right-aligned to a width of 3, one space behind each
        assert '%3s ' % word in line, line
    assert '    [ ' + ''.join('%3s ' % word for word in words) + ']' == line, line
    values = [None if word == '...' else float(word) for word in words]
    assert None not in values or (len(values) == 16 and values.index(None) == 13), line
    assert None in values or len(values) <= 16, line
    return values


def parse(output):
    """The sections of the output: [{title, input, runs: [{name, label, clock, array, lines}]}]."""
    sections = []
    lines = output.split('\n')
    i = 0
    while i < len(lines):
        line = lines[i]
        if re.fullmatch(r'\*+', line):
            title = re.fullmatch(r'\*\* (.+) \*\*', lines[i + 1])
            assert title and len(lines[i + 1]) == len(line) and lines[i + 2] == line, line
            assert lines[i - 1] == ''
            sections.append({'title': title.group(1), 'input': cells(lines[i + 3]), 'runs': []})
            i += 3
        elif RUN.match(line):
            name, label = RUN.match(line).groups()
            run = {'name': name, 'label': label, 'clock': None, 'end_to_end': False,
                   'array': None, 'verdict': None}
            if TIME.match(lines[i + 1]):
                i += 1
                run['clock'] = TIME.match(lines[i]).group(1)
            if END_TO_END.match(lines[i + 1]):
                i += 1
                run['end_to_end'] = True
            if lines[i + 1].startswith('    ['):
                i += 1
                run['array'] = cells(lines[i])
            i += 1
            run['verdict'] = lines[i]
            sections[-1]['runs'].append(run)
        else:
            assert '====' not in line and 'elapsed' not in line and 'passed' not in line.replace(
                'runs passed', ''), line
        i += 1
    return sections


def check_passed(result):
    """A run in which everything passed: its layout and its summary. Gives the sections."""
    assert result.returncode == 0, (result.returncode, result.stdout[-2000:], result.stderr)
    assert result.stderr == '', result.stderr
    sections = parse(result.stdout)
    runs = [run for section in sections for run in section['runs']]
    assert runs
    for section in sections:
        labels = []
        for run in section['runs']:
            assert run['verdict'] == '    passed', run
            assert run['clock'] is not None, run
            assert run['end_to_end'] == (run['clock'] != 'host clock'), run
            assert (run['array'] is not None) == (run['label'] not in labels), run
            labels.append(run['label'])
    assert result.stdout.endswith('\n\nall %d runs passed\n' % len(runs)), result.stdout[-200:]
    return sections


def check_refused(result, *words):
    """Exit status 2, one sentence on stderr that says these words, nothing on stdout."""
    assert result.returncode == 2, (result.returncode, result.stderr)
    assert result.stdout in ('', None), result.stdout
    assert re.fullmatch(r'compare: [^\n]+\n', result.stderr), result.stderr
    for word in words:
        assert word in result.stderr, (word, result.stderr)


def check_values(sections, data, type_name):
    """The printed arrays against a computation of our own: data are the elements of the file."""
    def wrap(x):
        if type_name == 'f32':
            return x
        x &= 0xffffffff
        return x - (1 << 32) if type_name == 'i32' and x >= 1 << 31 else x

    def same(printed, values):
        if len(values) > 16:
            values = values[:13] + [None] + values[-2:]
        assert len(printed) == len(values), (printed, values)
        for a, b in zip(printed, values):
            if a is None or b is None:
                assert a is b
            elif type_name != 'f32':
                assert a == b, (a, b)
            else:    # six digits are printed, of a sum that rounds
                assert (math.isnan(a) and math.isnan(b)) or a == b or math.isclose(
                    a, b, rel_tol=1e-3, abs_tol=1e-30), (a, b)

    for section in sections:
        same(section['input'], data)
        for run in section['runs']:
            if run['array'] is None:
                continue
            part = data if '3' not in run['label'] else data[:-3]
            if section['title'] == 'SCAN TESTS':
                sums, total = [], 0
                for x in part:
                    sums.append(wrap(total))
                    total += x
                same(run['array'], sums)
            elif section['title'] == 'FIND-MAX TESTS':
                nan = [x for x in part if math.isnan(x)]
                same(run['array'], nan[:1] or [max(part)])
            elif section['title'] == 'SORT TESTS':
                same(run['array'], sorted(part))
            else:
                same(run['array'], [x for x in part if x != 0])


# ---- the files ----

WORK = tempfile.mkdtemp(prefix='test_compare.')


def make_file(name, data):
    path = os.path.join(WORK, name)
    with open(path, 'wb') as f:
        f.write(data)
    return path


def make_png(width, height):
    """A real PNG, for machines that have none lying about."""
    def chunk(kind, data):
        return (struct.pack('>I', len(data)) + kind + data +
                struct.pack('>I', zlib.crc32(kind + data)))
    rows = b''.join(b'\0' + bytes((x * y) & 255 for x in range(width)) for y in range(height))
    return (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, 8, 0, 0,
                                                              0, 0)) +
            chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))


def real_files():
    """A text, an image and a binary that this machine has; the first FILE_BYTES of each, so that
    the CPU backend is done in seconds."""
    patterns = [('text', [os.path.join(os.path.dirname(os.path.abspath(__file__)), '..',
                                       'README.md'), os.path.abspath(__file__)]),
                ('image', glob.glob('/usr/share/**/*.png', recursive=True)),
                ('binary', ['/bin/ls', sys.executable, EXE])]
    for kind, candidates in patterns:
        data = b''
        for path in candidates:
            if os.path.isfile(path) and os.path.getsize(path) > 1000:
                with open(path, 'rb') as f:
                    data = f.read(FILE_BYTES)
                break
        yield kind, data or make_png(200, 100)


def elements(data, type_name):
    code = {'u8': 'B', 'i32': 'i', 'u32': 'I', 'f32': 'f'}[type_name]
    return list(struct.unpack('<%d%s' % (len(data) // struct.calcsize(code), code), data))


# ---- the tests: those that need no GPU ----

def test_help():
    for option in ('--help', '-h'):
        result = compare(option)
        assert result.returncode == 0 and result.stderr == ''
        for word in ('--size', '--block', '--seed', '--repeat', '--csv', '--only', '--input',
                     '--type', '--help', 'u8', 'Exit status'):
            assert word in result.stdout, word
        assert max(map(len, result.stdout.split('\n'))) <= 100


def test_bad_options():
    for arguments, words in [
            (['--nonsense'], ['--nonsense', '--help']),
            (['nonsense'], ['nonsense']),
            ([''], ['--help']),
            (['--siz', '8'], ['--siz']),
            (['--sizes=8'], ['--sizes']),
            (['--size'], ['--size', 'value']),
            (['--csv'], ['--csv', 'value']),
            (['--size', '0'], ['--size', "'0'"]),
            (['--size', '-8'], ['--size', "'-8'"]),
            (['--size', '8x'], ['--size']),
            (['--size', ''], ['--size']),
            (['--size='], ['--size']),
            (['--size', ' 8'], ['--size']),
            (['--size', '1e6'], ['--size']),
            (['--size', '2^41'], ['--size']),
            (['--size', '2^64'], ['--size']),
            (['--size', '2^'], ['--size']),
            (['--size', '3^4'], ['--size']),
            (['--size', '2^2^2'], ['--size']),
            (['--size', '99999999999999999999999'], ['--size']),
            (['--block', '0'], ['--block', '1024']),
            (['--block', '31'], ['--block']),
            (['--block', '96'], ['--block']),
            (['--block', '2048'], ['--block']),
            (['--seed', '-1'], ['--seed']),
            (['--seed', '18446744073709551616'], ['--seed']),
            (['--repeat', '0'], ['--repeat']),
            (['--repeat', '1000000'], ['--repeat']),
            (['--type', 'f64'], ['--type', 'f64']),
            (['--type', ''], ['--type']),
            (['--input', ''], ['--input']),
            (['--csv', ''], ['--csv']),
            (['--only', 'no such thing'], ['--only', 'no such thing']),
            (['--size', '8', '--input', EXE], ['--size', '--input'])]:
        check_refused(compare(*arguments), *words)


def test_too_large():
    check_refused(compare('--size', '2^40'), 'GiB')


def test_bad_input_files():
    check_refused(compare('--input', WORK + '/absent'), 'absent', 'No such file')
    check_refused(compare('--input', WORK), WORK, 'directory')
    check_refused(compare('--input', '/dev/zero'), '/dev/zero')
    empty = make_file('empty', b'')
    check_refused(compare('--input', empty), 'empty')
    for length in (1, 2, 3, 5, 4097):
        path = make_file('truncated', bytes(length))
        for type_name in ('i32', 'u32', 'f32'):
            check_refused(compare('--input', path, '--type', type_name), path, 'truncated')
    if os.path.exists('/proc/self/mem'):    # can be opened; reading it fails
        check_refused(compare('--input', '/proc/self/mem'), '/proc/self/mem')
    if os.getuid() != 0:
        path = make_file('secret', b'x')
        os.chmod(path, 0)
        check_refused(compare('--input', path), 'secret', 'Permission denied')


def test_bad_csv_files():
    check_refused(compare('--csv', WORK + '/absent/x.csv'), 'absent/x.csv', 'No such file')
    check_refused(compare('--csv', WORK), WORK, 'directory')
    check_refused(compare('--csv', '/dev/null'), '/dev/null')
    check_refused(compare('--csv', WORK + '/' + 300 * 'x'), 'name too long')
    check_refused(compare('--csv', WORK + '/' + 5000 * 'x'), 'too long')
    if os.getuid() != 0:
        folder = os.path.join(WORK, 'locked')
        os.mkdir(folder, 0o500)
        check_refused(compare('--csv', folder + '/x.csv'), 'Permission denied')


def test_no_gpu_is_a_skip():
    result = compare('--size', '8')
    if result.returncode == 77:
        assert re.fullmatch(r'compare: no GPU answers[^\n]*\n', result.stderr), result.stderr
        assert result.stdout == ''
        path = os.path.join(WORK, 'no-gpu.csv')
        assert compare('--csv', path).returncode == 77
        assert not glob.glob(path + '*')
    else:
        assert result.returncode == 0


# ---- the tests that run the primitives ----

def test_default_run():
    def processor_seconds():    # others may be busy on this machine: the clock on the wall misleads
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime
    started = processor_seconds()
    result = compare(*['--size=2^12'] if SANITIZED else [])
    elapsed = processor_seconds() - started
    sections = check_passed(result)
    assert [section['title'] for section in sections][:4] == [
        'SCAN TESTS', 'STREAM COMPACTION TESTS', 'FIND-MAX TESTS', 'SORT TESTS']
    for section, wanted in zip(sections, (SCANS, COMPACTIONS, MAXIMA, SORTS)):
        for label in ('power-of-two', 'non-power-of-two'):
            names = [run['name'] for run in section['runs'] if run['label'] == label]
            assert len(names) == len(set(names))
            for name in wanted:
                assert name in names, name
    size = 4096 if SANITIZED else 65536
    assert ' %d elements of i32, random, seed 1\n' % size in result.stdout
    assert '==== naive scan, power-of-two ====\n' in result.stdout
    print('# the default run took %.1f s of the processors' % elapsed)
    assert SANITIZED or elapsed < 20, elapsed


def test_arithmetic_of_what_is_printed():
    scan, compaction = check_passed(compare('--size', '2^10'))[:2]
    first = scan['runs'][0]['array']
    total = 0
    for value, printed in zip(scan['input'][:13], first[:13]):
        assert 0 <= value < 50 and printed == total, (value, printed, total)
        total += value
    assert scan['input'][-1] == 0
    assert first[-1] == first[-2] + scan['input'][-2]
    assert all(0 <= value < 4 for value in compaction['input'] if value is not None)
    kept = [value for value in compaction['input'][:13] if value != 0]
    assert compaction['runs'][0]['array'][:len(kept)] == kept


def test_worked_example():
    path = make_file('example', bytes([1, 5, 0, 1, 2, 0, 3]))
    result = compare('--input', path)
    check_values(check_passed(result), [1, 5, 0, 1, 2, 0, 3], 'u8')
    for line in ('    [   1   5   0   1   2   0   3 ]', '    [   0   1   6   6   7   9   9 ]',
                 '    [   0   1   6   6 ]', '    [   1   5   1   2   3 ]', '    [   1   5   1 ]',
                 '==== naive scan, full length ====', '==== naive scan, full length - 3 ===='):
        assert line + '\n' in result.stdout, line


def test_sizes():
    for size, labels in [('1', ['full length']), ('2', ['full length']), ('3', ['full length']),
                         ('4', ['full length', 'full length - 3']),
                         ('8', ['power-of-two', 'non-power-of-two']),
                         ('16', ['power-of-two', 'non-power-of-two']),
                         ('17', ['full length', 'full length - 3']),
                         ('2^5', ['power-of-two', 'non-power-of-two']),
                         ('1000', ['full length', 'full length - 3']),
                         ('4096', ['power-of-two', 'non-power-of-two']),
                         ('4099', ['full length', 'full length - 3'])]:
        sections = check_passed(compare('--size', size, '--type', 'u32'))
        for section in sections:
            seen = [run['label'] for run in section['runs']]
            assert seen == labels * (len(seen) // len(labels)), (size, seen)
            assert len(section['input']) == (16 if len(size) > 1 else int(size)), size


def test_types():
    for type_name in ('u8', 'i32', 'u32', 'f32'):
        for size in ('7', '1000', '2^12'):
            result = compare('--size', size, '--type', type_name)
            check_passed(result)
            assert ' elements of %s, random' % type_name in result.stdout


def test_seed():
    def arrays(*arguments):
        result = compare('--size', '1024', *arguments)
        return [section['input'] for section in check_passed(result)]
    assert arrays() == arrays('--seed', '1') == arrays('--seed=1')
    assert arrays('--seed', '2') != arrays()
    assert ', seed 18446744073709551615\n' in compare('--size=8', '--seed',
                                                      18446744073709551615).stdout


def test_block_and_repeat():
    for block in (32, 64, 1024):
        result = compare('--size', '3000', '--block', block, '--repeat', 3)
        check_passed(result)
        assert 'blocks of %d threads' % block in result.stdout
        assert 'median of 3' in result.stdout


def test_only():
    def names(pattern):
        sections = check_passed(compare('--size', '100', '--only', pattern))
        return [run['name'] for section in sections for run in section['runs']]
    assert names('naive scan') == 2 * ['naive scan']
    assert names('NAIVE Scan') == 2 * ['naive scan']
    assert names('active threads') == 2 * ['work-efficient scan (active threads only)']
    assert set(COMPACTIONS) <= set(names('stream compaction'))
    assert not set(SCANS) & set(names('stream compaction'))
    assert set(names('')) >= set(SCANS + COMPACTIONS)
    assert len(check_passed(compare('--size', '100', '--only', 'cpu'))) >= 2


def read_csv(path):
    with open(path, newline='') as f:
        rows = list(csv.DictReader(f, strict=True))
    for row in rows:
        assert list(row) == CSV_COLUMNS and None not in row.values(), row
    return rows


def test_csv():
    path = make_file('results.csv', b'the results of an earlier run\n')
    os.chmod(path, 0o644)
    sections = check_passed(compare('--size=2^10', '--csv', path, '--seed', 7, '--repeat', 2))
    rows = read_csv(path)
    runs = [run for section in sections for run in section['runs']]
    assert len(rows) == len(runs)
    for row, run in zip(rows, runs):
        assert row['implementation'] == run['name']
        assert row['section'] in ('scan', 'stream compaction', 'find-max', 'sort')
        assert int(row['n']) == (1024 if run['label'] == 'power-of-two' else 1021)
        assert row['clock'] == run['clock']
        assert 0 <= float(row['kernel_ms']) and 0 < float(row['end_to_end_ms'])
        assert row['result'] == 'passed'
        assert row['mismatch_index'] == row['expected'] == row['got'] == ''
        assert (row['type'], row['block'], row['repeat'], row['seed']) == ('i32', '256', '2', '7')
    check_passed(compare('--csv', path, '--input', EXE, '--only', 'cpu scan'))
    assert [row['seed'] for row in read_csv(path)] == ['', '']
    assert read_csv(path)[0]['type'] == 'u8'
    assert glob.glob(path + '*') == [path]


def test_csv_in_this_folder():
    check_passed(compare('--size=8', '--csv', 'here.csv', cwd=WORK))
    assert read_csv(os.path.join(WORK, 'here.csv'))


def test_csv_on_a_full_disk():
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
    path = os.path.join(WORK, 'full.csv')
    result = compare('--size=8', '--csv', path, preexec_fn=limit, restore_signals=False)
    assert result.returncode == 2, result
    assert re.fullmatch(r'compare: cannot write [^\n]*full\.csv: [^\n]+\n', result.stderr)
    assert not glob.glob(path + '*')


def test_interrupted():
    path = os.path.join(WORK, 'interrupted.csv')
    process = subprocess.Popen([EXE, '--size=2^14', '--repeat=10000', '--csv', path],
                               stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not glob.glob(path + '.tmp*') and time.monotonic() < deadline:
        time.sleep(0.01)
    assert glob.glob(path + '.tmp*') and not os.path.exists(path)
    time.sleep(0.05)
    process.terminate()
    assert process.wait(timeout=60) == -signal.SIGTERM
    assert not glob.glob(path + '*')


def test_full_stdout():
    if os.path.exists('/dev/full'):
        with open('/dev/full', 'w') as full:
            result = compare('--size=8', stdout=full)
        check_refused(result, 'standard output')


def test_progress_on_a_terminal_only():
    """Progress is for someone who waits: on a terminal, after two seconds, and wiped out."""
    started = time.monotonic()
    check_passed(compare('--size=2^12', '--repeat=2'))    # looks at stderr, which is no terminal
    one = max(time.monotonic() - started, 0.001) / 2
    master, slave = pty.openpty()
    process = subprocess.Popen([EXE, '--size=2^12', '--repeat=%d' % min(4 / one + 2, 10000)],
                               stdout=subprocess.DEVNULL, stderr=slave)
    os.close(slave)
    text = b''
    while True:
        try:
            if select.select([master], [], [], 300)[0]:
                data = os.read(master, 4096)
        except OSError:    # how Linux says that the other side has closed
            break
        if not data:
            break
        text += data
    os.close(master)
    assert process.wait(timeout=60) == 0
    if b'running' in text:
        assert re.search(rb'running \d+ of \d+, \d+ s so far', text), text
    else:
        print('# too fast to see any progress')
    assert text.endswith(b'\r\033[K') and b'\n' not in text, text


def test_real_files():
    for kind, data in real_files():
        whole = data[:len(data) // 4 * 4]
        for type_name in ('u8', 'i32', 'u32', 'f32'):
            content = data if type_name == 'u8' else whole
            path = make_file(kind, content)
            result = compare('--input', path, '--type', type_name)
            sections = check_passed(result)
            assert ' elements of %s from %s\n' % (type_name, path) in result.stdout
            assert {run['label'] for run in sections[0]['runs']} == {'full length',
                                                                     'full length - 3'}
            if type_name == 'f32':
                # Sums of arbitrary bits cancel and overflow, which six printed digits do not
                # show; the program's own check is the one that can judge them.
                compaction = [s for s in sections if s['title'] != 'SCAN TESTS']
                check_values(compaction, elements(content, type_name), type_name)
            else:
                check_values(sections, elements(content, type_name), type_name)


def test_whole_files():
    """Files as they are, of their real lengths."""
    here = os.path.dirname(os.path.abspath(__file__))
    for path in ('/bin/ls', __file__, os.path.join(here, 'tap.h')):
        if os.path.isfile(path) and (not SANITIZED or os.path.getsize(path) < 2 * FILE_BYTES):
            check_passed(compare('--input', path))


def test_pipe():
    data = bytes(range(200))
    with subprocess.Popen([sys.executable, '-c', 'import sys, time\n'
                           'for i in range(200):\n'
                           '    sys.stdout.buffer.write(bytes([i])); sys.stdout.flush()\n'
                           '    time.sleep(0.001)'], stdout=subprocess.PIPE) as source:
        result = compare('--input', '/dev/stdin', stdin=source.stdout)
    check_values(check_passed(result), list(data), 'u8')


def test_strange_floats():
    inf, nan, big, tiny = math.inf, math.nan, 3e38, 1e-45
    for name, values in [('signed zeros', [0.0, -0.0, 1.0, -0.0, 2.0]),
                         ('denormals', [tiny, tiny, 0.0, tiny, -tiny] * 9),
                         ('infinity', [1.0, inf, 2.0, 3.0, inf, 0.0]),
                         ('minus infinity', [1.0, -inf, 2.0, 3.0, 0.0]),
                         ('both', [1.0, inf, 2.0, -inf, 3.0, 0.0]),
                         ('nan', [1.0, 2.0, nan, 4.0, 0.0, nan]),
                         ('overflow', [1.0, big, big, -big, -big, big, 0.0] * 50),
                         ('cancellation', [big, 1.0, -big, 1.0, 0.0] * 100)]:
        path = make_file('floats', struct.pack('<%df' % len(values), *values))
        sections = check_passed(compare('--input', path, '--type', 'f32'))
        floats = elements(struct.pack('<%df' % len(values), *values), 'f32')
        check_values([s for s in sections if s['title'] != 'SCAN TESTS'], floats, 'f32')


def test_wrapping_sums():
    for type_name, code in (('i32', 'i'), ('u32', 'I')):
        values = [0x7fffffff] * 40 + [0]
        path = make_file('wrap', struct.pack('<41' + code, *values))
        check_values(check_passed(compare('--input', path, '--type', type_name)), values,
                     type_name)


def test_nothing_and_everything_kept():
    path = make_file('zeros', bytes(100))
    sections = check_passed(compare('--input', path, '--only', 'stream compaction'))
    assert sections[0]['runs'][0]['array'] == []
    path = make_file('ones', b'\1' * 100)
    check_values(check_passed(compare('--input', path)), [1] * 100, 'u8')


def test_planted_errors_are_found():
    path = os.path.join(WORK, 'planted.csv')
    for type_name in ('i32', 'f32'):
        result = compare('--size=1000', '--seed=3', '--type', type_name, '--only', 'planted',
                         '--csv', path, exe=PLANTED)
        assert result.returncode == 1, result
        assert result.stderr == '', result.stderr
        runs = [run for section in parse(result.stdout) for run in section['runs']]
        number = r'-?[\d.e+-]+'
        for name, pattern, outcome in [
                ('value', r'index 10: expected %s, got %s( \(may differ by %s\))?' %
                 (number, number, number), 'wrong value'),
                ('overrun', r'index (1000|997): expected nothing, .*', 'past the end'),
                ('host error', r'cudaErrorInvalidValue: .+', 'cudaErrorInvalidValue'),
                ('device error', r'cudaErrorInvalidValue: .+', 'cudaErrorInvalidValue'),
                ('idle scan', r'index 0: expected 0, got .+', 'wrong value'),
                ('idle compact', r'index \d+: expected .+, got .+', 'wrong value'),
                ('count', r'count: expected (\d+), got (\d+)', 'wrong count'),
                ('huge count', r'count: expected (\d+), got 18446744073709551616', 'wrong count')]:
            mine = [run for run in runs if run['name'] == 'planted ' + name]
            assert len(mine) == 2, name
            for run in mine:
                assert re.fullmatch('    failed: ' + pattern, run['verdict']), run
                assert run['array'] is None, run
            rows = [row for row in read_csv(path) if row['implementation'] == 'planted ' + name]
            assert [row['result'] for row in rows] == 2 * [outcome], rows
            if name == 'value':
                assert {row['mismatch_index'] for row in rows} == {'10'}
                assert all(row['expected'] != row['got'] for row in rows)
        assert result.stdout.endswith('\n\n%d of %d runs failed\n' % (len(runs), len(runs)))
        # What is right still passes beside what is wrong, in the table and in the summary.
        result = compare('--size=1000', '--type', type_name, exe=PLANTED)
        assert result.returncode == 1
        assert re.search(r'\n16 of (3\d|[4-9]\d) runs failed\n$', result.stdout), result.stdout


# ---- TAP ----

ANYWHERE = [test_help, test_bad_options, test_too_large, test_bad_input_files, test_bad_csv_files,
            test_no_gpu_is_a_skip]
WITH_DEVICE = [test_default_run, test_arithmetic_of_what_is_printed, test_worked_example,
               test_sizes, test_types, test_seed, test_block_and_repeat, test_only, test_csv,
               test_csv_in_this_folder, test_csv_on_a_full_disk, test_interrupted,
               test_full_stdout, test_progress_on_a_terminal_only, test_real_files,
               test_whole_files, test_pipe, test_strange_floats, test_wrapping_sums,
               test_nothing_and_everything_kept, test_planted_errors_are_found]


def main():
    tests = ANYWHERE + WITH_DEVICE
    print('1..%d' % len(tests))
    no_device = compare('--size', '8').returncode == 77
    failed = 0
    for number, test in enumerate(tests, 1):
        name = test.__name__[len('test_'):].replace('_', ' ')
        if no_device and test in WITH_DEVICE:
            print('ok %d - %s # SKIP no GPU answers' % (number, name))
            continue
        if test is test_planted_errors_are_found and PLANTED is None:
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
            for line in str(error).split('\\n'):
                print('#   ' + line.replace('\n', '\n#   '))
        print('# %.1f s' % (time.monotonic() - started))
        sys.stdout.flush()
    return 1 if failed else 0


if __name__ == '__main__':
    try:
        status = main()
    finally:
        shutil.rmtree(WORK, ignore_errors=True)
    sys.exit(status)
