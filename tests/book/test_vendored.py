"""The files of other projects: unchanged, complete, and with their licenses."""

import hashlib
import re

import companion_reach
import pytest
from check_book import ROOT

VENDOR = ROOT / "book" / "_static" / "vendor"


def test_every_vendored_file_has_its_recorded_checksum():
    recorded = {}
    for line in (VENDOR / "SHA256SUMS").read_text(encoding="utf-8").splitlines():
        digest, name = line.split(maxsplit=1)
        recorded[name.removeprefix("./")] = digest
    present = {
        path.relative_to(VENDOR).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in VENDOR.rglob("*")
        if path.is_file() and path.name not in {"SHA256SUMS", "README.md"}
    }
    assert present == recorded


def test_every_vendored_project_carries_its_licence_and_is_listed():
    listed = set(re.findall(r"^\| `([\w.-]+)/` \|", (VENDOR / "README.md").read_text(), re.M))
    folders = {path.name for path in VENDOR.iterdir() if path.is_dir()}
    assert listed == folders
    for folder in folders:
        assert (VENDOR / folder / "LICENSE").stat().st_size > 500, folder


def test_the_licenses_of_all_packages_are_whole_and_a_missing_one_is_noticed(monkeypatch):
    text = companion_reach.licenses()
    for name in companion_reach.PACKAGES:
        assert f"==== {name} " in text
    assert text.count("Copyright") >= len(companion_reach.PACKAGES) - 1  # one says "All rights"
    monkeypatch.setattr(companion_reach, "_LICENSE", re.compile("no file has this name"))
    with pytest.raises(ValueError, match="pygments must bring the text of its license"):
        companion_reach.licenses(["pygments"])


# where the files of a built book come from: ours, vendored, made by the build, or of a package
OURS = {path.name for path in (ROOT / "book" / "_static").iterdir()}
MADE = {
    "companion-cards.js",
    "companion-index.js",
    "documentation_options.js",
    "third-party-licenses.txt",
}
ORIGINS = {
    "myst-nb": r"mystnb\.\w+\.css",
    "pydata-sphinx-theme": r"(scripts|styles|vendor/fontawesome)/.*|webpack-macros\.html",
    "pygments": r"pygments\.css",
    "sphinx": r"(basic\.css|(doctools|sphinx_highlight)\.js|\w+\.png)",
    "sphinx-book-theme": r"sbt-webpack-macros\.html|images/logo_\w+\.\w+|locales/.*",
    "sphinx-copybutton": r"(copybutton(_funcs)?|clipboard\.min)\.(js|css)|[\w-]+\.svg",
    "sphinx-design": r"design-tabs\.js|sphinx-design\.min\.css",
    "sphinx-exercise": r"exercise\.css",
    "sphinx-proof": r"proof\.css",
    "sphinx-togglebutton": r"togglebutton\.(js|css)",
}


def test_every_file_of_another_project_in_the_built_book_has_its_license_there(html):
    static = html / "_static"
    assert set(ORIGINS) == set(companion_reach.PACKAGES)
    listed = (html / companion_reach.LICENSES).read_text(encoding="utf-8")
    for path in static.rglob("*"):
        name = path.relative_to(static).as_posix()
        vendored = (VENDOR / name.removeprefix("vendor/")).exists()
        if not path.is_file() or name in OURS | MADE or (name.startswith("vendor/") and vendored):
            continue
        origins = [origin for origin, files in ORIGINS.items() if re.fullmatch(files, name)]
        assert origins, f"{name}: from where, and under which license?"
        assert all(f"==== {origin} " in listed for origin in origins), name
