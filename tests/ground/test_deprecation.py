"""What is deprecated warns where it is called, and works."""

import pytest

from jointwrench.checks.deprecation import deprecated


@deprecated(since="1.1", removed="2.0", use="evaluate(...)")
def old(value, *, factor=2):
    """Return a product."""
    return value * factor


def test_it_warns_where_it_is_called_and_works():
    told = (
        r"^old is deprecated since jointwrench 1.1, and version 2.0 removes it. Use evaluate\(...\)"
    )
    with pytest.warns(DeprecationWarning, match=told) as warned:
        assert old(3, factor=5) == 15
    assert warned[0].filename == __file__
    assert old.__name__ == "old"
    assert old.__doc__ == "Return a product."
