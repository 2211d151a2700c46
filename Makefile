# The only task list: people, .ci/run and the README all call it.
# A fresh machine needs git, make and Python 3.11; the rest is installed in .venv.

SHELL := /bin/bash
.DEFAULT_GOAL := help

PORT ?= 8000
NB ?= $(wildcard chapters/*.ipynb)
TORCH_INDEX ?=
SET ?= pinned
TAG ?=

VENV := .venv
PY := $(VENV)/bin/python
# The first of these that is new enough; empty when none is.
OLDEST := 3.11
PYTHON ?= $(shell for p in python3.11 python3 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < ($(subst .,$(comma),$(OLDEST))))' \
	2>/dev/null && { echo $$p; break; }; done)
comma := ,

# Quiet pip, and one thread and one instruction set: sums round the same way twice.
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
export MKL_NUM_THREADS := 1
export ATEN_CPU_CAPABILITY := avx2

PIP_INSTALL := $(PY) -m pip install --quiet --constraint requirements.txt
BOOK := $(VENV)/bin/jupyter-book build .
STRICT := --all -W -n --keep-going

# The variable is only read when a virtual environment has to be made.
define NO_PYTHON
No Python $(OLDEST) or newer found (looked for python3.11, python3, python).
Install it, or name it: make serve PYTHON=/path/to/python3
endef
export NO_PYTHON

$(PY):
	@[ -n "$(PYTHON)" ] || { echo "$$NO_PYTHON" >&2; exit 1; }
	@echo "Making a virtual environment in $(VENV)"
	@$(PYTHON) -m venv $(VENV)

# The stamps say what is installed; a newer pin or dependency makes them stale.
$(VENV)/.site: requirements.txt pyproject.toml | $(PY)
	@echo "Installing what reading needs (about a minute the first time)"
	@$(PIP_INSTALL) --editable '.[site]'
	@touch $@

$(VENV)/.all: requirements.txt pyproject.toml | $(PY)
	@echo "Installing what running and testing need (torch is large)"
	@$(PIP_INSTALL) $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX)) torch
	@$(PIP_INSTALL) --editable '.[all]'
	@touch $@ $(VENV)/.site

.PHONY: port
port:
	@[ -n "$(PYTHON)" ] || { echo "$$NO_PYTHON" >&2; exit 1; }
	@$(PYTHON) -m tools.serve --free $(PORT)

.PHONY: help
help:  ## list the tasks
	@sed -nE 's/^([a-z-]+):.*  ## (.*)/  make \1\t\2/p' Makefile | expand -t 22

.PHONY: serve
serve: port $(VENV)/.site  ## build the book and read it at 127.0.0.1 (PORT=8000)
	@echo "Building the book from its stored outputs"
	@$(BOOK) -q >/dev/null
	@$(PY) -m tools.serve _build/html --port $(PORT)

.PHONY: site
site: $(VENV)/.site  ## build the book from scratch; a warning is an error
	@$(BOOK) $(STRICT)

.PHONY: pdf
pdf: site $(VENV)/.all  ## print the chapter to _build/html/chapter.pdf
	@$(PY) -m tools.pdf

.PHONY: notebooks
notebooks: $(VENV)/.all  ## execute notebooks and store their outputs (NB=...)
	@$(PY) -m tools.setup_cell $(NB)
	@$(PY) -m tools.notebooks run $(NB)

.PHONY: test
test: $(VENV)/.all  ## check everything that can be checked
	@$(PY) -m tools.check

.PHONY: test-browsers
test-browsers: $(VENV)/.all  ## open every page in Firefox as well
	@$(PY) -m pytest -q -m firefox tests/site/test_firefox.py

.PHONY: experiments
experiments: $(VENV)/.all  ## train at length for page 4; stop and go on at will
	@$(PY) -m benchmarks.experiments

# On every core, and with the best instructions there are: speed is what it measures.
UNLIMITED := env -u OMP_NUM_THREADS -u OPENBLAS_NUM_THREADS -u MKL_NUM_THREADS \
	-u ATEN_CPU_CAPABILITY

.PHONY: bench
bench: $(VENV)/.all  ## time attention beside NumPy and torch (about 10 minutes)
	@$(UNLIMITED) $(PY) -m benchmarks.attention

.PHONY: lint
lint: $(VENV)/.all  ## check style and format
	@$(VENV)/bin/ruff check .
	@$(VENV)/bin/ruff format --check .

.PHONY: format
format: $(VENV)/.all  ## mend style and format
	@$(VENV)/bin/ruff check --fix .
	@$(VENV)/bin/ruff format .

.PHONY: requirements
requirements: $(PY)  ## resolve pyproject.toml into the pins of requirements.txt
	@$(PY) -m pip install --quiet --editable '.[pins]'
	@$(PY) -m tools.requirements

# What is tried elsewhere needs little here: `fresh` makes its own environments.
.PHONY: fresh
fresh: $(if $(filter colab,$(SET)),$(VENV)/.site,$(PY))  ## try SET=pinned, oldest, newest, binder or colab
	@$(PY) -m tools.fresh $(SET)

.PHONY: links
links: site  ## ask other sites whether the pages linked to are still there
	@$(PY) -m tools.outside_links

.PHONY: publish
publish: $(VENV)/.site  ## push the notebooks that the Colab buttons open
	@$(PY) -m tools.publish --push

.PHONY: gettext
gettext: $(VENV)/.site  ## write the catalogues for translators to _build/gettext
	@$(PY) -m tools.translate catalogues

.PHONY: translation
translation: $(VENV)/.site  ## build the site in LANGUAGE=de from locale/
	@$(PY) -m tools.translate site $(LANGUAGE)

.PHONY: release
release: pdf  ## collect wheel, site, PDF and notes in dist/ (TAG=v...)
	@$(PY) -m tools.release --tag "$(TAG)"

.PHONY: clean
clean:  ## remove what was built and installed
	rm -rf $(VENV) _build build dist .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
	find . -name '*.egg-info' -type d -prune -exec rm -rf {} +
