"""Settings of sphinx: ``sphinx-build -W --keep-going docs docs/_build``."""

import os
import warnings

os.environ["MPLBACKEND"] = "Agg"

import jointwrench

project = "jointwrench"
author = "jointwrench developers"
copyright = "2026, jointwrench developers"
version = release = jointwrench.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "myst_parser",  # the changelog and CONTRIBUTING.md
]
exclude_patterns = ["_build", "tutorials"]
templates_path = ["_templates"]
highlight_language = "none"  # drawings and outputs are no Python; what begins with >>> still is
default_role = "py:obj"  # `name` in a docstring is a link
nitpicky = True  # that goes somewhere
nitpick_ignore_regex = [
    ("py:obj", r"(casadi|numpy|opty|pydy|scipy|sympy)\..*"),
    ("py:obj", "kdes"),  # of sympy's joints
]
suppress_warnings = [
    "config.cache",  # a function in the settings of the gallery
    "ref.python",  # attributes of sympy's joints that several classes have
]

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings say more
numpydoc_show_class_members = False  # autodoc shows them, with their docstrings

html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_title = "jointwrench"
html_theme_options = {"header_links_before_dropdown": 6, "show_prev_next": False}
html_show_sourcelink = False

warnings.filterwarnings("error", module="numpydoc")  # a section that it does not know is lost
warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive")


def no_arguments(_, script):
    """Run an example as ``python example.py`` does: it finds its data by ``__file__``."""
    script["example_globals"]["__file__"] = script["src_file"]
    return []


sphinx_gallery_conf = {
    "examples_dirs": ["tutorials", "../examples"],
    "gallery_dirs": ["generated/tutorials", "generated/examples"],
    "reset_argv": no_arguments,
    "filename_pattern": r"\.py$",  # every example runs
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "capture_repr": (),  # what the scripts print
    "show_memory": False,
    "download_all_examples": False,
    "reference_url": {"jointwrench": None},
    "backreferences_dir": "generated/used_in",
    "doc_module": ("jointwrench",),
    "remove_config_comments": True,
}
