"""Bad calls, made from the good ones in docstrings by spoiling one argument at a time."""

import doctest
import functools
import inspect
import io
import sys

import numpy as np
import pytest

import jointwrench as jw

#: Public names whose examples are run; all of them take milliseconds.
NAMES = (
    *("Markers", "Table", "Measurement", "Smoothing", "FreeJoint"),
    *("QuaternionJoint", "segment_angles", "segment_lengths", "pelvis_frame", "hip_centers"),
    *("chord_center", "carried_points", "butterworth", "normalise_cycles", "Person"),
)


class Stranger:
    """Something that no function can use."""


def spoiled():
    """Yield what is wrong nearly everywhere."""
    yield from (Stranger(), 1j, [Stranger()], {Stranger(): Stranger()})
    yield from (np.array(["a", "b"]), np.array([None, Stranger()]), np.zeros((1, 2, 1, 3, 1)))


def good_calls(name):
    """Return what the examples of a public name call of it, as function and arguments."""
    found, calls = getattr(jw, name), []
    is_class = inspect.isclass(found)
    function = found.__init__ if is_class else found
    signature = inspect.signature(function)

    @functools.wraps(function)
    def record(*args, **kwargs):
        if sys._getframe(1).f_code.co_filename.startswith("<doctest"):
            calls.append((function, signature.bind(*args, **kwargs)))
        return function(*args, **kwargs)

    holder, place = (found, "__init__") if is_class else (jw, name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(holder, place, record, raising=False)
        for test in doctest.DocTestFinder(recurse=False).find(found, name, globs={}):
            options = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
            doctest.DocTestRunner(optionflags=options).run(test, out=io.StringIO().write)
    return calls


@pytest.mark.parametrize("name", NAMES)
def test_strangers_are_refused_by_name_or_taken(name):
    (function, bound), *_ = good_calls(name)
    tried = 0
    for argument in [x for x in bound.arguments if x != "self"]:
        for wrong in spoiled():
            given = {**bound.arguments, argument: wrong}
            tried += 1
            try:
                function(**given)
            except (TypeError, ValueError) as error:
                assert "`" in str(error), (argument, wrong)  # noqa: PT017
    assert tried > 6
