"""Set the whole book as one PDF with LaTeX: figures instead of sliders, every drop-down open.

The PDF is made from the very outputs that the pages show.  What a page shows as HTML cannot be set
by LaTeX, so a copy of the book is made in which each such output is turned into text: a figure into
its picture with its caption, a claim box or a table into paragraphs and tables (by pandoc), a live
lab into nothing, because its picture stands in the chapter already.  The pages that describe the
names of the library are left out.

usage: python tools/build_pdf.py [--keep]
"""

from __future__ import annotations

import argparse
import base64
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import yaml
from bs4 import BeautifulSoup, Tag
from build_book import JUPYTER_BOOK, ROOT
from nbformat import NotebookNode

from sublinear_lib.plotting import PAGE_HTML

WORK = ROOT / "_build" / "pdf"
RESULT = ROOT / "_build" / "sublinear-adversarial-training.pdf"
NEEDED = {
    "xelatex": "texlive-xetex texlive-latex-recommended texlive-latex-extra "
    "texlive-fonts-recommended fonts-freefont-otf lmodern",
    "latexmk": "latexmk",
    "makeindex": "texlive-binaries",
}
# What pandoc's tables and lists are written with.
PANDOC_PREAMBLE = r"""
\usepackage{longtable,booktabs,array,calc}
\providecommand{\ul}[1]{\underline{#1}}
\AtBeginDocument{\renewcommand{\setminus}{\mathbin{\backslash}}}
\AtBeginDocument{\renewcommand{\thepart}{}\renewcommand{\partname}{}}
\providecommand{\tightlist}{\setlength{\itemsep}{0pt}\setlength{\parskip}{0pt}}
\providecommand{\pandocbounded}[1]{#1}
"""
# The class of the book asks for one package of a very large collection, for letters we do not use.
BBM = r"""\ProvidesPackage{bbm}
\RequirePackage{amssymb}
\providecommand{\mathbbm}[1]{\mathbb{#1}}
"""
# A page is measured in inches: what is drawn for 400 pixels of a screen takes about 3 of them.
PIXELS_PER_INCH = 144 * 4 / 3
TEXT_WIDTH = 6.4
REC = re.compile(r"\\class\{mjx-rec\}")
# The description of every name of the library is longer than the book; it is read on a screen.
ON_SCREEN_ONLY = "book/reference/api"
MEASURED = "benchmarks/results"


class Unprintable(RuntimeError):
    """Something in the book that this program does not know how to set."""


def missing_programs() -> list[str]:
    """Return what has to be installed before a PDF can be made, as lines for a reader."""
    lines = [
        f"{program}: on Debian and Ubuntu in {packages}"
        for program, packages in NEEDED.items()
        if shutil.which(program) is None
    ]
    try:
        import pypandoc

        pypandoc.get_pandoc_version()
    except (ImportError, OSError):
        lines.append("pandoc: python -m pip install -e '.[pdf]'")
    return lines


def as_latex(html: str) -> str:
    """Return `html`, cleaned by `printable`, as LaTeX."""
    import pypandoc

    text: str = pypandoc.convert_text(
        html, "latex", format="html+tex_math_single_backslash", extra_args=["--wrap=preserve"]
    )
    return text


def printable(html: str) -> BeautifulSoup:
    """Return the parts of an exhibit that make sense on paper."""
    soup = BeautifulSoup(html, "html.parser")
    for packed in soup.select(".sl-row > noscript"):
        packed.unwrap()
    for useless in soup(["style", "svg", "script", "noscript", "input", "button", "select"]):
        useless.decompose()
    for more in soup.select("details.sl-more"):
        more.decompose()
    for links in soup.select(".sl-links"):
        links.decompose()
    unfold_quizzes(soup)
    for table in soup("table"):
        set_widths(soup, table)
    for formula in soup.select(".math"):
        formula.replace_with(REC.sub(r"\\rec", formula.get_text()))
    for legend in soup.select(".sl-legend .sl-rec"):
        legend.string = "Underlined"
    for rebuilt in soup.select(".sl-rec"):
        rebuilt.name, rebuilt.attrs = "u", {}
    for verdict in soup.select(".sl-verdict"):
        verdict.insert(0, " — ")
    for name in ("summary", "legend"):
        for title in soup(name):
            title.name, title.attrs = "p", {}
            if title.strong is None:
                title.wrap(soup.new_tag("p"))
                title.name = "strong"
    for link in soup("a"):
        if not str(link.get("href", "")).startswith("http"):
            link.unwrap()
    for tag in soup(True):
        # an id would become a label of LaTeX, and a box may stand in the book more than once
        tag.attrs = {
            key: value for key, value in tag.attrs.items() if key in {"href", "style", "type"}
        }
        if tag.name not in {"col"}:
            tag.attrs.pop("style", None)
    return soup


def unfold_quizzes(soup: BeautifulSoup) -> None:
    """Letter the choices of a quiz, and put what is said to each behind the last question."""
    for quiz in soup.select(".sl-quiz"):
        answers = []
        for number, question in enumerate(quiz("fieldset"), start=1):
            choices = soup.new_tag("ol", attrs={"type": "a"})
            for label in question.select(".sl-choice label"):
                choice = soup.new_tag("li")
                choice.extend(list(label.contents))
                choices.append(choice)
            told = soup.new_tag("p")
            told.append(f"Question {number}. ")
            for letter, feedback in zip("abcdefgh", question.select(".sl-told"), strict=False):
                told.append(f"({letter}) ")
                for paragraph in feedback("p"):
                    told.extend(list(paragraph.contents))
                    told.append(" ")
            answers.append(told)
            question.select_one(".sl-choices").replace_with(choices)
            question.select_one("[role=status]").decompose()
        title = soup.new_tag("p")
        title.append(soup.new_tag("strong", string="Answers, question by question"))
        quiz.extend([title, *answers])


def set_widths(soup: BeautifulSoup, table: Tag) -> None:
    """Give the columns of a table shares of the page after the length of what they hold."""
    rows = [row.find_all(["td", "th"]) for row in table("tr")]
    rows = [row for row in rows if row and not any(cell.get("colspan") for cell in row)]
    if not rows or len({len(row) for row in rows}) != 1:
        return
    lengths = [
        max(7.0, min(50.0, max(len(cell.get_text()) for cell in column) ** 0.75))
        for column in zip(*rows, strict=True)
    ]
    group = soup.new_tag("colgroup")
    for length in lengths:
        share = 97 * length / sum(lengths)
        group.append(soup.new_tag("col", attrs={"style": f"width: {share:.0f}%"}))
    table.insert(0, group)


def caption_of(html: str) -> str:
    """Return the caption of a figure, or the sentence of an explorer, as MyST text."""
    found = BeautifulSoup(html, "html.parser").find("figcaption")
    if found is None:
        return ""
    marks = {"i": "*", "em": "*", "b": "**", "strong": "**", "code": "`"}
    for tag in found(True):
        mark = marks.get(tag.name)
        if mark:
            tag.replace_with(f"{mark}{tag.get_text()}{mark}")
        elif tag.name in {"sup", "sub"}:
            tag.replace_with(f"{{{tag.name}}}`{tag.get_text()}`")
    return " ".join(found.get_text().split())


def raw(latex: str) -> str:
    """Return LaTeX as a block of MyST that only LaTeX sees."""
    return f"``````{{raw}} latex\n{latex.strip()}\n``````"


def figure(png: str, html: str, alt: str, name: str, folder: Path) -> str:
    """Write the picture of a figure beside its page, and return the figure as a block of MyST."""
    data = base64.b64decode(png)
    file = folder / f"{name}.png"
    file.write_bytes(data)
    pixels = int.from_bytes(data[16:20], "big")
    inches = min(TEXT_WIDTH, pixels / PIXELS_PER_INCH)
    return "\n".join(
        [
            f"``````{{figure}} {file.name}",
            f":alt: {' '.join(alt.split())}",
            f":width: {inches:.2f}in",
            ":align: center",
            "",
            caption_of(html),
            "``````",
        ]
    )


def printed(data: dict[str, Any], name: str, folder: Path) -> str | None:
    """Return one output as a block of MyST for LaTeX, or None to leave it as it is."""
    html = data.get("text/html") or data.get(PAGE_HTML)
    if html is None:
        return None
    plain = data.get("text/plain", "")
    if "application/vnd.jupyter.widget-view+json" in data and "needs a running Jupyter" in html:
        return ""
    if "image/png" in data:
        return figure(data["image/png"], html, plain, name, folder)
    if BeautifulSoup(html, "html.parser").select(".sl-graph"):
        return f"``````text\n{plain}\n``````"
    latex = as_latex(str(printable(html)))
    if not latex.strip():
        raise Unprintable(f"{folder.name}/{name}: an output has no text")
    return raw(latex)


def pages_of(notebook: NotebookNode, name: str, folder: Path) -> Iterator[NotebookNode]:
    """Give the cells of a notebook for print: what HTML showed stands behind its cell as text."""
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            yield cell
            continue
        tags = cell.metadata.get("tags", [])
        exhibit = "sublinear_lib.exhibits import" in cell.source
        if ("hide-input" in tags or exhibit) and "remove-input" not in tags:
            cell.metadata["tags"] = [*tags, "remove-input"]
        kept, blocks = [], []
        for place, output in enumerate(cell.outputs):
            data = output.get("data", {})
            block = printed(data, f"{name}-{number}-{place}", folder)
            if block is None:
                kept.append(output)
            else:
                blocks.append(block)
        cell.outputs = kept
        yield cell
        for block in blocks:
            if block:
                yield nbformat.v4.new_markdown_cell(block)


def settings() -> str:
    """Return the settings of the book with what LaTeX needs, among it the macros of the pages."""
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    sphinx = config["sphinx"]["config"]
    macros = sphinx["companion_macros"] | {"rec": [r"\underline{#1}", 1]}
    commands = [
        rf"\providecommand{{\{name}}}[{value[1]}]{{{value[0]}}}"
        if isinstance(value, list)
        else rf"\providecommand{{\{name}}}{{{value}}}"
        for name, value in macros.items()
    ]
    sphinx |= {
        "latex_engine": "xelatex",
        # makeindex comes with every LaTeX, xindy does not
        "latex_use_xindy": False,
        "latex_show_urls": "footnote",
        "latex_additional_files": ["bbm.sty"],
        "latex_elements": {
            "papersize": "a4paper",
            "pointsize": "10pt",
            "figure_align": "H",
            "extraclassoptions": "openany,oneside",
            "preamble": PANDOC_PREAMBLE + "\n".join(commands),
        },
    }
    config["latex"] = {"latex_documents": {"targetname": "book.tex"}}
    return yaml.safe_dump(config, sort_keys=False, allow_unicode=True)


def files_of(entries: list[dict[str, Any]]) -> Iterator[str]:
    """Give the pages of a table of contents in the order in which they are read."""
    for entry in entries:
        if "file" in entry:
            yield entry["file"]
        yield from files_of(entry.get("sections", []))


def for_paper(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a table of contents without the pages that are for the screen only."""
    return [
        {**entry, "sections": for_paper(entry["sections"])} if "sections" in entry else entry
        for entry in entries
        if not entry.get("file", "").startswith(f"{ON_SCREEN_ONLY}/")
    ]


def numbering(contents: dict[str, Any]) -> dict[str, bool]:
    """Return the pages that end before a part begins, and whether chapters of that part count.

    LaTeX would number every chapter; the pages number those of the parts that say so.
    """
    last = contents["root"]
    switches = {}
    for part in contents["parts"]:
        switches[last] = bool(part.get("numbered"))
        last = list(files_of(part["chapters"]))[-1]
    return switches


def switch_numbers(source: Path) -> None:
    """Make LaTeX number the same chapters as the pages."""
    contents = yaml.safe_load((source / "_toc.yml").read_text(encoding="utf-8"))
    for page, counted in numbering(contents).items():
        block = raw(rf"\setcounter{{secnumdepth}}{{{2 if counted else -1}}}")
        path = source / f"{page}.ipynb"
        if path.is_file():
            notebook = nbformat.read(path, as_version=4)
            notebook.cells.append(nbformat.v4.new_markdown_cell(block))
            nbformat.write(notebook, path)
        else:
            path = path.with_suffix(".md")
            path.write_text(f"{path.read_text(encoding='utf-8')}\n{block}\n", encoding="utf-8")


def copy_for_print(source: Path) -> None:
    """Write the copy of the book that LaTeX can set into the folder `source`."""
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(ROOT / "book", source / "book")
    shutil.rmtree(source / ON_SCREEN_ONLY)
    # what a page tells of measurements, it reads there
    for folder in (MEASURED, "proofs"):
        shutil.copytree(ROOT / folder, source / folder)
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    for part in contents["parts"]:
        part["chapters"] = for_paper(part["chapters"])
    toc = yaml.safe_dump(contents, sort_keys=False, allow_unicode=True)
    (source / "_toc.yml").write_text(toc, encoding="utf-8")
    (source / "_config.yml").write_text(settings(), encoding="utf-8")
    (source / "bbm.sty").write_text(BBM, encoding="utf-8")
    for path in sorted((source / "book").rglob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        notebook.cells = list(pages_of(notebook, path.stem, path.parent))
        notebook.metadata.pop("widgets", None)
        nbformat.write(notebook, path)
    switch_numbers(source)


def set_by_latex(source: Path) -> tuple[Path, str]:
    """Run Jupyter Book and LaTeX over the copy; return the PDF and the log of LaTeX."""
    command = ["build", str(source), "--builder", "pdflatex", "--path-output", str(source)]
    run = subprocess.run(
        [sys.executable, "-c", JUPYTER_BOOK, *command],
        cwd=ROOT,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
    )
    (WORK / "build.log").write_text(run.stdout, encoding="utf-8")
    pdf = source / "_build" / "latex" / "book.pdf"
    log = pdf.with_suffix(".log")
    if run.returncode != 0 or not pdf.is_file():
        raise Unprintable(f"LaTeX did not set the book: see {WORK / 'build.log'} and {log}")
    return pdf, log.read_text(encoding="utf-8", errors="replace")


def complaints(log: str) -> list[str]:
    """Return what LaTeX could not set: letters that no font has, references that lead nowhere."""
    joined = log.replace("\n", "")
    letters = sorted(set(re.findall(r"Missing character: There is no (.) ", joined)))
    found = [f"no font of the PDF has the letter {letter!r}" for letter in letters]
    for kind in ("Reference", "Hyper reference", "Citation"):
        names = sorted(set(re.findall(rf"Warning: {kind} [`'](.*?)'", joined)))
        found += [f"{kind.lower()} {name} leads nowhere" for name in names]
    return found


def main() -> int:
    """Make the PDF and say where it is."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--keep", action="store_true", help="keep the LaTeX files")
    keep = parser.parse_args().keep
    lacking = missing_programs()
    if lacking:
        print("A PDF needs programs that were not found:", *lacking, sep="\n  ", file=sys.stderr)
        return 2
    start = time.perf_counter()
    source = WORK / "source"
    try:
        copy_for_print(source)
        pdf, log = set_by_latex(source)
    except Unprintable as problem:
        print(problem, file=sys.stderr)
        return 1
    shutil.copy(pdf, RESULT)
    problems = complaints(log)
    for problem in problems:
        print(problem, file=sys.stderr)
    if not keep:
        shutil.rmtree(WORK)
    size = RESULT.stat().st_size / 2**20
    print(f"The book was set in {time.perf_counter() - start:.0f} s ({size:.1f} MiB). Open")
    print(f"  {RESULT.as_uri()}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
