"""What can go wrong with a compiler."""


class CompilationError(RuntimeError):
    """The compiler is missing or could not compile the generated code.

    Attributes
    ==========

    command : list of str
        The command that failed; empty if there was none to run.
    output : str
        All that it printed.
    """

    def __init__(self, message: str, command: list[str], output: str) -> None:
        super().__init__(message, command, output)
        self.command = command
        self.output = output

    def __str__(self) -> str:
        return self.args[0]


class NoCompilerWarning(RuntimeWarning):
    """There is no C compiler, so that slower code does the work."""
