"""The formal proofs, the ledger and the library speak of the same theorems and the same numbers.

The numbers are read from the sources in ``proofs/`` as Rocq reads them: exponents, constants and
witnesses.  `make proofs` checks the proofs themselves; here nothing but Python is needed.
"""

import math
import re
from dataclasses import replace
from fractions import Fraction

import check_proofs
import companion_formal
import pytest

from sublinear_lib import claims, scaling
from sublinear_lib.claims import ProofStatus
from sublinear_lib.claims.paper import LEDGER
from sublinear_lib.exhibits.box import ClaimBox
from sublinear_lib.exhibits.shelf import default_shelf
from sublinear_lib.features import FeatureData, robustness_window
from sublinear_lib.memorization import collision, null_space_layer, simplex_points
from sublinear_lib.memorization.constructions import linf_size
from sublinear_lib.theory import CHAINS, activity, concentration, jump, regret

SOURCES = {path.stem: path.read_text(encoding="utf-8") for path in check_proofs.PROOFS.glob("*.v")}
RECORDS = check_proofs.records()
NUMBER = r"-?\(?\d+(?:/\d+)?\)?"


def definition(file, name):
    """Return what stands on the right of a definition."""
    found = re.search(rf"^Definition {name}\b[^.]*?:=(.*?)\.\s", SOURCES[file], re.M | re.S)
    assert found, f"proofs/{file}.v must define {name}"
    return found[1].strip()


def rational(text):
    """Return the number that a text such as ``-(1/5)`` is."""
    return Fraction(re.sub(r"[\s()]", "", text))


def number(file, name):
    return rational(definition(file, name))


def formula(file, name):
    """Return a definition as a function of the letters in it."""
    text = re.sub(r"Rpower (\w+) \(", r"\1 ** (", definition(file, name))
    code = compile(text.replace("^", "**").replace("ln 2", "log(2)"), file, "eval")
    return lambda **letters: eval(code, {"exp": math.exp, "log": math.log} | letters)


def test_every_source_and_every_statement_name_the_same_theorems():
    named = {}
    for claim in LEDGER:
        for each in claim.formal if not claim.restates else ():
            file, _, theorem = each.partition(".")
            named.setdefault(file, {}).setdefault(claim.id, set()).add(theorem)
    assert RECORDS.keys() == named.keys()
    for file, (ids, theorems) in RECORDS.items():
        assert set(ids) == named[file].keys(), file
        assert set(theorems) == set().union(*named[file].values()), file
        for theorem in theorems:
            assert theorem in companion_formal.theorem(f"{file}.{theorem}")


def test_no_source_takes_anything_for_granted():
    for file, source in SOURCES.items():
        assert not re.search(r"\b(Admitted|admit|Axiom|Parameter|Conjecture|Abort)\b", source), file
        assert source.count("Proof.") == source.count("Qed."), file


def test_only_what_is_checked_as_a_whole_has_the_badge():
    whole = {claim.id for claim in LEDGER if claim.formal and not claim.formal_part}
    badge = {claim.id for claim in LEDGER if claim.status is ProofStatus.MACHINE_CHECKED}
    assert whole == badge and {"thm-d", "lem-4.5", "prop-iii.1"} <= badge


def test_the_powers_are_those_of_the_table():
    pattern = re.compile(
        rf"^Theorem chain_(\w+) : (\w+) \[(.*?)\] (\(?{NUMBER}\)?)(?: (\(?{NUMBER}\)?))?\.$", re.M
    )
    found = {each[1]: each.groups()[1:] for each in pattern.finditer(SOURCES["Exponents"])}
    failing = {
        re.sub(r"\W", "_", key): chain
        for key, chain in CHAINS.items()
        if chain.verdict() == "fails"
    }
    assert found.keys() == failing.keys()
    at = (scaling.PRINTED.alpha, scaling.PRINTED.beta, scaling.PRINTED.c)
    for key, chain in failing.items():
        word, factors, derived, printed = found[key]
        powers = [factor.at(*at) for factor in chain.factors]
        assert [rational(each) for each in factors.split(";")] == powers, key
        assert rational(derived) == chain.derived(), key
        if word == "comes_to":
            assert (chain.relation, chain.printed) == ("<", chain.derived()), key
        else:
            assert rational(printed) == chain.printed, key
            assert word == ("falls_short" if chain.relation == ">=" else "outgrows"), key


def test_the_first_step_has_the_printed_powers_and_the_witness_of_the_library():
    printed, m = scaling.PRINTED, 2**15
    assert formula("FirstStep", "weight")(m=m) == pytest.approx(printed.output_weight(m))
    assert formula("FirstStep", "radius")(K=3.0, m=m) == pytest.approx(printed.radius(m, 3.0))
    step = formula("FirstStep", "printed_step")(eps=0.25, m=m)
    assert step == pytest.approx(printed.eta(m, 0.25))
    assert definition("FirstStep", "witness_z") == "match r with O => 1 | _ => 3 end"
    names = ("out", "tau", "label", "eta")
    a, tau, label, eta = (float(number("FirstStep", f"witness_{name}")) for name in names)
    told = companion_formal.theorem("FirstStep.two_neurons")
    before, after, bound = (rational(each) for each in re.findall(r"= (\d+/\d+)", told))
    run = regret.one_point_descent([1.0, 3.0], [a, a], tau, label, eta, 1).losses
    assert [Fraction(each) for each in run] == [before, after]
    assert regret.first_step_lower_bound([1.0, 3.0], [a, a], tau, label, eta) == bound
    grows = companion_formal.theorem("FirstStep.printed_step_grows")
    assert (
        rational(re.search(r"c \* eps \* Rpower \(INR m\) \((.*?)\)", grows)[1])
        == CHAINS["C.12-regret"].derived()
    )


def test_two_points_have_the_numbers_of_the_errata():
    errata = (check_proofs.PROOFS.parent / "book/reference/errata.ipynb").read_text("utf-8")
    m, eps = 2**15, float(number("TwoPoints", "eps"))
    assert formula("TwoPoints", "weight")(m=m) == pytest.approx(scaling.PRINTED.output_weight(m))
    assert formula("TwoPoints", "radius")(m=m) == pytest.approx(scaling.PRINTED.radius(m, 1.0))
    step = formula("TwoPoints", "smaller_step")(eps=eps, m=m)
    assert step == pytest.approx(scaling.R1.eta(m, eps)) and "eta=m**-0.6 / 4" in errata
    rounds = int(definition("TwoPoints", "rounds"))
    assert rounds == scaling.R1.steps(m, 1.0, eps) and f"steps={rounds}" in errata
    cosine = Fraction(re.search(r"dot d x y = (\d+/\d+)", SOURCES["TwoPoints"])[1])
    assert 2 - 2 * cosine == Fraction(1, 5) ** 2 and "np.arcsin(0.1 / 0.75**0.5)" in errata


def test_lemma_45_has_the_printed_bound_and_its_last_width():
    bound, last = formula("Lemma45", "Q0"), formula("Lemma45", "empty_from")
    for m, K in ((2**10, 1.0), (2**20, 4.0)):
        assert bound(m=m, K=K) == pytest.approx(activity.printed_q0(m, K))
        assert bound(m=last(K=K), K=K) == pytest.approx(last(K=K))


def test_lemma_a5_has_the_slopes_the_witness_and_the_digits_of_the_ledger():
    lower, upper = number("LemmaA5", "holds_up_to"), number("LemmaA5", "fails_from")
    crossing = concentration.gaussian_wedge_crossing()
    assert lower < crossing.lower and crossing.upper < upper
    assert upper - lower == Fraction(1, 10**10)
    assert f"{float(lower):.10f}" in LEDGER["lem-a.5-r"].statement
    stored = claims.stored_evidence()["lem-a.5"].evidence.witness
    ratio = number("LemmaA5", "witness_ratio")
    assert ratio == stored["eta/sigma"]
    slope = float(number("LemmaA5", "lower_slope"))
    assert slope * float(ratio) == pytest.approx(stored["printed lower bound"])
    for name in ("lower_slope", "upper_slope"):
        top, bottom = number("LemmaA5", name).as_integer_ratio()
        assert rf"\frac{top}{bottom}" in LEDGER["lem-a.5-r"].statement


def test_lemma_a8_has_the_witness_of_the_ledger():
    stored = claims.stored_evidence()["lem-a.8"].evidence.witness
    assert int(definition("LemmaA8", "witness_trials")) == stored["indicators"]
    assert str(number("LemmaA8", "witness_p")) == stored["probability of each"]
    assert number("LemmaA8", "witness_eps") == stored["eps"]
    end, crossing = number("LemmaA8", "range_end"), concentration.chernoff_crossing()
    assert 0 < crossing.lower - end < Fraction(1, 10**4)
    assert f"{float(end):.4f}" in LEDGER["lem-a.8-r"].formal_part


def test_the_other_theorems_have_the_numbers_of_the_library():
    told = companion_formal.theorem("Memorization.parameters")
    total = re.search(r"= (N \* \(.*?\))\)%nat", told)[1]
    for N, n in ((1, 2), (1, 5), (9, 2), (9, 5)):
        assert eval(total, {"N": N, "n": n}) == linf_size(N, n).nonzeros

    told = companion_formal.theorem("NarrowLayer.no_robust_memorization")
    share = re.search(r"lambda / (\d+)", told)
    X, y = simplex_points(4)
    radius = float(collision(null_space_layer(4), X, y).radius)
    assert float(number("NarrowLayer", "lambda")) / int(share[1]) == pytest.approx(radius)

    # the share that the Gaussian tail leaves, at theta = delta/sigma far out: 1/4
    told = companion_formal.theorem("Prop2.price_of_the_activation")
    assert "* (1 - 2 * Q (delta / sigma / 2)) <= mean_H / mean_G" in told
    assert float(rational(re.search(r"^\s+(\d/\d) \*", told, re.M)[1])) == jump.ball_price(60.0)


def test_the_window_is_the_formula_of_the_library():
    told = definition("Window", "threshold").replace("INR ", "").replace("(/ q)", "(1 / q)")
    code = re.sub(r"Rpower (\(.*?\)) \(", r"\1 ** (", told)
    law, q = FeatureData(), 3
    known = robustness_window(law, q)
    sides = {
        known.lower: (law.beta, law.nonrobust_patches),
        known.upper: (law.alpha, law.robust_patches),
    }
    P = law.robust_patches + law.nonrobust_patches
    for end, (strength, P0) in sides.items():
        letters = {"strength": strength, "P0": P0, "P": P, "q": q}
        assert eval(code, letters) == pytest.approx(end)


def test_an_axiom_beyond_the_list_is_found():
    printed = "Axioms:\nClassical_Prop.classic : forall P : Prop, P \\/ ~ P\nmine : False\n"
    assert check_proofs.axioms(printed.removeprefix("Axioms:\n")) == {
        "Classical_Prop.classic",
        "mine",
    }
    assert not check_proofs.beyond({"Classical_Prop.classic", "PrimInt63.add"})
    assert check_proofs.beyond({"mine"}) == {"mine"}


def test_the_row_of_a_statement_names_its_theorems():
    row = ClaimBox(LEDGER["lem-a.5"], default_shelf()).body(whole=True)
    assert "A machine has checked</strong> that it fails: <code>lemma_a5_fails</code>" in row
    row = ClaimBox(LEDGER["prop-1"], default_shelf()).body(whole=True)
    assert "everything but the mean of H" in row and "in <code>proofs/Prop1.v</code>" in row
    assert "A machine" not in ClaimBox(LEDGER["thm-a"], default_shelf()).body(whole=True)


def test_a_badge_without_a_theorem_is_refused():
    one = LEDGER["thm-d"]
    for change in ({"formal": ()}, {"formal_part": "a half"}, {"status": ProofStatus.COMPLETE}):
        with pytest.raises(ValueError, match=r"status of thm-d must be 'machine-checked' exactly"):
            replace(one, **change)
