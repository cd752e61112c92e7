#!/usr/bin/env python3
"""Writes headers of gpuprims as single files, for programs that carry one file rather than a folder.

    single_header.py [-o FOLDER] [HEADER]...

Each HEADER, such as scan.cuh or block/block_scan.cuh, becomes one self-contained file, gpuprims_scan.h or
gpuprims_block_scan.h, in FOLDER or the current one. Without any all headers do. gpuprims.h, which a function of
your own may need before the include that uses it, keeps its name. What is written is used as the header is: include
it as often as there are instances, each with its parameters before it. Files of one version go together.
"""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADERS = ROOT / "gpuprims"
SOURCES = sorted(path for path in HEADERS.rglob("*") if path.suffix in (".h", ".cuh"))

# What is known of a macro: one of these, or the text that it stands for.
UNKNOWN, UNDEFINED, DEFINED = object(), object(), object()


# ---- reading ---------------------------------------------------------------------------------------

def without_comments(text):
    """The text with blanks in place of comments."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match[0]) if match[0][0] == "/" else match[0]
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, text, flags=re.S)


class Item:
    """A line, or several that are one for the preprocessor; of an #if, all up to its #endif."""

    def __init__(self, lines, bare_lines):
        self.lines, self.bare_lines = lines, [line for line in bare_lines if line.strip()]
        text = " ".join(line.rstrip("\\").strip() for line in bare_lines)
        match = re.match(r"#\s*(\w+)\s*(.*)", text)
        self.word, self.rest = match.groups() if match else ("", text)
        self.branches = []  # each the item that starts it, and what follows that
        self.end = None  # the #endif

    def definition(self):
        """The name of a macro that is defined, and its text if it takes no arguments."""
        name, arguments, text = re.match(r"(\w+)(\(?)(.*)", self.rest).groups()
        return name, DEFINED if arguments else text.strip()


def read(path):
    """The items of a file."""
    text = path.read_text(encoding="utf-8")
    items, lines, bare_lines = [], [], []
    for line, bare in zip(text.splitlines(), without_comments(text).splitlines()):
        lines.append(line)
        bare_lines.append(bare.rstrip())
        if not bare.endswith("\\"):
            items.append(Item(lines, bare_lines))
            lines, bare_lines = [], []
    return nest(iter(items))[0]


def nest(items):
    """The items up to the #elif, #else or #endif that ends them, with each #if as one of them; and what ends them."""
    result = []
    for item in items:
        if item.word in ("elif", "else", "endif"):
            return result, item
        if item.word in ("if", "ifdef", "ifndef"):
            branch = item
            while branch.word != "endif":
                inside, following = nest(items)
                item.branches.append((branch, inside))
                branch = following
            item.end = branch
        result.append(item)
    return result, None


def flat(items):
    """The items, and those in the branches of each."""
    for item in items:
        yield item
        for _, inside in item.branches:
            yield from flat(inside)


# ---- writing ---------------------------------------------------------------------------------------

class Writer:
    """
    Writes a header with each file in place of the line that includes it, every time: most are templates, which mean
    something else the next time. What the preprocessor certainly skips there is left out, such as a file whose guard is
    defined by then, and so are comments that have been written before. To know what it skips, the writer follows the
    macros as far as that can be said whatever the user's file and compiler are.
    """

    def __init__(self):
        self.files = {path: read(path) for path in SOURCES}
        every_item = [item for items in self.files.values() for item in flat(items)]
        definitions = [item.definition() for item in every_item if item.word == "define"]
        steps = {text for name, text in definitions if name == "GPI_STEP"}
        self.numbers = {name: text for name, text in definitions if name in steps}  # wherever they are defined

    def write(self, path):
        """The text of a header."""
        self.lines = []
        self.written = set()
        self.macros = {"GPI_DEPTH": UNDEFINED}  # no instance has begun
        self.put_file(path)
        return re.sub(r"\n{3,}", "\n\n", "\n".join(self.lines) + "\n")

    def put_file(self, path):
        with_comments = path not in self.written
        self.written.add(path)
        self.put(path, self.files[path], with_comments)

    def put(self, path, items, with_comments):
        for item in items:
            if item.branches:
                self.put_branches(path, item, with_comments)
            elif item.word == "include" and item.rest[0] == '"':
                self.put_file((path.parent / item.rest.strip('"')).resolve())
            else:
                self.put_lines(item, with_comments)
                self.follow(item)

    def put_lines(self, item, with_comments):
        self.lines += item.lines if with_comments else item.bare_lines

    def put_branches(self, path, group, with_comments):
        """An #if, without the branches that are certainly skipped."""
        after = []  # what is known at the end of each branch, one of which is taken
        is_open = False
        for branch, inside in group.branches:
            holds = self.holds(branch)
            if holds is False:
                continue
            if is_open or holds is None and branch is group:
                self.put_lines(branch, with_comments)
            elif holds is None:  # an #elif, but the first branch that is left
                self.lines.append(f"#if {branch.rest}")
            is_open = is_open or holds is None
            outside = dict(self.macros)
            self.assume(branch, True)
            self.put(path, inside, with_comments)
            after.append(self.macros)
            self.macros = outside
            if holds:
                break
            self.assume(branch, False)
        else:
            after.append(self.macros)
        if is_open:
            self.put_lines(group.end, with_comments)
        self.macros = {name: self.either([known[name] for known in after])
                       for name in set.intersection(*map(set, after))}

    @staticmethod
    def either(known):
        """What is known of a macro of which one of these is."""
        if all(one == known[0] for one in known):
            return known[0]
        return UNKNOWN if any(one in (UNDEFINED, UNKNOWN) for one in known) else DEFINED

    def follow(self, item):
        """What a line makes known of macros, or unknown."""
        if item.word == "define":
            name, text = item.definition()
            self.macros[name] = text
        elif item.word == "undef":
            self.macros[item.rest] = UNDEFINED
        elif item.word == "pragma" and item.rest.startswith("pop_macro"):
            self.macros[re.search(r'"(\w+)"', item.rest)[1]] = UNKNOWN

    def assume(self, branch, holds):
        """What is known of the macro of an #ifdef or #ifndef that holds, or does not."""
        if branch.word in ("ifdef", "ifndef") and self.known(branch.rest) is UNKNOWN:
            self.macros[branch.rest] = DEFINED if (branch.word == "ifdef") == holds else UNDEFINED

    def known(self, name):
        return self.macros.get(name, UNKNOWN)

    def holds(self, branch):
        """Whether a condition holds; None if that is not known."""
        if branch.word == "else":
            return True
        if branch.word in ("ifdef", "ifndef"):
            known = self.known(branch.rest)
            return None if known is UNKNOWN else (known is UNDEFINED) == (branch.word == "ifndef")
        match = re.fullmatch(r"(\w+) == (\w+)", branch.rest)
        values = [self.number(word) for word in match.groups()] if match else [None]
        return None if None in values else values[0] == values[1]

    def number(self, word):
        """What a word in a condition is; None if that is not known."""
        text = self.numbers.get(word, self.known(word))
        text = self.numbers.get(text, text)
        return next((int(one) for one in (word, text) if isinstance(one, str) and one.isdecimal()), None)


# ---- files -----------------------------------------------------------------------------------------

def version():
    base = (HEADERS / "gpuprims.h").read_text(encoding="utf-8")
    return ".".join(re.findall(r"^#define GP_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", base, re.M))


def file_name(header):
    """What a header becomes."""
    stem = pathlib.PurePath(header).stem
    return "gpuprims.h" if stem == "gpuprims" else f"gpuprims_{stem}.h"


def preface(header):
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8")
    text = f"""{file_name(header)}: gpuprims {version()} in one file, as far as <gpuprims/{header}> is concerned.
Include it where the text below includes that. Written by the library's examples/single_header.py.

{licence}"""
    return "/*\n" + "".join(f" * {line}".rstrip() + "\n" for line in text.splitlines()) + " */\n"


def public_headers():
    paths = [path.relative_to(HEADERS) for path in SOURCES]
    return [path.as_posix() for path in paths if "core" not in path.parts]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", metavar="FOLDER", type=pathlib.Path, default=pathlib.Path())
    parser.add_argument("headers", metavar="HEADER", nargs="*")
    options = parser.parse_args()

    known = public_headers()
    headers = [header.removeprefix("gpuprims/") for header in options.headers] or known
    for header in headers:
        if header not in known:
            sys.exit(f"single_header.py: there is no header {header}; there are {', '.join(known)}")
    options.output.mkdir(parents=True, exist_ok=True)
    writer = Writer()
    for header in headers:
        text = preface(header) + writer.write(HEADERS / header)
        (options.output / file_name(header)).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
