"""Expectations of errors: their class, their argument and their form."""

import contextlib
import re
import tempfile
from pathlib import Path

import pytest

BEGIN = re.compile(r"(?:\w+(?: '[^']*')?:(?: |\n- ))?`(\w+)[^`]*`")

#: What differs from run to run, or is the word of another program.
VARYING = [
    (re.compile(r"0x[0-9a-f]*\.\.\.|0x[0-9a-f]{4,}"), "0x..."),
    (re.compile(r"(Posix|Windows)Path\('[^' ]*('\)|(?=\. Use))"), "Path(...)"),
    (re.compile(r"(?<![\w.<)])(?:/[\w.+-]+)+/(?=[\w.+-])"), ".../"),
    (re.compile(r"\.\.\./test_\w+\d"), ".../test"),
    (re.compile(r"\b(jointwrench|pydy|sympy) \d[\w.]*\w"), r"\1 0.0"),
    (re.compile(r"(?<=xacro says: ).*(?= Xacro opens)"), "..."),
    (re.compile(r"(?<=got another one \().*(?=\)\.$)"), "..."),
    # numbers at a random state, which other random numbers change
    (re.compile(r"\[[^]]*\] against \[[^]]*\](?= in \S+, at a random)"), "[...] against [...]"),
    (re.compile(r"(?<= )\S+( by the velocities, .*, but )\S+(?= by .*, at a random)"), r"...\1..."),
]

#: The running tests, the innermost one last.
running: list[pytest.Item] = []


@contextlib.contextmanager
def refusal(argument, error=ValueError):
    """Expect that the block raises ``error`` itself, with a text that begins with ``argument``.

    ``None`` is for what is no argument: a file's line, a column, a name of a module.
    """
    with pytest.raises(error) as caught:
        yield caught
    text = said(caught.value)
    given = error if isinstance(error, tuple) else (error,)
    assert type(caught.value) in given, f"{type(caught.value).__name__}: {text}"
    begin = BEGIN.match(text)
    assert (begin and begin[1]) == argument, f"{argument}: {text}"
    assert argument is None or " must " in text, text
    test = running[-1]
    is_optional = any(test.iter_markers("slow")) or any(test.iter_markers("needs"))
    found = f"{type(caught.value).__name__}: {text}", is_optional
    test.user_properties.append(("refusal", found))


def refused(call, argument, error=ValueError):
    """Return the error by which ``call`` refuses this argument."""
    with refusal(argument, error) as caught:
        call()
    return caught.value


def said(error):
    """Return the text of an error without what differs from run to run."""
    text = str(error.args[0]) if isinstance(error, KeyError) else str(error)
    for place in (str(Path.cwd()), tempfile.gettempdir()):
        text = text.replace(place, "/folder")
    for pattern, word in VARYING:
        text = pattern.sub(word, text)
    return "\n".join(line.rstrip() for line in text.splitlines())
