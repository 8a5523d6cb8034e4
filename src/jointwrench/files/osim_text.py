"""Values in elements' texts, as OpenSim has them."""

import numpy as np

from .xml_tree import Element


def text_in(element: Element, tag: str, default: str | None = None) -> str:
    """Return the text of a child; the default where there is none, or no text."""
    child = element.find(tag)
    text = "" if child is None else child.text.strip()
    if text or default is not None:
        return text or str(default)
    raise ValueError(f"{element} has no <{tag}>.")


def numbers_in(
    element: Element, tag: str, count: int | None = None, default: str | None = None
) -> np.ndarray:
    """Return the finite numbers in a child's text, shape (count,)."""
    text = text_in(element, tag, default)
    child = element.find(tag) or element
    try:
        values = np.array([float(word) for word in text.split()])
    except ValueError:
        values = np.array([np.nan])
    if not np.isfinite(values).all() or count not in (None, len(values)):
        wanted = {None: "finite numbers", 1: "a finite number"}.get(
            count, f"{count} finite numbers"
        )
        raise ValueError(f"{child} of {element} must be {wanted}, got {text[:40]!r}.")
    return values


def is_true(element: Element, tag: str, default: bool) -> bool:
    """Return what a child says of yes or no."""
    return text_in(element, tag, str(default)).lower() in ("true", "1")
