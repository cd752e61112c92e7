#!/usr/bin/env python3
"""Test of the documentation, README.md and docs/. TAP on stdout.

    check_docs.py [--cc GCC] [--cxx COMPILER] [PAGE...]
    check_docs.py --nvcc NVCC [PAGE...]

What is shown must work, on the CPU backend or, with --nvcc, for CUDA, which leaves out what is no code. Fenced blocks are told apart by what follows the three backticks:

    c               A program, if it has a main: compiled as C11 for the CPU backend and run; as C++17
                    and by nvcc it is compiled, and run where there is a GPU. Where the runtime fails, it
                    says so and ends with an error.
                    Otherwise a fragment: preprocessor lines, functions and types go to file scope,
                    the statements into a function that has n, d_in, d_out, d_count, ws and stream.
    c continues     A fragment that needs what the one before it on the page has at file scope.
    c file=NAME     A file of the page's own folder, for the commands below.
    cuda            As c, but for nvcc alone (graphs, say).
    output          What the program or the commands before it print.
    sh cpu, sh cuda Commands, run in the page's folder. path/to/gpuprims stands for the library; the
                    second kind needs nvcc, and a GPU for what starts with ./

A fragment may need more variables: <!-- given: float *d_weights; --> on the line before it. Elsewhere in
a page, indented lines that compile first.cu are run on the page's first program.

Also: links and figures lead somewhere, docs/README.md lists every page, every public header and every
figure is mentioned, docs/figures/draw.py draws the figures that are there, and the tables and plots of
measurements are those of the CSV files in tests/benchmark/results.
"""

import argparse
import concurrent.futures
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

from test_parameter_errors import public_headers

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SAME_BITS = ['-fwrapv', '-ffp-contract=off']
WARNINGS = ['-Wall', '-Wextra', '-Werror']
FRAGMENT_WARNINGS = ['-Wno-unused', '-Wno-unused-parameter', '-Wno-uninitialized', '-Wno-maybe-uninitialized']

parser = argparse.ArgumentParser(usage=__doc__)
parser.add_argument('--cc', default=os.environ.get('CC', 'gcc'))
parser.add_argument('--cxx', default='')
parser.add_argument('--nvcc', default='')
parser.add_argument('pages', nargs='*')
options = parser.parse_args()
CC = shlex.split(options.cc)
CXX = shlex.split(options.cxx)
NVCC = shlex.split(options.nvcc)


def gpu_answers():
    try:
        found = subprocess.run(['nvidia-smi', '-L'], capture_output=True, text=True, timeout=60)
        return found.returncode == 0 and 'GPU ' in found.stdout
    except (OSError, subprocess.TimeoutExpired):
        return False


HAVE_GPU = bool(NVCC) and gpu_answers()
NVCC_ARCH = ['-arch=native'] if HAVE_GPU else ['-arch=sm_75']
NO_DEVICE = {'CUDA_VISIBLE_DEVICES': '', 'GP_CPU_MEMORY': '1'}  # CUDA finds no GPU, the CPU backend no memory

PROLOGUE = '''\
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gpuprims/gpuprims.h>
'''
# In C a void pointer is a pointer to anything; in CUDA it has to be int.
FRAGMENT = '''\
void fragment(const %(any)s *d_in, %(any)s *d_out, size_t n, size_t *d_count, gp_workspace ws, cudaStream_t stream);
void fragment(const %(any)s *d_in, %(any)s *d_out, size_t n, size_t *d_count, gp_workspace ws, cudaStream_t stream)
{
    (void)d_in, (void)d_out, (void)n, (void)d_count, (void)ws, (void)stream;
    {
%(given)s
        {
%(statements)s
        }
    }
}
'''


# ---- pages -----------------------------------------------------------------------------------------

class Block:
    def __init__(self, page, line, info, given):
        self.page, self.line, self.info, self.given = page, line, info, given
        self.lines = []
        self.before = None  # the fragment before it
        words = info.split()
        self.kind = words[0] if words else ''
        self.words = words[1:]

    @property
    def text(self):
        return '\n'.join(self.lines) + '\n'

    @property
    def where(self):
        return f'{self.page}:{self.line}'

    @property
    def file(self):
        return next((word[5:] for word in self.words if word.startswith('file=')), None)

    def is_program(self):
        return re.search(r'^int main\(', self.text, re.M) is not None


def read_blocks(page):
    """The fenced blocks of a page, and its other lines."""
    blocks, prose, block, given = [], [], None, ''
    for number, line in enumerate(open(os.path.join(ROOT, page), encoding='utf-8').read().split('\n'), 1):
        if block is not None:
            if line.strip() == '```':
                blocks.append(block)
                block = None
            else:
                block.lines.append(line)
            continue
        fence = re.match(r'```(.*)$', line)
        if fence:
            block = Block(page, number, fence.group(1).strip(), given)
            given = ''
            continue
        comment = re.match(r'<!-- given: (.*) -->$', line)
        given = comment.group(1) if comment else ''
        prose.append(line)
    if block is not None:
        blocks.append(block)
        block.kind = 'unclosed'
    return blocks, prose


def units(text):
    """Splits code at blank lines outside of braces, and around preprocessor lines."""
    unit, depth, continued = [], 0, False
    for line in text.split('\n'):
        bare = re.sub(r'//.*|/\*.*?\*/|"(\\.|[^"\\])*"|\'(\\.|[^\'\\])\'', '', line)
        if continued or (depth == 0 and re.match(r'\s*#', line)):
            if not continued:
                yield unit
                unit = []
            unit.append(line)
            continued = line.endswith('\\')
            if not continued:
                yield unit
                unit = []
            continue
        if not line.strip() and depth == 0:
            yield unit
            unit = []
            continue
        unit.append(line)
        depth += bare.count('{') + bare.count('(') - bare.count('}') - bare.count(')')
    yield unit


FILE_SCOPE = re.compile(r'(#|static |typedef |extern |__device__|__global__)')


def split_fragment(text):
    scope, statements = [], []
    for unit in units(text):
        code = re.sub(r'/\*.*?\*/', '', '\n'.join(unit), flags=re.S).strip()
        if code:
            (scope if FILE_SCOPE.match(code) else statements).append('\n'.join(unit))
    return '\n'.join(scope), '\n'.join(statements)


def fragment_source(block, any_type):
    chain, link = [], block
    while link is not None:
        scope, given = split_fragment(link.text)[0], split_fragment(link.given)[0]
        chain.insert(0, given + '\n' + scope)
        link = link.before if 'continues' in link.words else None
    return PROLOGUE + '\n'.join(chain) + '\n' + FRAGMENT % {
        'any': any_type,
        'given': split_fragment(block.given)[1],
        'statements': split_fragment(block.text)[1],
    }


# ---- checks: each returns (passed, text, diagnosis), or a list of those ----------------------------------

def run(command, folder, timeout=300, **arguments):
    try:
        return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, text=True, timeout=timeout, **arguments)
    except subprocess.TimeoutExpired as late:
        return subprocess.CompletedProcess(command, 124, (late.output or b'').decode() + '\ntimed out\n')


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)
    return path


def same_output(got, expected):
    strip = lambda text: [line.rstrip() for line in text.strip().split('\n')]
    return strip(got) == strip(expected)


def check_run(program, folder, expected, text):
    ran = run([program], folder)
    if ran.returncode != 0:
        return False, text, f'it ended with {ran.returncode}\n{ran.stdout}'
    if expected is not None and not same_output(ran.stdout, expected.text):
        return False, text, f'it prints\n{ran.stdout}and not, as {expected.where} says,\n{expected.text}'
    return True, text, ''


def check_failure(program, folder, expected, text):
    """Without a device a program does not seem to work, unless it needs none for what it shows."""
    ran = run([program], folder, env={**os.environ, **NO_DEVICE})
    if ran.returncode == 0 and expected and same_output(ran.stdout, expected.text):
        return True, text + ', needs no device', ''
    good = ran.returncode == 1 and re.search(r'[a-z]+ [a-z]+', ran.stdout) is not None
    return good, text + ', fails without a device', f'it ended with {ran.returncode} and printed\n{ran.stdout}'


def check_program(block, expected, language):
    with tempfile.TemporaryDirectory() as folder:
        source = 'example.cu'  # what __FILE__ says, and so some messages
        write(folder, source, block.text)
        program = os.path.join(folder, 'program')
        if language == 'c11':
            command = CC + ['-x', 'c', '-std=gnu11', '-O1', '-pthread'] + SAME_BITS + WARNINGS
        elif language == 'c++17':
            command = CXX + ['-x', 'c++', '-std=gnu++17', '-O1', '-pthread'] + SAME_BITS + WARNINGS
        else:
            command = NVCC + ['-x', 'cu', '-fmad=false', '-Werror=all-warnings'] + NVCC_ARCH
        text = f'{block.where}: the program, as {language}'
        built = run(command + ['-I', ROOT, source, '-o', program] + ['-lm'], folder)
        if built.returncode != 0:
            return False, text + ', compiles', built.stdout
        failure = check_failure(program, folder, expected, text)
        if language == 'cuda' and not HAVE_GPU:
            return [(True, text + ', compiles', ''), failure]
        shown = ', prints what is shown' if expected else ', runs'
        return [check_run(program, folder, expected, text + shown), failure]


def check_fragment(block):
    with tempfile.TemporaryDirectory() as folder:
        if block.kind == 'c':
            source = write(folder, 'fragment.cu', fragment_source(block, 'void'))
            command = CC + ['-x', 'c', '-std=gnu11', '-pthread'] + WARNINGS + FRAGMENT_WARNINGS
        else:
            source = write(folder, 'fragment.cu', fragment_source(block, 'int'))
            command = NVCC + NVCC_ARCH
        built = run(command + ['-I', ROOT, '-c', source, '-o', os.path.join(folder, 'o')], folder)
        return built.returncode == 0, f'{block.where}: the fragment compiles', built.stdout


def check_commands(blocks, sources):
    """The sh blocks of a page, one after the other in one folder."""
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for name, text in sources.items():
            write(folder, name, text)
        for block, expected in blocks:
            on_cuda = 'cuda' in block.words
            script = block.text.replace('path/to/gpuprims', ROOT)
            if on_cuda:
                include = os.path.join(os.path.dirname(os.path.dirname(shutil.which(NVCC[0]))), 'include')
                script = script.replace('/usr/local/cuda/include', include)
                if not HAVE_GPU:
                    script = re.sub(r'^\./.*$', '', script, flags=re.M)
                    expected = None
            environment = dict(os.environ)
            if NVCC:
                environment['PATH'] = os.path.dirname(shutil.which(NVCC[0])) + os.pathsep + environment['PATH']
            ran = run(['sh', '-ec', script], folder, env=environment)
            good = ran.returncode == 0 and (expected is None or same_output(ran.stdout, expected.text))
            results.append((good, f'{block.where}: the commands work', ran.stdout))
            for program in re.findall(r'^\./(\S+)$', block.text, re.M) if good else []:
                path = os.path.join(folder, program)
                results.append(check_failure(path, folder, None, f'{block.where}: {program}'))
    return results


def slug(heading):
    """The anchor that GitHub makes of a heading."""
    heading = re.sub(r'\[([^]]*)\]\([^)]*\)', r'\1', heading)
    return re.sub(r'[^\w\- ]', '', heading.strip().lower()).replace(' ', '-')


def anchors(path):
    found, fenced = set(), False
    for line in open(path, encoding='utf-8'):
        fenced ^= line.startswith('```')
        if not fenced and line.startswith('#'):
            found.add(slug(line.lstrip('#')))
    return found


def check_links(page, prose):
    bad = []
    text = re.sub(r'`[^`]*`', '', '\n'.join(prose))
    for target in re.findall(r'\]\(([^)\s]+)\)|<img [^>]*src="([^"]+)"', text):
        target = target[0] or target[1]
        if re.match(r'[a-z]+:', target):
            continue
        path, _, anchor = target.partition('#')
        full = os.path.normpath(os.path.join(ROOT, os.path.dirname(page), path)) if path else os.path.join(ROOT, page)
        if not os.path.exists(full):
            bad.append(f'{target}: no such file')
        elif anchor and anchor not in anchors(full):
            bad.append(f'{target}: no such heading')
    return not bad, f'{page}: links lead somewhere', '\n'.join(bad)


def check_whole(pages):
    """What must be complete."""
    text = {page: open(os.path.join(ROOT, page), encoding='utf-8').read() for page in pages}
    documentation = '\n'.join(text.values())
    missing = [header for header in public_headers() if not re.search(r'(?<![\w/])(gpuprims/)?' + re.escape(header), documentation)]
    yield not missing, 'every public header is mentioned', '\n'.join(missing)

    index = text.get('docs/README.md', '')
    missing = [page for page in pages if page.startswith('docs/') and page != 'docs/README.md'
               and f']({os.path.relpath(page, "docs")})' not in index]
    yield not missing, 'docs/README.md lists every page', '\n'.join(missing)

    figures = sorted(glob.glob(os.path.join(ROOT, 'docs', 'figures', '*.svg')))
    unused = [name for name in map(os.path.basename, figures) if f'figures/{name})' not in documentation]
    plots = glob.glob(os.path.join(ROOT, 'docs', 'performance', '*.svg'))
    unused += [name for name in map(os.path.basename, plots) if not re.search(r'[(/]' + re.escape(name), documentation)]
    yield not unused, 'every figure is used', '\n'.join(unused)

    with tempfile.TemporaryDirectory() as folder:
        drawn = run([sys.executable, os.path.join(ROOT, 'docs', 'figures', 'draw.py'), folder], ROOT)
        names = sorted(os.listdir(folder))
        differ = [name for name in names if not os.path.exists(os.path.join(ROOT, 'docs', 'figures', name)) or
                  open(os.path.join(ROOT, 'docs', 'figures', name), 'rb').read() !=
                  open(os.path.join(folder, name), 'rb').read()]
        good = drawn.returncode == 0 and not differ and names == [os.path.basename(name) for name in figures]
        yield good, 'docs/figures/draw.py draws the figures that are there', drawn.stdout + '\n'.join(differ)


def check_tables():
    """Tables and plots of measurements; and that a number which is wrong would be found."""
    script = os.path.join(ROOT, 'tests', 'benchmark', 'tables.py')
    fresh = run([sys.executable, script, '--check'], ROOT)
    yield fresh.returncode == 0, 'tables and plots are those of the CSV files', fresh.stdout
    with tempfile.TemporaryDirectory() as folder:
        for part in ('docs', 'README.md', os.path.join('tests', 'benchmark')):
            copy = shutil.copytree if os.path.isdir(os.path.join(ROOT, part)) else shutil.copy
            copy(os.path.join(ROOT, part), os.path.join(folder, part))
        script = os.path.join(folder, 'tests', 'benchmark', 'tables.py')
        page = os.path.join(folder, 'docs', 'performance.md')
        text = open(page, encoding='utf-8').read()
        other = lambda match: match[1] + str((int(match[2]) + 1) % 10)
        write(folder, page, re.sub(r'(\| scan: gpuprims \|.*?)(\d)', other, text, count=1))
        other_page = os.path.join(folder, 'docs', 'performance', 'kernels.md')
        with open(other_page, 'a', encoding='utf-8') as file:
            file.write('\nThat is 7 % more.\n')
        results = os.path.join(folder, 'tests', 'benchmark', 'results')
        with open(os.path.join(results, 'h200_array_size.csv'), 'a', encoding='utf-8') as file:
            file.write('\n')
        plot = os.path.join(folder, 'docs', 'performance', 'by-key.svg')
        write(folder, plot, open(plot, encoding='utf-8').read().replace('h200_by_key.csv', 'h200_gone.csv'))
        stale = run([sys.executable, script, '--check'], folder)
        lines = [line.split(':')[0] for line in stale.stdout.splitlines()]
        pages = ['docs/performance.md', 'docs/performance/kernels.md']
        plots = [f'docs/performance/array-size-{what}.svg' for what in ('compact', 'scan', 'sort')]
        plots.append('docs/performance/by-key.svg')
        good = stale.returncode == 1 and sorted(lines) == sorted(pages + plots)
        yield good, 'a wrong number, one of no table, a changed file and one that is gone are found', stale.stdout
        again = run([sys.executable, script], folder)
        good = again.returncode == 0 and open(page, encoding='utf-8').read() == text
        yield good, 'and tables.py mends the number', again.stdout


# ---- putting it together -----------------------------------------------------------------------------

def check_page(page, do):
    """Hands every check of a page to do(function, arguments...)."""
    blocks, prose = read_blocks(page)
    if not NVCC:
        do(check_links, page, prose)
    commands, sources, fragment, programs = [], {}, None, []
    for i, block in enumerate(blocks):
        expected = blocks[i + 1] if i + 1 < len(blocks) and blocks[i + 1].kind == 'output' else None
        if block.kind == 'unclosed':
            do(lambda block=block: (False, f'{block.where}: the block ends', ''))
        if block.file:
            sources[block.file] = block.text
        elif block.kind in ('c', 'cuda') and block.is_program():
            programs.append(block)
            if NVCC:
                do(check_program, block, expected, 'cuda')
            elif block.kind == 'c':
                do(check_program, block, expected, 'c11')
                if CXX:
                    do(check_program, block, expected, 'c++17')
        elif block.kind in ('c', 'cuda'):
            block.before, fragment = fragment, block
            if (block.kind == 'cuda') == bool(NVCC):
                do(check_fragment, block)
        elif block.kind == 'sh' and ('cuda' if NVCC else 'cpu') in block.words:
            commands.append((block, expected))
    if commands:
        do(check_commands, commands, sources)
    for line in prose:
        compiler = re.match(r'    (gcc|nvcc) .*first\.cu', line)
        if compiler and programs and (compiler.group(1) == 'nvcc') == bool(NVCC):
            block = Block(page, 0, 'sh cpu', '')
            block.lines = [line]
            do(check_commands, [(block, None)], {'first.cu': programs[0].text})


def main():
    pages = options.pages or ['README.md'] + sorted(
        os.path.relpath(page, ROOT) for page in glob.glob(os.path.join(ROOT, 'docs', '**', '*.md'), recursive=True))
    count = failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        waiting = []
        for page in pages:
            check_page(page, lambda *call: waiting.append(pool.submit(*call)))
        if not options.pages and not NVCC:
            waiting.append(pool.submit(lambda: list(check_whole(pages))))
            waiting.append(pool.submit(lambda: list(check_tables())))
        for future in waiting:
            results = future.result()
            for passed, text, diagnosis in results if isinstance(results, list) else [results]:
                count += 1
                failed += not passed
                print(('ok' if passed else 'not ok'), count, '-', text, flush=True)
                if not passed:
                    print(re.sub(r'^', '# ', diagnosis.rstrip(), flags=re.M), flush=True)
    print(f'1..{count}')
    return failed > 0


if __name__ == '__main__':
    sys.exit(main())
