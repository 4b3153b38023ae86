"""Errors, with what they are about and where it stands."""

from __future__ import annotations


class Error(Exception):
    """What went wrong: the message of Holon, whole, and its parts.

    Attributes:
        status: one word for programs, as in JSON output of the command ("assembly", "syntax", ...).
        element: what it is about ("joint 'knee'"), or "".
        file, line, column: where that stands in a model file; "" and 0 where it does not.
        message: what is wrong, with the numbers.
        hint: what to try next.
        others: of a model file: the other mistakes in it.
    """

    status: str = ""
    element: str = ""
    file: str = ""
    line: int = 0
    column: int = 0
    message: str = ""
    hint: str = ""
    others: list[Error] = []


class ModelError(Error):
    """A model file, or a model made in code, is not valid."""


class FileError(Error, OSError):
    """A file cannot be read or written."""


class ArgumentError(Error, ValueError):
    """An argument of a call is not usable."""


class AssemblyError(Error):
    """The machine cannot be put together, or its accelerations are not determined."""


class RunError(Error):
    """A run could not go on. `results` holds what was computed up to there."""

    results: object = None


_CLASSES: dict[str, type[Error]] = {
    "file": FileError,
    "syntax": ModelError,
    "model": ModelError,
    "argument": ArgumentError,
    "assembly": AssemblyError,
    "inconsistent": AssemblyError,
    "singular": AssemblyError,
    "unsupported": ArgumentError,
}


def _make(status: str, text: str, element: str, file: str, line: int, column: int, message: str,
          hint: str) -> Error:
    error = _CLASSES.get(status, RunError)(text)
    error.status = status
    error.element = element
    error.file = file
    error.line = line
    error.column = column
    error.message = message
    error.hint = hint
    return error
