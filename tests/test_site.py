#!/usr/bin/env python3
"""Test of the documentation as a site, docs/site/build. TAP on standard output.

    test_site.py FOLDER     the build folder, where Sphinx is installed in site/, and where screenshots go

The site is built, with each link checked; then a browser without a window, Debian's chromium, opens the first page,
that of a primitive and a search: all images are shown, nothing that a page asks for is missing, and the search finds.
"""
import http.server
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading

from tap import report

ROOT = pathlib.Path(__file__).resolve().parents[1]

# Says in the page itself which images it does not show.
SCRIPT = b"""<script>addEventListener("load", () => {
    const images = [...document.images], root = document.documentElement;
    root.dataset.images = images.length;
    root.dataset.broken = images.filter(one => !one.complete || !one.naturalWidth).map(one => one.src).join(" ");
})</script>"""
PLANTED = b'<html><body><img src="no_such.svg"></body></html>'


class Server(http.server.ThreadingHTTPServer):
    """Serves a folder, with the script in each page, and keeps what was not there."""

    def __init__(self, folder):
        self.folder, self.missing = folder, []
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(http.server.SimpleHTTPRequestHandler):
    def __init__(self, *arguments):
        super().__init__(*arguments, directory=str(arguments[2].folder))

    def do_GET(self):
        path = pathlib.Path(self.translate_path(self.path))
        if self.path != "/planted.html" and path.suffix != ".html":
            if not path.exists() and path.name != "favicon.ico":
                self.server.missing.append(self.path)
            super().do_GET()
            return
        page = PLANTED if self.path == "/planted.html" else path.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(page.replace(b"</body>", SCRIPT + b"</body>"))

    def log_message(self, *_):
        pass


def browse(browser, url, *options):
    """What a page is when its scripts have run."""
    with tempfile.TemporaryDirectory() as profile:
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                   f"--user-data-dir={profile}", "--window-size=1400,1800", "--virtual-time-budget=10000"]
        done = subprocess.run([*command, *options, url], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              timeout=120, check=False)
    return done.stdout


def broken_images(page):
    """How many images a page has, and those that are not shown."""
    count = re.search(r'data-images="(\d+)"', page)
    broken = re.search(r'data-broken="([^"]*)"', page)
    return (int(count[1]), broken[1].split()) if count and broken else (0, ["the page's scripts did not run"])


def in_browser(browser, site, screenshots):
    """Yields (passed, name, output)."""
    server = Server(site)
    address = f"http://127.0.0.1:{server.server_port}"
    for page, least in (("index.html", 0), ("docs/scan.html", 3), ("docs/performance.html", 1)):
        count, broken = broken_images(browse(browser, f"{address}/{page}", "--dump-dom"))
        yield not broken and count >= least, f"{page}: all {count} images are shown", "\n".join(broken)
        picture = screenshots / f"{pathlib.PurePath(page).stem}.png"
        browse(browser, f"{address}/{page}", f"--screenshot={picture}")
        size = picture.stat().st_size if picture.exists() else 0
        yield size > 50000, f"{page}: a screenshot is taken", f"{picture} has {size} bytes"  # a blank one has 10 KB
    found = browse(browser, f"{address}/search.html?q=histogram", "--dump-dom")
    results_found = found.partition('id="search-results"')[2]
    yield 'href="docs/histogram.html' in results_found, "the search finds a page", found[-2000:]
    yield not server.missing, "nothing that the pages ask for is missing", "\n".join(server.missing)
    count, broken = broken_images(browse(browser, f"{address}/planted.html", "--dump-dom"))
    yield count == 1 and len(broken) == 1, "an image that is missing is found", str(broken)
    server.shutdown()


def results(build):
    """Yields (passed, name, output)."""
    with tempfile.TemporaryDirectory() as name:
        site = pathlib.Path(name)
        done = subprocess.run([ROOT / "docs/site/build", site], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, env={**os.environ, "GPUPRIMS_BUILD": str(build)}, check=False)
        yield done.returncode == 0, "the site is built, and its links lead somewhere", done.stdout
        missing = [str(page) for page in (ROOT / "docs").rglob("*.md")
                   if not (site / page.relative_to(ROOT).with_suffix(".html")).exists()]
        yield not missing, "each page is there", "\n".join(missing)
        browser = shutil.which("chromium") or shutil.which("google-chrome")
        if browser is None:
            yield True, "the pages in a browser # SKIP there is no chromium", ""
        elif done.returncode == 0:
            screenshots = build / "site/screenshots"
            screenshots.mkdir(exist_ok=True)
            yield from in_browser(browser, site, screenshots)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    if not (build / "site/bin/sphinx-build").exists():
        print("1..0 # SKIP there is no Sphinx: docs/site/build --install")
        return 0
    return report(results(build))


if __name__ == "__main__":
    sys.exit(main())
