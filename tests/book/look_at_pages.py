"""Look thoroughly at every page of the built book, and renew the records that the tests read.

usage: make looks        pages that have changed since they are on record, and those with findings

Both readers visit every page, and axe is asked about it; explorers and quizzes are worked by
keyboard.
"""

import re
import sys
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor, as_completed

from browser import chromium, serving
from check_book import HTML
from tqdm import tqdm

from tests.book import accessible, keyboard, record
from tests.book.visits import look, pages, way

PROCESSES = 2

# Each kind of look: where it is on record, at which pages, and what is found at one of them, of
# which something may be known.
LOOKS = {
    "pages": (record.PAGES, pages, look),
    "keyboard": (
        record.KEYBOARD,
        keyboard.worked,
        lambda browser, base, name, known=None: known or keyboard.faults(browser, base, name),
    ),
}


def look_at(kind, names):
    """Return what is found at these pages by one kind of look, and the version of the browser."""
    with chromium() as browser, serving(HTML) as address:
        bases = {"http": address, "file": HTML.as_uri()}
        found = {name: LOOKS[kind][2](browser, bases[way(name)[0]], name) for name in names}
        return kind, found, browser.version


def main():
    """Look at what has changed; return 1 if something was found anywhere."""
    found = defaultdict(dict)
    left = []
    for kind, (kept, names, _) in LOOKS.items():
        for name in names():
            known = kept.kept(HTML, name)
            if known is None or any(known.values()):
                left.append((kind, name))
            else:
                found[kind][name] = known
    versions = {"axe": "".join(re.findall(r"axe v([\d.]+)", accessible.AXE)[:1])}
    with ProcessPoolExecutor(PROCESSES) as workers, tqdm(total=len(left), unit="page") as bar:
        jobs = []
        for kind in LOOKS:
            names = [name for each, name in left if each == kind]
            jobs += [
                workers.submit(look_at, kind, names[k : k + 4]) for k in range(0, len(names), 4)
            ]
        for job in as_completed(jobs):
            kind, some, versions["chromium"] = job.result()
            found[kind] |= some
            bar.update(len(some))
    for kind in {kind for kind, _ in left}:
        LOOKS[kind][0].write(HTML, found[kind], versions)
    lines = [
        f"{name}, {kind}, {part}: {line}"
        for kind, some in found.items()
        for name, findings in some.items()
        for part, each in findings.items()
        for line in each
    ]
    for line in lines:
        print(line)
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main())
