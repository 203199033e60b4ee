"""Count the lines of code of each room: lines that hold a token, without docstrings and comments.

usage: python tools/count_code.py

The core are floors 0 to 3 of `tests/test_imports.py`: what computes, without claims and pages.
"""

from __future__ import annotations

import ast
import io
import subprocess
import tokenize
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "sublinear_lib"
CORE_MODULES = {
    *("_arguments", "_compiled", "_late", "_turning", "_typing", "_vector_code", "activations"),
    *("datasets", "geometry", "losses", "network", "predicates", "scaling", "statistics"),
    "validation",
}
CORE_ROOMS = {"evaluation", "theory", "halfspace", "adversary", "training"}
_NO_CODE = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
    *(tokenize.ENDMARKER, tokenize.ENCODING),
}


def code_lines(source: str) -> int:
    """Return how many lines of a module hold code."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, documented) and ast.get_docstring(node, clean=False) is not None:
            lines.difference_update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    return len(lines)


def room(path: str) -> str:
    """Return the row of the table that a file belongs to."""
    parts = path.split("/")
    if len(parts) == 2 and parts[0] == PACKAGE:
        core = parts[1].removesuffix(".py") in CORE_MODULES
        return f"{PACKAGE}/ ({'core' if core else 'other'} modules)"
    return "/".join(parts[:2]) if len(parts) > 2 and parts[0] in (PACKAGE, "tests") else parts[0]


def totals(code: Counter[str]) -> dict[str, int]:
    """Add up the rooms of the package, of its core and of the tests."""
    core = {f"{PACKAGE}/{name}" for name in CORE_ROOMS} | {f"{PACKAGE}/ (core modules)"}
    return {
        "package": sum(n for name, n in code.items() if name.startswith(PACKAGE)),
        "core": sum(n for name, n in code.items() if name in core),
        "tests": sum(n for name, n in code.items() if name.split("/")[0] == "tests"),
    }


def main() -> None:
    """Print the table."""
    code, lines = Counter[str](), Counter[str]()
    command = ["git", "ls-files", "-z", "--", "*.py"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    for path in filter(None, listed.stdout.split("\0")):
        source = (ROOT / path).read_text(encoding="utf-8")
        code[room(path)] += code_lines(source)
        lines[room(path)] += len(source.splitlines())
    print(f"{'':36}{'code':>8}{'all lines':>11}")
    for name, count in code.most_common():
        print(f"{name:36}{count:8}{lines[name]:11}")
    print(*(f"{name}: {count}" for name, count in totals(code).items()), sep=", ", end=", ")
    print(f"all lines that git tracks: {lines.total()}")


if __name__ == "__main__":
    main()
