"""A symbol without sympy."""


class StoredSymbol:
    """A symbol or function of time of a file, by its text and name."""

    is_number = False

    def __init__(self, text: str, name: str) -> None:
        self.text, self.name = text, name

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__
