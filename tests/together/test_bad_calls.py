"""Bad calls of all public functions, made from good ones by spoiling one argument at a time."""

import csv
import inspect
import re
import traceback
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from bodies import rigid_body
from good_calls import GROUPS, Fresh
from marks import slow
from public import PUBLIC
from sympy import Basic, Symbol, nan, zoo
from sympy.physics.mechanics import Particle, Point, ReferenceFrame, System

import jointwrench as jw

PACKAGE = Path(jw.__file__).parent
SEED = 20261123


def rows_of(name):
    """Return the rows of a table below its head."""
    path = Path(__file__).parents[1] / "data" / f"{name}.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return [*csv.reader(file)][1:]


#: Results, which users have from functions; each one's documentation names its function.
MADE_BY = dict(rows_of("made_by"))

#: What only the package itself calls.
INTERNAL = {"Kinematics.of_model"}

#: What warns at each call, since it is to go.
DEPRECATED = {"frame_of_markers", "segment_poses", "save_derivation"}

#: What needs another library; ``test_interfaces`` has their bad calls.
ELSEWHERE = {
    f"{name}.to_{library}"
    for name in ("Evaluator", "HessianEvaluator")
    for library in ("jax", "numba", "torch")
}


class Stranger:
    """Something that no function can use."""


def strangers():
    """Yield what is wrong everywhere: its kind and itself."""
    yield "stranger", Stranger()
    yield "complex", 1j
    yield "bytes", b"bytes"
    yield "strangers", [Stranger()]
    yield "mapping of strangers", {Stranger(): Stranger()}
    yield "array of strings", np.array(["a", "b"])
    yield "array of objects", np.array([None, Stranger()])
    yield "five axes", np.full((1, 2, 1, 3, 1), 7.5)


def spoiled(good):
    """Yield kinds of bad values for a good one, and these values."""
    yield from strangers()
    if good is not None:
        yield "none", None
    for kinds, spoil in SPOILS:
        if isinstance(good, kinds):
            yield from spoil(good)
            return


def of_bool(good):
    yield from (("two", 2), ("yes", "yes"), ("nan", np.nan))


def of_int(good):
    yield from (("negative", -(10**6)), ("half", 2.5), ("text", "3"), ("nan", np.nan))
    yield from (("infinite", np.inf), ("list", [good, good]))


def of_float(good):
    yield from (("nan", np.nan), ("infinite", np.inf), ("minus infinite", -np.inf))
    yield from (("text", "1"), ("huge", 10**400), ("list", [good, good]), ("truth", True))


def of_str(good):
    yield from (("other word", "no such word"), ("empty", ""), ("number", 5), ("words", ["a"]))


def of_path(good):
    yield from (("no file", "no/such/file"), ("folder", "."), ("number", 5), ("empty", ""))


def of_array(good):
    """Spoil numbers in an array, a list or a tuple."""
    array = np.asarray(good, float)
    yield from (("scalar", 1.0), ("empty", array[:0]), ("text", "text"))
    yield from (("longer", np.concatenate([array, array, array[-1:]])), ("rest", array[:-1]))
    yield "more axes", array[None, ..., None]
    yield "complex array", array + 1j
    yield "infinite", np.where(array == array.flat[0], np.inf, array)
    yield "nan", np.full(array.shape, np.nan)
    yield "masked", np.ma.masked_array(array, mask=True)
    yield "ragged", [[1.0], [1.0, 2.0]]
    yield "huge", [10**400] * len(array)
    yield "texts", np.full(array.shape, "a").tolist()


def of_times(good):
    """Spoil increasing numbers: their order, besides."""
    yield from of_array(good)
    array = np.asarray(good, float)
    yield "backwards", array[::-1]
    yield "equal", 0 * array


def of_mapping(good):
    yield from (("number", 5), ("pairs", [*good]), ("text", "text"))
    yield "unknown", {**good, "no such key": next(iter(good.values()), 1.0)}
    yield "unknown symbol", {**good, Symbol("nobody"): next(iter(good.values()), 1.0)}
    for kind, value in (("nan", np.nan), ("none", None), ("text", "a"), ("stranger", Stranger())):
        if good:
            yield f"{kind} in it", {**good, [*good][-1]: value}


def of_list(good):
    yield from (("number", 5), ("text", "text"), ("none in it", [*good, None]))
    yield from (("set", {"a"}), ("stranger in it", [*good, Stranger()]))
    if good:
        yield from (("twice", [*good, *good]), ("empty", []), ("alone", good[0]))


def of_expression(good):
    yield from (("nan", nan), ("infinite", zoo), ("text", "x +"), ("unknown", Symbol("nobody")))


def of_others(good):
    """Spoil a point, a frame, a body or the like: another one, and none."""
    yield from (("number", 5), ("text", "no such name"), ("list", [good, good]))
    for kind in (Point, ReferenceFrame, rigid_body):
        yield f"other {kind.__name__}", kind("nobody")
    yield from (("other Particle", Particle("nobody")), ("other System", System()))
    if good is not None and not callable(good):  # errors of a function that is called are its own
        yield from (("function", lambda: "nothing"), ("class", type(good)))


def is_numeric(value):
    """Whether something is an array, or nested sequences, of numbers."""
    try:
        return np.asarray(value).dtype.kind in "iuf" and np.size(value) > 0
    except ValueError:
        return False


class Numbers(type):
    """Instances are arrays and sequences of numbers."""

    def __instancecheck__(cls, value):
        return isinstance(value, (list, tuple, np.ndarray)) and is_numeric(value)


class Array(metaclass=Numbers):
    """Any array of numbers."""


#: What a good value is, and how it is spoiled; the first one counts.
SPOILS = (
    (bool, of_bool),
    (int, of_int),
    (float, of_float),
    (str, of_str),
    (Path, of_path),
    (Array, of_times),
    ((dict, jw.gait.SegmentTable), of_mapping),
    ((list, tuple), of_list),
    (Basic, of_expression),
    (object, of_others),
)


def name_of(function):
    return function.__qualname__.removesuffix(".__call__")


def invoke(function, arguments):
    """Call a function by names of arguments, those of ``*args`` included."""
    given = {n: x.make() if isinstance(x, Fresh) else x for n, x in arguments.items()}
    several = [x.name for x in parameters(function) if x.kind is x.VAR_POSITIONAL]
    places = []
    if several and several[0] in given:
        names = [x.name for x in parameters(function)]
        values = given.pop(several[0])
        places = [given.pop(name) for name in names[: names.index(several[0])]]
        places += values if isinstance(values, (list, tuple)) else [values]
    return function(*places, **given)


def parameters(function):
    return inspect.signature(function).parameters.values()


@cache
def good_calls(group):
    """Return the calls of a group, whose objects are made once for all tests."""
    return list(group())


def bad_calls(group):
    """Yield function, its good arguments, the argument that is spoiled, the kind, a bad value."""
    for function, good in good_calls(group):
        named = {
            x.name: x.default
            for x in parameters(function)
            if x.kind is not x.VAR_KEYWORD and (x.kind is not x.VAR_POSITIONAL or x.name in good)
        }
        for argument, value in {**named, **good}.items():
            whole = value.make() if isinstance(value, Fresh) else value
            for kind, bad in spoiled(whole):
                if bad is not None or named.get(argument) is not None:
                    yield function, good, argument, kind, bad


#: Kinds that are wrong beside another argument of the call, which may be named instead.
PARTNERS = (
    *("rest", "longer", "empty", "twice", "equal", "unknown", "other"),
    *("array of strings", "text in it", "none in it"),
)


def verdict(function, good, argument, kind, bad):
    """Return what becomes of a bad call, and the words that say it."""
    try:
        invoke(function, {**good, argument: bad})
    except (TypeError, ValueError, OSError) as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        text = " ".join(str(error).split())
        if PACKAGE not in Path(place.filename).parents:
            return "inside", f"{place.name}: {type(error).__name__}: {text}"
        names = {argument, argument.removesuffix("s")}
        if kind.startswith(PARTNERS):
            names |= {*good, *(x.name for x in parameters(function))}
        is_named = any(re.search(rf"`[^`]*\b{x}\b[^`]*`|argument '{x}'", text) for x in names)
        return "refused" if is_named else "unnamed", text
    except KeyError as error:
        is_own = len(str(error)) > len(repr(bad)) + 10  # a sentence, not the key alone
        return "refused" if is_own else "unnamed", str(error)
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        if isinstance(error, UserWarning):
            return "refused", str(error)
        return "inside", f"{place.name}: {type(error).__name__}: {error}"
    return "taken", ""


#: What samples and places are given as; times are checked for their order.
DATA = (
    "q|u|udot|qpos|qvel|qacc|qfrc|v|a|tau|forces?|moment|values|coordinates|speeds|currents|center|"
    "free_moment|foot|heel|toe|pelvis|wrenches|tensions|lengths|rates|positions|array|hessian|"
    "weights|matrix|guess|start|origin|along|beside|proximal|distal|marker|markers|joint_center|"
    "reference|points|right_asis|left_asis|posterior|parent|child|states|strengths|contacts|sense|times|"
    "corners|origins"
)

#: What is taken rightly, or said in other words than the argument's name but in the same form:
#: function, argument and kinds, as patterns, in which DATA is the above; and why.
EXCUSES = [[x.replace("DATA", DATA) for x in row] for row in rows_of("bad_calls")]


#: What takes the most of the time.  By default a fiftieth of its bad calls runs, else a tenth.
LONG = (
    "plot_(stick_figure|free_body) .*|draw_derivation .*|"
    "InverseDynamics.close_motion q|Section.(along|of)_rod .*"
)


def is_excused(*texts):
    return any(all(map(re.fullmatch, row[:4], texts)) for row in EXCUSES)


def faults(group, is_whole):
    """Yield texts of bad calls, of all or of some, that are not refused as they should be."""
    chosen = np.random.default_rng(SEED)
    for function, good, argument, kind, bad in bad_calls(group):
        is_long = re.fullmatch(LONG, f"{name_of(function)} {argument}")
        if not is_whole and chosen.random() > (0.02 if is_long else 0.1):
            continue
        what, words = verdict(function, good, argument, kind, bad)
        becomes = "taken" if what == "taken" else "said"
        if what != "refused" and not is_excused(becomes, name_of(function), argument, kind):
            yield f"{what}: {name_of(function)}, {argument}, {kind}: {words[:200]}"


@pytest.fixture(scope="module", autouse=True)
def folder_of_calls(tmp_path_factory):
    """Some calls write files."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("calls"))
        yield


@pytest.mark.filterwarnings(
    "ignore:Loops are", "ignore:Animation was", "ignore:More than", "ignore:The dist"
)
@pytest.mark.parametrize("group", GROUPS, ids=[group.__name__ for group in GROUPS])
class TestCalls:
    def test_good_ones_are_good(self, group):
        for function, good in good_calls(group):
            invoke(function, good)

    @pytest.mark.parametrize("is_whole", [False, *slow([True])])
    def test_bad_ones_are_refused_by_name(self, group, is_whole):
        assert list(faults(group, is_whole)) == [], f"seed {SEED}"


def public_functions():
    """Yield all public functions, classes and methods by name."""
    for name, found in PUBLIC.items():
        if callable(found):
            yield name, found
        if inspect.isclass(found):
            for own in dir(found):
                kept = inspect.getattr_static(found, own)
                method = getattr(kept, "__func__", kept)
                is_public = own == "__call__" or not own.startswith("_")
                if is_public and inspect.isfunction(method) and is_ours(method):
                    yield f"{name}.{own}", method


def is_ours(method):
    return method.__module__.partition(".")[0] == jw.__name__


def test_every_public_function_has_a_good_call():
    called = {getattr(f, "__func__", f) for group in GROUPS for f, _ in good_calls(group)}
    missing = {name for name, f in public_functions() if f not in called}
    known = MADE_BY.keys() | INTERNAL | ELSEWHERE | DEPRECATED
    assert missing - known == set(), "tests/tools/good_calls.py must have a call of each"
    assert known - missing == set(), "these have a call, so need no exception above"


@pytest.mark.parametrize("name", MADE_BY)
def test_results_say_what_makes_them(name):
    assert f"`{MADE_BY[name]}`" in PUBLIC[name].__doc__
