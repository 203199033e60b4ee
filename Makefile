# The two commands of this book are `make book` and `make test`. Nothing but Python 3.11 or newer,
# its venv module and make is needed; everything goes into .venv and _build.

.DEFAULT_GOAL := help
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/installed
PORT := 8000

# The first Python on this machine that is new enough; `make PYTHON=/path/to/python` overrides it.
PYTHON ?= $(shell for each in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	if "$$each" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; \
	then echo "$$each"; break; fi; done)

.PHONY: help book test test-all serve proofs fuzz execute check format lab lite looks screenshots clean

help:  ## list the commands
	@echo "usage: make COMMAND"
	@awk -F ':.*## *' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

book: $(STAMP)  ## build the book, check it and print its address
	@$(BIN)/python tools/build_book.py

test: $(STAMP)  ## test every promise once, and say at the end what was run (ALL=1: also what has passed)
	@$(BIN)/python tools/run_tests.py $(if $(ALL),--again)

test-all: $(STAMP)  ## test everything: other seeds and kernels, kills, clusters, every page by keyboard
	@$(BIN)/python tools/run_tests.py --thorough $(if $(ALL),--again)

serve: book  ## build the book and offer it at http://127.0.0.1:8000 (PORT=...)
	@echo "The book is at http://127.0.0.1:$(PORT)/ until you press Ctrl-C."
	@$(BIN)/python -m http.server --bind 127.0.0.1 --directory _build/html $(PORT)

proofs:  ## check the proofs of proofs/ with Rocq, and what each rests on (needs coqc)
	@$(PYTHON) tools/check_proofs.py

fuzz: $(STAMP)  ## compare every half-space structure with exact arithmetic (QUERIES=1e5 SEED=0)
	@$(BIN)/python -m tests.halfspace.fuzz --queries $(or $(QUERIES),1e5) --seed $(or $(SEED),0)

execute: $(STAMP)  ## run all notebooks again and store their outputs
	@$(BIN)/python tools/run_notebooks.py

check: $(STAMP)  ## the fast checks only: style, types, spelling, direction of imports
	@$(BIN)/python tools/run_tests.py lint format types spelling prose imports

format: $(STAMP)  ## put all Python files into the house format
	@$(BIN)/ruff check --fix --quiet .
	@$(BIN)/ruff format .

lab: $(STAMP)  ## open the chapters as live notebooks in JupyterLab (LAB_OPTIONS=...)
	@$(BIN)/python tools/lab.py $(LAB_OPTIONS)

lite: $(STAMP)  ## build the notebooks as JupyterLite, for a Python in the browser (PYODIDE=...)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[lite]'
	@$(BIN)/python tools/build_lite.py $(if $(PYODIDE),--pyodide "$(PYODIDE)")

looks: book  ## look thoroughly at every page that changed, and keep what is found for the tests
	@PYTHONPATH=tools $(BIN)/python -m tests.book.look_at_pages

screenshots: book  ## photograph every page, light and dark, wide and narrow
	@$(BIN)/python tools/screenshots.py

clean:  ## remove everything that the commands made
	rm -rf $(VENV) _build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(STAMP): requirements.txt constraints.txt pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed, and none was found." >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { echo "The venv module is needed: apt-get install python3-venv" >&2; exit 1; }
	@echo "Installing the pinned requirements into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -r requirements.txt
	@# pip would compile on one processor what is compiled here on all of them
	@$(BIN)/python -W ignore -m compileall -qq -j 0 \
		"$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')" || true
	@touch $@
