"""Sphinx's settings for the documentation as a site. docs/site/build runs it, with the repository as the source folder.

The pages are those of the repository as they are. Their order in the sidebar is that of the tables in docs/README.md.
"""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
BASE = (ROOT / "gpuprims/gpuprims.h").read_text(encoding="utf-8")

project = "gpuprims"
version = release = ".".join(re.findall(r"^#define GP_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", BASE, re.M))
project_copyright = re.search(r"Copyright \(c\) (.*)", (ROOT / "LICENSE").read_text(encoding="utf-8"))[1]

root_doc = "README"
include_patterns = ["README.md", "docs/*.md", "docs/**/*.md", "tests/benchmark/README.md"]
exclude_patterns = ["build*", "docs/site"]
extensions = ["myst_parser"]
myst_heading_anchors = 4  # as on a page of a repository

html_theme = "furo"
html_title = f"gpuprims {version}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False


def contents():
    """The sidebar: a list of pages for each section of docs/README.md."""
    sections = re.split(r"^## (.*)$", (ROOT / "docs/README.md").read_text(encoding="utf-8"), flags=re.M)
    sections[:1] = ["Overview", "[](README.md) " + sections[0]]
    seen = set()
    for caption, text in zip(sections[::2], sections[1::2]):
        pages = [page for page in re.findall(r"\]\(([^)#:]+)\.md(?:#[^)]*)?\)", text)
                 if not page.startswith("..") and not (page in seen or seen.add(page))]
        if pages:
            lines = "\n".join(f"docs/{page}" for page in pages)
            yield f"```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{lines}\n```\n"


def read(_, name, source):
    """Pages as Sphinx wants them: links to folders are links to nowhere, and the first page has the list of all."""
    folder = (ROOT / name).parent

    def link(match):
        return match[1] if (folder / match[2]).is_dir() else match[0]
    source[0] = re.sub(r"\[([^]\n]+)\]\(([^)#:\s]+)\)", link, source[0])
    if name == root_doc:
        source[0] += "\n" + "\n".join(contents())
    if name == "tests/benchmark/README":
        source[0] = "---\norphan: true\n---\n" + source[0]


def finish(app, error):
    """Where a server looks first."""
    out = pathlib.Path(app.outdir)
    if not error:
        (out / "index.html").write_bytes((out / "README.html").read_bytes())


def setup(app):
    app.connect("source-read", read)
    app.connect("build-finished", finish)
