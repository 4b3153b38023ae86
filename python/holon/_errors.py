"""Errors, with what they are about and where it stands."""

from __future__ import annotations


class Error(Exception):
    """An error of Holon: the whole message and its parts.

    Attributes:
        status: one word for programs, as in JSON output of the command ("assembly", "syntax", ...).
        element: the element concerned ("joint 'knee'"), or "".
        file, line, column: its position in a model file; "" and 0 if there is none.
        message: the problem, with its numbers.
        hint: the next thing to try.
        others: other errors of a model file.
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
    """An argument of a call is not valid."""


class AssemblyError(Error):
    """The model cannot be assembled, or its accelerations are not determined."""


class RunError(Error):
    """A run could not continue. `results` has the samples so far."""

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
