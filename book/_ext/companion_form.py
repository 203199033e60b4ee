r"""The form of a page: boxes that have one name, one fold with the evidence, marks of the source.

A statement has the name under which the paper or this book states it, and no second number.  A box
or formula with a reconstructed sign, ``\rec{...}``, leads to the page about the source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx_design.shared import create_component
from sphinx_proof.domain import ProofDomain
from sphinx_proof.nodes import unenumerable_node

LOGGER = logging.getLogger(__name__)

EVIDENCE = "Evidence"
SUMMARY = "What was checked and how, what would falsify it, and the verdicts"
SOURCE = "/book/reference/about-the-source"
MARK = "dotted signs: our reading of the source"
_RECONSTRUCTED = "\\rec"
# a name ends where what is said about it begins: "4.5 (paper, as printed)", "A: counting"
_NAME = re.compile(r"(?:Equation \(\d+\))?[^(:]*")
# a title that names its own kind, which sphinx-proof does not have
_OWN_KIND = re.compile(r"(?:Claim|Equation|Parameter set)\b")
# sphinx-proof gives the id of a box without a number to its title too
_TITLE_ID = re.compile(r'(<p class="admonition-title") id="[^"]*">')
_CAPTION = re.compile(rf'<span class="caption-number">\w+ </span>(?=\s*{_OWN_KIND.pattern})')


def name_of(kind: str, title: str) -> str:
    """Return what a reference calls a box, such as ``Lemma 4.5``; empty for one without a name."""
    kind = "" if _OWN_KIND.match(title.strip()) else f"{kind.title()} "
    found = _NAME.match(title.strip())
    name = found.group().strip() if found else ""
    return f"{kind}{name}" if name else ""


class NamedProofs(ProofDomain):
    """Statements whose references show their names instead of a number."""

    def resolve_xref(self, env: Any, fromdocname: str, *about: Any) -> nodes.Element | None:
        """Return the link to a statement."""
        made = super().resolve_xref(env, fromdocname, *about)
        *_, target, _, contnode = about  # after the builder and the type
        known = getattr(env, "proof_list", {}).get(target, {})
        if isinstance(made, nodes.Element) and known.get("nonumber") and target in contnode[0]:
            name = known.get("name", "")
            if not name:
                told = "the box %r has no name: give its reference words of its own"
                LOGGER.warning(told, target, location=fromdocname)
            made.children = [nodes.Text(name or target)]
        return made

    def merge_domaindata(self, docnames: Any, otherdata: Any) -> None:
        """Add nothing: the boxes are in the environment, and sphinx-proof merges them there."""


def _name_boxes(app: Sphinx, doctree: nodes.document) -> None:
    for box in doctree.findall(unenumerable_node):
        app.env.proof_list[box["label"]]["name"] = name_of(box["realtype"], box["title"])


def _fold(section: nodes.section, title: str, kind: str) -> None:
    """Put what a section holds below its heading into a drop-down."""
    look = {"opened": False, "has_title": True, "icon": None, "chevron": None}
    classes = {"container_classes": [kind], "title_classes": [], "body_classes": []}
    fold = create_component("dropdown", type="dropdown", **look, **classes)
    fold += nodes.rubric(title, title)
    fold += section.children[1:]
    section.children[1:] = []
    section += fold


def _fold_sections(app: Sphinx, doctree: nodes.document) -> None:
    """Fold the evidence of a chapter, and the third level of a page of measurements."""
    details = app.env.docname in app.config.companion_form_details
    for section in list(doctree.findall(nodes.section)):
        if section[0].astext() == EVIDENCE:
            _fold(section, SUMMARY, "evidence")
        elif details and isinstance(section.parent.parent, nodes.section):
            _fold(section, section[0].astext(), "details")
            section.remove(section[0])


def _link() -> addnodes.pending_xref:
    place = {"refdomain": "std", "reftype": "doc", "reftarget": SOURCE}
    mark = nodes.inline(MARK, MARK)
    return addnodes.pending_xref("", mark, refexplicit=True, refwarn=True, **place)


def _reconstructed(doctree: nodes.document) -> Iterator[nodes.Element]:
    """Yield what holds a reconstructed sign: a box, or a paragraph or formula outside of boxes."""
    seen: set[int] = set()
    for formula in doctree.findall(lambda node: isinstance(node, nodes.math | nodes.math_block)):
        if _RECONSTRUCTED not in formula.astext():
            continue
        place: nodes.Element = formula
        while not isinstance(place, nodes.paragraph | nodes.math_block | nodes.document):
            place = place.parent
        outer: nodes.Element | None = place
        while outer is not None:
            if "proof" in outer.get("classes", ()):
                place = outer
                break
            outer = outer.parent
        if id(place) not in seen and not isinstance(place, nodes.document):
            seen.add(id(place))
            yield place


def _mark_source(app: Sphinx, doctree: nodes.document) -> None:
    for place in list(_reconstructed(doctree)):
        if isinstance(place, nodes.paragraph):
            place += [nodes.Text(" "), nodes.inline("", "", _link(), classes=["source-mark"])]
            continue
        mark = nodes.paragraph("", "", _link(), classes=["source-mark"])
        if isinstance(place, nodes.math_block):
            place.parent.insert(place.parent.index(place) + 1, mark)
        else:  # a box: its text is a section behind its title
            inner = place[-1] if isinstance(place[-1], nodes.section) else place
            inner += mark


def _caption(app: Sphinx, page: str, _: str, context: dict[str, Any], *__: object) -> None:
    if "body" in context:
        context["body"] = _TITLE_ID.sub(r"\1>", _CAPTION.sub("", context["body"]))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the steps of this extension with Sphinx."""
    app.setup_extension("sphinx_proof")
    app.add_config_value("companion_form_details", [], "env", [list])
    app.add_domain(NamedProofs, override=True)
    app.connect("doctree-read", _name_boxes)
    app.connect("html-page-context", _caption)
    # after the contents of the page were collected from its sections
    app.connect("doctree-read", _fold_sections, priority=900)
    app.connect("doctree-read", _mark_source, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
