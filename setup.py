"""The parts that are compiled, without which the package works, and the README of packages."""

import re
from pathlib import Path

import numpy
from setuptools import Extension, setup

NATIVE = Extension(
    "jointwrench.mechanics.evaluation.backends._native",
    ["src/jointwrench/mechanics/evaluation/backends/_native.pyx"],
    include_dirs=[numpy.get_include(), "src/jointwrench/mechanics/evaluation/backends"],
    depends=["src/jointwrench/mechanics/evaluation/backends/memory.h"],
    define_macros=[("NPY_NO_DEPRECATED_API", "NPY_1_7_API_VERSION")],
    optional=True,
)
SQUARES = Extension(
    "jointwrench.tracking._squares",
    ["src/jointwrench/tracking/_squares.pyx"],
    include_dirs=["src/jointwrench/tracking"],
    depends=["src/jointwrench/tracking/squares.c"],
    optional=True,
)

SIMPLEX = Extension(
    "jointwrench.indeterminate._simplex",
    ["src/jointwrench/indeterminate/_simplex.pyx"],
    include_dirs=["src/jointwrench/indeterminate"],
    depends=["src/jointwrench/indeterminate/simplex.c"],
    optional=True,
)


def packaged_readme(text: str, address: str | None) -> str:
    """Return the README without links into the repository that end nowhere outside it.

    They become absolute, or, where no address is known, their text; pictures are left out then.
    """
    link = r"\[([^]]*)\]\((?![a-z]+:|#)([^)]*)\)"
    if address is None:
        text = re.sub(r"<picture>.*?</picture>\n*", "", text, flags=re.DOTALL)
        return re.sub(link, r"\1", text)
    text = re.sub(link, rf"[\1]({address}/blob/main/\2)", text)
    return re.sub(r'(src|srcset)="(?![a-z]+:)(.*?)"', rf'\1="{address}/raw/main/\2"', text)


def linked_changelog(text: str, address: str | None) -> str:
    """Return the changelog with links of its versions at its end, if an address is known."""
    versions = re.findall(r"(?m)^## \[(\d.*?)\]", text) if address else []
    links = [f"[{version}]: {address}/releases/tag/v{version}" for version in versions]
    if versions:
        links.insert(0, f"[Unreleased]: {address}/compare/v{versions[0]}...HEAD")
    return "\n".join([text, *links])


def repository() -> str | None:
    """Return the address of the repository in ``pyproject.toml``, if there is one."""
    text = Path(__file__).with_name("pyproject.toml").read_text(encoding="utf-8")
    found = re.search(r'^urls = \{[^}#]*Repository = "(.*?)/?"', text, re.MULTILINE)
    return found and found[1]


if __name__ == "__main__":
    setup(
        ext_modules=[NATIVE, SQUARES, SIMPLEX],
        options={"build_ext": {"cython_c_in_temp": True}},
        long_description=packaged_readme(Path("README.md").read_text("utf-8"), repository()),
        long_description_content_type="text/markdown",
    )
