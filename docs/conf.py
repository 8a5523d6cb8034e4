"""Settings of sphinx: ``sphinx-build -W --keep-going docs docs/_build``.

Where there is a net, ``JOINTWRENCH_DOCS_ONLINE=1`` links to the pages of sympy, numpy, scipy and
PyDy, and ``-b linkcheck`` looks whether the addresses on these pages are there.
"""

import os
import runpy
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path

os.environ["MPLBACKEND"] = "Agg"
sys.path.append(str(Path(__file__).parent / "_ext"))

from gallery import value_scraper, view_scraper

import jointwrench

project = "jointwrench"
author = "jointwrench developers"
copyright = "2026, jointwrench developers"
version = release = jointwrench.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx-mathjax-offline",  # no net is needed to see the formulas
    "returned",
    "page_links",
    "short_names",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "gallery",
    "promises_table",
    "renamed_table",
    "calls_index",
    "myst_parser",  # the changelog and CONTRIBUTING.md
]
exclude_patterns = ["_build", "tutorials"]
templates_path = ["_templates"]
highlight_language = "none"  # drawings and outputs are no Python; what begins with >>> still is
default_role = "py:obj"  # `name` in a docstring is a link
nitpicky = True  # that goes somewhere
nitpick_ignore_regex = [
    ("py:obj", r"(casadi|numpy|pydy|scipy|sympy)\..*"),
    ("py:obj", "kdes"),  # of sympy's joints
]
suppress_warnings = [
    "config.cache",  # functions in the settings of the gallery
    "ref.python",  # attributes of sympy's joints that several classes have
]

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings say more
numpydoc_show_class_members = False  # autodoc shows them, with their docstrings

if os.environ.get("JOINTWRENCH_DOCS_ONLINE"):
    extensions.append("sphinx.ext.intersphinx")
intersphinx_mapping = {
    "numpy": ("https://numpy.org/doc/stable", None),
    "pydy": ("https://pydy.readthedocs.io/en/stable", None),
    "python": ("https://docs.python.org/3", None),
    "scipy": ("https://docs.scipy.org/doc/scipy", None),
    "sympy": ("https://docs.sympy.org/latest", None),
}
linkcheck_timeout = 20
linkcheck_ignore = [r"https://doi\.org/.*"]  # publishers turn programs away

toc_object_entries_show_parents = "hide"  # "On this page" has room for the names of methods

html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_search_scorer = str(Path(__file__).with_name("scorer.js"))
html_title = "jointwrench"
html_theme_options = {"header_links_before_dropdown": 7, "show_prev_next": True}
html_show_sourcelink = False

warnings.filterwarnings("error", module="numpydoc")  # a section that it does not know is lost
warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive")


#: Examples whose library is not installed.
NEEDS = {"policy_gradient": "jax", "learned_residual": "torch", "numba_ode": "numba"}
LEFT_OUT = "|".join(x for x, library in NEEDS.items() if not find_spec(library)) or "-"

sphinx_gallery_conf = {
    "examples_dirs": ["tutorials", "../examples"],
    "gallery_dirs": ["generated/tutorials", "generated/examples"],
    "filename_pattern": rf"/(?!{LEFT_OUT})\w+\.py$",  # every other example runs
    "within_subsection_order": "order.ByReading",
    "abort_on_example_error": True,
    "image_scrapers": ("matplotlib", value_scraper, view_scraper),
    "capture_repr": ("_repr_html_",),  # tables and views; the rest by the scraper
    "ignore_repr_types": "Film",  # played by the next line
    "matplotlib_animations": True,
    "show_memory": False,
    "write_computation_times": False,  # a page that needs a net
    "download_all_examples": False,
    "reference_url": {"jointwrench": None},
    "backreferences_dir": "generated/used_in",
    "doc_module": ("jointwrench",),
    "remove_config_comments": True,
}


def link_versions(app, docname, source):
    """End the changelog with links of its versions, where pyproject.toml has an address."""
    if docname == "project/changelog":
        root = Path(__file__).parents[1]
        shared = runpy.run_path(str(root / "setup.py"))
        text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
        source[0] = shared["linked_changelog"](text, shared["repository"]())


def setup(app):
    """Add what this file itself does."""
    app.connect("source-read", link_versions)
