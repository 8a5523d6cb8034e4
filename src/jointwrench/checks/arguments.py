"""Checks of arguments with uniform error messages.

Each ``check_...`` returns the (normalised) value, or raises an error that names the argument, the
expected and the actual value, and the fix.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from inspect import signature
from typing import Any

from .messages import did_you_mean


def shorten(value: object, length: int = 60) -> str:
    """Return a value's text on one line, shortened to a number of characters, for messages."""
    text = " ".join((value if isinstance(value, str) else repr(value)).split())
    return text if len(text) <= length else text[: length - 3] + "..."


#: Number of choices above which a message with a suggestion lists only a few.
MANY = 30


def enumerate_some(values: Iterable[object], count: int = 5) -> str:
    """Return a text with the first ``count`` values and the number of further values."""
    names = [shorten(value if isinstance(value, str) else str(value)) for value in values]
    more = f" and {len(names) - count} more" if len(names) > count else ""
    return ", ".join(names[:count]) + more


def describe(value: object) -> str:
    """Return the shortened representation and the type of an invalid value."""
    return f"{shorten(repr(value))} of type {type(value).__name__}"


def argument_of(argument: str, segment: str) -> str:
    """Return the text "argument` of segment `name", for messages that add the outer backticks."""
    return f"{argument}` of segment `{segment}"


def check_instance(argument: str, value: Any, kinds: Any, expected: str, fix: str = "") -> Any:
    """Return ``value`` if it is an instance of ``kinds``, else raise TypeError."""
    if not isinstance(value, kinds):
        message = f"`{argument}` must be {expected}, got {describe(value)}. {fix}"
        raise TypeError(message.strip())
    return value


def check_sequence(argument: str, value: Any, expected: str, may_be_empty: bool = True) -> list:
    """Return the items of a sequence or sympy Matrix as a list.

    Texts, dicts and masked arrays, whose entries may be missing, are refused.
    """
    is_masked = hasattr(value, "filled")
    if is_masked or isinstance(value, (str, bytes, dict)):
        raise TypeError(f"`{argument}` must be {expected}, got {describe(value)}.")
    try:
        items = iter(value)
    except TypeError:
        raise TypeError(f"`{argument}` must be {expected}, got {describe(value)}.") from None
    found = list(items)
    if not found and not may_be_empty:
        raise ValueError(f"`{argument}` must be at least one, got none. Leave it out for all.")
    return found


def check_instances(argument: str, value: Any, kinds: Any, expected: str) -> list:
    """Return the items of a sequence, all of which are instances of ``kinds``."""
    if isinstance(value, kinds):
        name = getattr(value, "name", value)
        raise TypeError(f"`{argument}` must be {expected}, got a single item, {name!r}. Use [it].")
    items = check_sequence(argument, value, expected)
    return [check_instance(argument, item, kinds, expected) for item in items]


def is_symbolic(value: Any) -> bool:
    """Whether a value is a sympy expression, tested without an import of sympy."""
    return hasattr(value, "is_number")


def is_empty(value: Any) -> bool:
    """Whether a value is None, or a sequence or mapping without items."""
    return value is None or (isinstance(value, (Sequence, Mapping)) and not value)


def check_name(argument: str, value: Any) -> str:
    """Return a text that is not empty."""
    if not check_instance(argument, value, str, "a str").strip():
        raise ValueError(f"`{argument}` must not be empty, got {value!r}.")
    return value


def check_different(argument: str, names: Sequence[Any], words: str) -> None:
    """Raise an error for a name that occurs twice; the message says "must ``words``"."""
    if twice := [name for k, name in enumerate(names) if name in names[:k]]:
        raise ValueError(f"`{argument}` must {words}, got {twice[0]!r} twice.")


def symbol_name(symbol: Any) -> str:
    """Return the name of a symbol or function of time, without its argument."""
    return str(getattr(symbol, "name", symbol))


def coordinate_name(wanted: Any, known: Iterable[str]) -> str:
    """Return the name among ``known`` of a coordinate, specified by its symbol or name.

    ``q_x`` also means ``x`` if no coordinate is called ``q_x``.
    """
    names, name = [*known], symbol_name(wanted)
    short = name.removeprefix("q_")
    return short if name not in names and short in names else name


def is_called(symbol: Any, wanted: Any) -> bool:
    """Whether ``wanted`` is a symbol or its name."""
    if isinstance(wanted, str):
        return wanted in (str(symbol), getattr(symbol, "name", None))
    return is_one_of(wanted, (symbol,))


def check_unambiguous(argument: str, name: Any, found: Collection[Any]) -> None:
    """Raise an error if several symbols are called by a name."""
    if len(found) > 1:
        raise ValueError(
            f"`{argument}` must say which symbol is meant, got {name!r}, as {len(found)} are "
            "called. Use the symbol itself."
        )


def is_one_of(value: Any, known: Sequence[Any]) -> bool:
    """Whether a value equals an item of a sequence; arrays, which compare by entry, never do."""
    return not getattr(value, "ndim", 0) and value in known


def check_mapping(argument: str, given: Any) -> Mapping[Any, Any]:
    """Return a mapping of symbols or names to values; an empty one for None."""
    if given is None:
        return {}
    expected, fix = "a mapping of symbols to values", "Use {symbol: value}."
    checked: Mapping[Any, Any] = check_instance(argument, given, Mapping, expected, fix)
    return checked


def check_name_list(argument: str, value: Any) -> tuple[str, ...]:
    """Return the names in a sequence of names or symbols; sets have no order and are refused."""
    expected = "a sequence of names"
    if isinstance(value, (set, frozenset)):
        raise TypeError(f"`{argument}` must be {expected}, got a set, which has no order.")
    names = check_sequence(argument, value, expected)
    for name in names:
        if not is_symbolic(name):
            check_instance(argument, name, str, expected)
    return tuple(map(str, names))


def check_choice(argument: str, value: Any, choices: Iterable[Any]) -> Any:
    """Return a value that is one of the choices; the error suggests a similar text."""
    known = list(choices)
    if not is_one_of(value, known):
        hint = did_you_mean(value, known) if isinstance(value, str) else ""
        names = enumerate_some(map(repr, known), 5 if hint and len(known) > MANY else len(known))
        raise ValueError(f"`{argument}` must be one of {names}, got {shorten(repr(value))}.{hint}")
    return value


def keyword_only_names(function: Callable[..., Any]) -> set[str]:
    """Return the names of a function's keyword-only arguments."""
    given = signature(function).parameters.values()
    return {own.name for own in given if own.kind is own.KEYWORD_ONLY}


def check_options(
    called: Callable[..., Any], options: Iterable[str], others: Iterable[str]
) -> None:
    """Raise a TypeError for an unknown keyword of a function, which takes ``others``."""
    known = sorted(others)
    if strangers := [name for name in options if name not in known]:
        own = [name for name in signature(called).parameters if name not in ("self", "options")]
        rest = f" Others are {', '.join(known)}." if known else ""
        fix = did_you_mean(strangers[0], [*known, *own]) or rest
        raise TypeError(
            f"{called.__qualname__}() got an unexpected keyword argument {strangers[0]!r}.{fix}"
        )


def check_known(
    argument: str, names: Iterable[Any], known: Iterable[Any], expected: str, fix: str = ""
) -> None:
    """Raise an error for names that are not ``known``; the message says "must ``expected``"."""
    there = list(known)
    if strangers := [name for name in names if not is_one_of(name, there)]:
        is_name = len(strangers) == 1 and isinstance(strangers[0], str)
        fix = (did_you_mean(strangers[0], there) if is_name else "") or fix
        raise ValueError(
            f"`{argument}` must {expected} {enumerate_some(map(str, there), 60) or 'none'}, got "
            f"{enumerate_some(map(repr, strangers), 20)}.{fix}"
        )


def check_count(argument: str, items: list, counts: tuple[int, ...], expected: str) -> None:
    """Raise an error if the number of items is not one of ``counts``."""
    if len(items) not in counts:
        raise ValueError(f"`{argument}` must be {expected}, got {len(items)} entries.")


def find_named(
    argument: str, wanted: Any, known: Sequence[Any], kind: str = "joint", also: Iterable[str] = ()
) -> int:
    """Return the index in ``known`` of a joint, body or section, specified by itself or its name.

    A joint is also found by its connection (parent, child, point), by the same joint of another
    reading of the model, or by its child; a body by its frame.  ``also`` are further names that
    the error may suggest.
    """
    found = [k for k, item in enumerate(known) if item is wanted or is_one_of(wanted, (item.name,))]
    if not found and wanted is not None:
        others = [k for k, item in enumerate(known) if wanted is _other(item)]
        if isinstance(wanted, str):
            others = [k for k, item in enumerate(known) if _other_name(item) == wanted]
        elif kind == "joint":
            others = others or [k for k, item in enumerate(known) if _is_alike(item, wanted)]
        if len(others) > 1:  # the joint of the tree is preferred to loop joints
            others = [k for k in others if not hasattr(known[k], "kind")]
        found = others if len(others) == 1 else []
    if len(found) == 1:
        return found[0]
    kinds = {"joint": "joints", "body": "bodies", "section": "sections"}[kind]
    text = repr(wanted) if isinstance(wanted, str) else describe(wanted)
    if found:
        raise ValueError(
            f"`{argument}` must be one of the {kinds}, got {text}, the name of {len(found)} "
            f"{kinds}. Use the {kind} itself."
        )
    names = enumerate_some((item.name for item in known), 10) or "none"
    names_of_others = [_other_name(item) or "" for item in known]
    meant = [*(item.name for item in known), *names_of_others, *also]
    hint = did_you_mean(wanted, meant) if isinstance(wanted, str) else ""
    raise ValueError(f"`{argument}` must be one of the {kinds} {names}, got {text}.{hint}")


def is_connection(value: Any) -> bool:
    """Whether a value is a connection, a tuple (parent, child, point)."""
    return isinstance(value, tuple) and len(value) == 3 and hasattr(value[1], "masscenter")


def _is_alike(joint: Any, wanted: Any) -> bool:
    """Whether a joint connects the same bodies at the same point as a joint or connection."""
    if not is_connection(wanted):
        if type(joint) is not type(wanted) or not hasattr(wanted, "child_point"):
            return False
        wanted = wanted.parent, wanted.child, wanted.child_point
    if not hasattr(joint, "child_point"):  # only a name, as after pickling
        return bool(_other_name(joint) == wanted[1].name)
    own = joint.parent, joint.child, joint.child_point
    return all(one is other for one, other in zip(own, wanted, strict=True))


def _other(item: Any) -> Any:
    """Return the child of a joint, or the frame of a body."""
    return getattr(item, "child", None) or getattr(item, "frame", None)


def _other_name(item: Any) -> str | None:
    return getattr(_other(item), "name", None)
