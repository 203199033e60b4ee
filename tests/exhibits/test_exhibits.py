"""Boxes, ledger and graph say what claims and evidence say: all of it, and nothing else."""

import re
from collections import Counter
from dataclasses import replace
from functools import partial

import pytest
from bs4 import BeautifulSoup

from sublinear_lib.claims import Budget, Ledger, Role, Stored, Verdict, fingerprint
from sublinear_lib.claims.claim import Source
from sublinear_lib.exhibits import badge, chapter_claims, claim_box, dependency_graph, ledger_table
from sublinear_lib.exhibits.evidence import evidence_html
from sublinear_lib.exhibits.graph import drawn, repaired_view, work_view
from sublinear_lib.exhibits.looks import LOOKS
from sublinear_lib.exhibits.names import name_of, page_link, proof_links, short_name, title_of
from sublinear_lib.exhibits.quiz import read_quiz
from sublinear_lib.exhibits.shelf import Shelf
from sublinear_lib.plotting import ROLES
from tests.exhibits.made_up import (
    MISREADING,
    QUIZ,
    check_open,
    claim,
    made_up_ledger,
    made_up_shelf,
)


def html_of(exhibit):
    return str(exhibit.html if hasattr(exhibit, "html") else exhibit._repr_html_())


def read(exhibit):
    return BeautifulSoup(html_of(exhibit), "html.parser")


def text(soup):
    return " ".join(soup.get_text(" ").split())


EXHIBITS = {
    "box": lambda shelf: claim_box("thm-4.1", shelf=shelf),
    "chapter": lambda shelf: chapter_claims("part1/how-many-neurons-fire", shelf=shelf),
    "ledger": lambda shelf: ledger_table(shelf=shelf),
    "graph": lambda shelf: dependency_graph(shelf=shelf),
    "quiz": lambda shelf: read_quiz(QUIZ, "thm-4.1.md", "part1/thm-4.1"),
}


@pytest.mark.parametrize("make", EXHIBITS.values(), ids=EXHIBITS)
def test_every_exhibit_keeps_the_contract(make):
    one, two = (make(made_up_shelf()) for _ in range(2))
    html, soup = html_of(one), read(one)
    assert html == html_of(two) and repr(one) == repr(two), "it is the same every time"
    ids = [tag["id"] for tag in soup.find_all(id=True)]
    assert len(ids) == len(set(ids))
    for tag in soup.find_all(attrs={"aria-labelledby": True}):
        assert set(tag["aria-labelledby"].split()) <= set(ids)
    assert {tag["for"] for tag in soup.find_all("label", attrs={"for": True})} <= set(ids)
    assert not re.search(r"https?://(?!www\.w3\.org)", html), "it asks no other host"
    assert not re.search(r"\b(seconds|20\d\d-)\b", html), "it names no machine"
    assert soup.select("summary a, summary button") == [], "no link in the title of a drop-down"
    before = make(Shelf(made_up_ledger()))
    assert re.search("thm-4.1", html_of(before)) and repr(before), "it works without evidence"


def test_every_verdict_has_a_look_of_its_own():
    assert set(LOOKS) == set(Verdict)
    looks = list(LOOKS.values())
    assert len({look.path for look in looks}) == len(looks)
    judged = {*Verdict} - {Verdict.IMPLEMENTED, Verdict.UNDECIDED}
    assert len({LOOKS[each].role for each in judged}) == len(judged), "the others share a color"
    assert {look.role for look in looks} <= set(ROLES)
    for verdict in Verdict:
        soup = BeautifulSoup(badge(verdict), "html.parser")
        assert soup.get_text() == verdict.value
        assert soup.svg["aria-hidden"] == "true"


def test_a_box_says_all_that_the_claim_says_and_leads_to_the_evidence():
    shown = text(read(claim_box("thm-4.1", shelf=made_up_shelf())))
    assert "Theorem 4.1" in shown and "The case of thm-4.1" in shown
    assert "fails as printed" in shown and "Section 1, thm-4.1" in shown
    assert "repaired by Theorem 4.1, repaired" in shown
    assert "The product is" in shown and "In plain words." in shown
    assert "What would have to be misread" in shown and "-4/5" in MISREADING
    assert "our reconstruction" in shown
    assert "the evidence and the code of its check" in shown and "sublinear verify" not in shown


def row(name, shelf=None):
    return read(ledger_table(shelf=shelf or made_up_shelf())).find(id=name)


def test_a_row_opens_into_the_box_with_all_that_the_evidence_says():
    shelf = made_up_shelf()
    shown = text(row("thm-4.1").find("noscript"))
    for part in ("Section 1, thm-4.1", "In plain words.", "The product is", "our reconstruction"):
        assert part in shown
    assert "sublinear verify thm-4.1" in shown and "seed 0" in shown
    assert "m: 4096" in shown and "values: [0.25, 0.125]" in shown
    for item in shelf.stored["thm-4.1"].evidence.observations:
        assert item.method.value in shown or item.role is Role.CONTROL
    for head in ("The statement", "What holds instead", "right on 1 case with a known answer"):
        assert head in shown
    assert "Steps of the printed proof" not in shown
    assert "It rests on Lemma A.5 , Lemma A.6 ." in shown and "On it rest Theorem 4.4 ." in shown
    code = row("thm-4.1").select("pre")[-1]
    assert "def check_fails" in text(code) and code["aria-label"] == "Check of Theorem 4.1"


def test_a_statement_that_is_printed_twice_has_one_row_and_one_node():
    ledger = made_up_ledger()
    copy = replace(ledger["thm-4.1"], id="thm-4.9", restates="thm-4.1", depends_on=("lem-a.5",))
    shelf = Shelf(Ledger([*ledger, copy]), made_up_shelf().stored)
    soup = row("thm-4.1", shelf)
    assert "also Theorem 4.9" in text(soup.summary) and soup.summary.find(id="thm-4.9")
    assert "theorem 4.9" in soup["data-words"]
    assert "Printed again as Theorem 4.9" in text(soup) and "in the same words" in text(soup)
    assert set(work_view(shelf.ledger, "paper").edges) == set(work_view(ledger, "paper").edges)
    assert set(repaired_view(shelf.ledger).edges) == set(repaired_view(ledger).edges)
    other = replace(copy, statement="Another wording.")
    assert "Another wording." in text(row("thm-4.1", Shelf(Ledger([*ledger, other]))))


def test_a_box_leads_to_its_row_its_proof_and_its_kin():
    ledger = "../reference/ledger.ipynb"
    kin = {f"{ledger}#thm-4.1", f"{ledger}#thm-4.1-r"}
    proof = {"../reference/repaired-theorems.ipynb#thm-4.1-r"}
    for name, targets in (("thm-4.1", kin), ("thm-4.1-r", kin | proof)):
        soup = read(claim_box(name, shelf=made_up_shelf()))
        assert {tag["href"] for tag in soup.find_all("a")} == targets
    by_text = {}
    shown = read(chapter_claims("part1/how-many-neurons-fire", shelf=made_up_shelf()))
    for tag in shown.select(".sl-links a"):
        by_text.setdefault(text(tag), set()).add(tag["href"])
    assert all(len(targets) == 1 for targets in by_text.values()), "screen readers tell them apart"


def test_a_chapter_shows_its_own_statements_in_reading_order():
    shelf = made_up_shelf()
    soup = read(chapter_claims("part1/how-many-neurons-fire", shelf=shelf))
    shown = [tag["id"].removeprefix("box-") for tag in soup.select("details.sl-claim")]
    assert shown == [each.id for each in shelf.ledger if each.chapter.startswith("part1")]
    assert "lem-a.6" not in shown


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (partial(chapter_claims, "part1/unknown"), ValueError, "chapter must be one of part1/how"),
        (partial(claim_box, "thm-4.2"), KeyError, r"thm-4\.2'; did you mean"),
    ],
)
def test_what_cannot_be_shown_is_refused(make, error, message):
    with pytest.raises(error, match=message):
        make(shelf=made_up_shelf())


def test_a_run_that_did_not_decide_says_so():
    open_one = claim("lem-a.7", Verdict.HOLDS, check_open)
    evidence = open_one.run(Budget.FULL, 3)
    shelf = Shelf(Ledger([open_one]), {"lem-a.7": Stored(evidence, fingerprint(open_one))})
    shown = text(row("lem-a.7", shelf))
    assert "did not decide" in shown
    assert "sublinear verify lem-a.7 --budget full --seed 3" in shown


def test_the_ledger_has_a_row_for_every_claim_with_what_is_filtered():
    shelf = made_up_shelf()
    rows = {row["id"]: row for row in read(ledger_table(shelf=shelf)).select(".sl-row")}
    assert rows.keys() == {each.id for each in shelf.ledger}
    for each in shelf.ledger:
        row = rows[each.id]
        assert row["data-verdict"] == each.recorded.value
        assert each.recorded.value in text(row.summary) and name_of(each.id) in text(row.summary)
        assert each.id in row["data-words"] and "have length one" in row["data-words"]
        assert row["data-method"].split("|") == [m.value for m in shelf.methods(each)]
    parts = [row["data-part"] for row in rows.values()]
    assert parts.count("appendix-a") == 2 and parts.count("repaired") == 1


def test_rows_come_by_importance():
    soup = read(ledger_table(shelf=made_up_shelf()))
    heads = ["The theorems of the paper", "What is true instead, and new"]
    heads += ["The steps of the proofs", "Tools of probability"]
    assert [title.get_text() for title in soup("h3")] == heads
    first = [row["id"] for row in soup.select(".sl-row")][:4]
    assert first == ["thm-4.1", "thm-4.4", "thm-1.1", "thm-4.1-r"]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("thm-4.1", "exponent of m in the product, found 1/10, while the statement asks for"),
        ("thm-4.4", "the step, found 5, while the printed proof asks for = 4"),
        ("lem-a.5", "the sign, found +, while the print asks for −"),
        ("lem-a.6", "How we know. All 2 observations of the statement came out"),
    ],
)
def test_the_sentence_of_evidence_is_the_one_that_decides(name, told):
    [how] = [p for p in row(name)("p") if p.get_text().startswith("How we know.")]
    assert told in text(how) and "largest deviation" not in text(how)


def test_an_observation_that_says_the_same_says_of_what():
    found = made_up_shelf().stored["lem-a.6"].evidence
    first, second = found.observations
    again = replace(second, what="the same, PRINTED")
    shown = evidence_html(replace(found, observations=(first, again)))
    assert "the same (mean of 400 draws), printed powers: 0; asked for" in shown


def test_the_ledger_counts_and_offers_only_what_there_is():
    soup = read(ledger_table(shelf=made_up_shelf()))
    counts = dict(re.findall(r"([a-z ]+?) (\d+)", text(soup.select_one(".sl-key"))))
    found = Counter(each.recorded.value for each in made_up_ledger())
    assert {key.strip(): int(n) for key, n in counts.items()} == found
    options = {
        tag["data-filter"]: [option["value"] for option in tag.find_all("option")][1:]
        for tag in soup.find_all("select")
    }
    assert "undecided" not in options["verdict"] and len(options["verdict"]) == 6
    assert options["part"] == ["main-text", "appendix-a", "repaired"]
    assert "rigorous enclosure" not in options["method"], "only a control used it"
    links = {tag["href"] for tag in row("thm-4.1").select(".sl-links a")}
    assert "../part1/how-many-neurons-fire.ipynb" in links
    assert not any("errata" in tag["href"] for tag in row("lem-a.6").select(".sl-links a"))


def arrows(*rows):
    return {tuple(row.split()) for row in rows}


def test_the_repaired_view_puts_repairs_in_the_place_of_what_fails():
    printed, repaired = work_view(made_up_ledger(), "paper"), repaired_view(made_up_ledger())
    both = arrows("thm-4.4 thm-1.1", "cor-5.2 thm-1.1")
    used = arrows("lem-a.5 thm-4.1", "lem-a.6 thm-4.1", "thm-4.1 thm-4.4")
    assert set(printed.edges) == both | used
    assert set(repaired.edges) == both | arrows("lem-a.6 thm-4.1-r", "thm-4.1-r thm-4.4")
    assert "thm-4.1-r" not in printed and "def-3.5" in printed and "thm-4.1" not in repaired


def test_a_repair_by_its_own_consequence_is_refused():
    kept = [each for each in made_up_ledger() if each.id != "thm-4.1-r"]
    used = {"depends_on": ("thm-1.1",), "despite": {"thm-1.1": "its gap is closed elsewhere"}}
    repair = replace(made_up_ledger()["thm-4.1-r"], **used)
    with pytest.raises(ValueError, match="repair no statement by its own consequence"):
        repaired_view(Ledger([*kept, repair]))


def test_every_node_is_a_named_link_with_a_second_cue():
    ledger = made_up_ledger()
    soup = read(dependency_graph(shelf=made_up_shelf()))
    views = (("printed", work_view(ledger, "paper")), ("repaired", repaired_view(ledger)))
    for view, graph in ((name, drawn(ledger, whole)) for name, whole in views):
        nodes = soup.select(f"#{view} a.sl-node")
        assert [node["data-id"] for node in nodes] == [c.id for c in ledger if c.id in graph]
        for node in nodes:
            each = ledger[node["data-id"]]
            assert node["id"] == f"{view}-{each.id}"
            assert node["href"].endswith(f".ipynb#{each.id}")
            title = title_of(each)
            known = f"{each.recorded.value}, {each.known}"
            assert node["aria-label"] == f"{name_of(each.id)}, {title}: {known}"
            assert text(node).endswith(title)
            assert node.select_one(".sl-mark")["d"] == LOOKS[each.recorded].path
            assert text(node.find("text")) == short_name(each.id)
            assert set(node["data-uses"].split()) == set(graph.predecessors(each.id))
        arrows = soup.select(f"#{view} .sl-edges path")
        assert {(path["data-from"], path["data-to"]) for path in arrows} == set(graph.edges)


def test_what_others_imply_definitions_and_lone_statements_are_not_drawn():
    ledger = made_up_ledger()
    also = replace(ledger["thm-1.1"], depends_on=("thm-4.4", "cor-5.2", "thm-4.1"))
    more = Ledger([also if each.id == also.id else each for each in ledger])
    assert ("thm-4.1", "thm-1.1") in work_view(more, "paper").edges
    assert (
        drawn(more, work_view(more, "paper")).edges
        == drawn(ledger, work_view(ledger, "paper")).edges
    )
    assert "def-3.5" not in drawn(ledger, work_view(ledger, "paper"))
    changes = {"recorded": Verdict.IMPLEMENTED, "status": None, "implemented_by": "x.y"}
    convention = replace(ledger["lem-a.6"], **changes)
    fewer = Ledger([convention if each.id == convention.id else each for each in ledger])
    assert "lem-a.6" not in drawn(fewer, work_view(fewer, "paper"))


def test_a_step_that_failed_with_a_repaired_statement_leaves_the_repaired_view():
    ledger = made_up_ledger()
    step = replace(ledger["thm-4.1"], id="lem-c.8", cause="thm-4.1", depends_on=("lem-a.6",))
    user = replace(ledger["thm-4.4"], depends_on=("lem-c.8",))
    kept = [user if each.id == user.id else each for each in ledger]
    graph = repaired_view(Ledger([*kept, step]))
    assert "lem-c.8" not in graph and ("thm-4.1-r", "thm-4.4") in graph.edges


def test_nodes_do_not_overlap_and_fit_the_drawing():
    soup = read(dependency_graph(shelf=made_up_shelf()))
    for svg in soup.select("figure svg"):
        width, height = map(float, svg["viewbox"].split()[2:])
        places = [
            tuple(map(int, re.findall(r"-?\d+", node["transform"])))
            for node in svg.select("a.sl-node")
        ]
        for x, y in places:
            assert min(x, y) >= 0 and x + 128 <= width and y + 82 <= height
        for k, (x, y) in enumerate(places):
            assert all(abs(x - u) >= 128 or abs(y - v) >= 82 for u, v in places[:k])


def test_a_further_part_has_a_view_of_its_own():
    shelf = made_up_shelf()
    first = next(iter(shelf.ledger))
    source = Source("memorization", "after someone, Theorem 4.8")
    base = replace(first, id="prop-ii.1", source=source, depends_on=(), repairs="")
    above = replace(base, id="thm-ii.4.8", depends_on=("prop-ii.1", first.id))
    ledger = Ledger([*shelf.ledger, base, above])
    assert set(work_view(ledger, "paper")) == set(work_view(shelf.ledger, "paper"))
    assert set(repaired_view(ledger)) == set(repaired_view(shelf.ledger))
    assert list(work_view(ledger, "memorization").edges) == [("prop-ii.1", "thm-ii.4.8")]
    shown = dependency_graph(shelf=replace(shelf, ledger=ledger)).html
    assert 'value="memorization"> Part II' in shown and 'id="memorization-thm-ii.4.8"' in shown
    assert "Part II" not in dependency_graph(shelf=shelf).html


@pytest.mark.parametrize(
    ("name", "long", "short"),
    [
        ("lem-b.9", "Lemma B.9", "Lem. B.9"),
        ("thm-a", "Theorem A", "Thm A"),
        ("eq-25-r", "Equation (25), repaired", "Eq. (25)′"),
    ],
)
def test_names_follow_from_ids(name, long, short):
    assert name_of(name) == long and short_name(name) == short


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("the size of $f$", "The size of $f$"),
        ("Theorem 4.1: the size", "The size"),
        ("Theorem 4.1, with proof", "With proof"),
        ("Theorem 4.1", ""),
    ],
)
def test_a_title_does_not_repeat_the_name(title, shown):
    assert title_of(replace(made_up_ledger()["thm-4.1"], title=title)) == shown


def test_an_id_without_a_kind_and_a_page_that_is_none_are_refused():
    with pytest.raises(ValueError, match="claim_id must begin with one of"):
        name_of("conjecture-1")
    for page in ("/reference/ledger", "reference/ledger.html", "", "a b"):
        with pytest.raises(ValueError, match="page must be a page of the book"):
            page_link(page, "there")


def test_a_proof_in_the_paper_is_named_and_not_linked():
    assert proof_links(made_up_ledger()["thm-4.1"]) == ["proof: Appendix C.2"]
    both = replace(made_up_ledger()["thm-4.1"], proof="B (2019); reference/x#thm-4.1-r")
    link = '<a class="sl-page" href="../reference/x.ipynb#thm-4.1-r">why it fails</a>'
    assert proof_links(both) == ["proof: B (2019)", link]
    bare = replace(made_up_ledger()["thm-4.1"], proof="")
    assert proof_links(bare) == []
