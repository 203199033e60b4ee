"""A program of somebody who uses the installed library: strict types, and a run of a second.

The file is checked by mypy against the wheel, from another folder; see CONTRIBUTING.md.
"""

from __future__ import annotations

from pathlib import Path

from sublinear_lib import adversary, datasets, network, training
from sublinear_lib.halfspace import HalfspaceIndex
from sublinear_lib.theory import printed_q0


def train(width: int) -> tuple[training.History, float]:
    """Train a small network, and return what happened and its accuracy under attack."""
    held_in, held_out = datasets.load_split("digits-3v8", 0.25, rng=0)
    start = network.TwoLayerNetwork.initialize(width, held_in.d, rng=0, tau=0.04)
    attack: adversary.Adversary = adversary.ProjectedGradient(rho=0.1)
    trainer = training.SublinearAdversarialTraining(adversary=attack, steps=2)
    history = trainer.fit(start, held_in.X, held_in.y, rng=0)
    accuracy = adversary.accuracy_under_attack(history.final, held_out.X, held_out.y, attack, rng=1)
    return history, accuracy


def main() -> None:
    """Use a few rooms, with the types that they promise."""
    history, accuracy = train(256)
    weights = history.final.W
    index = HalfspaceIndex(weights)
    hits = index.query_halfspace(weights[:2], 0.0)
    count: int = int(hits.indptr[-1])
    bound: float = printed_q0(256, 1.0)
    folder: Path | None = None
    print(f"{accuracy:.2f} {count} {bound:.3g} {folder}")


if __name__ == "__main__":
    main()
