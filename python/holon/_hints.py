"""Hints: similar names, missing packages, files for text."""

from __future__ import annotations

import atexit
import difflib
import fnmatch
import functools
import hashlib
import importlib
import inspect
import math
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable
from typing import Any, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])
Class = TypeVar("Class")


def nearest(name: str, names: Iterable[str]) -> str:
    """The end of a sentence that suggests a known name."""
    found = difflib.get_close_matches(name, list(names), 1, 0.4)
    return f"; did you mean '{found[0]}'?" if found else ""


def need(module: str, what: str) -> Any:
    """A package that only `what` needs."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.split(".")[0]
        raise ImportError(f"{what} needs the package {package}, which is not installed "
                          f"(pip install {package}, Debian: python3-{package})",
                          name=package) from error


def one_or_many(names: str | Iterable[str]) -> list[str]:
    """A single name counts as a list of one."""
    return [names] if isinstance(names, str) else list(names)


def chosen(patterns: Iterable[str], names: list[str]) -> list[str]:
    """Names themselves, or those that globs match; a glob that matches nothing is an error."""
    found: list[str] = []
    for pattern in patterns:
        is_glob = pattern not in names and any(c in pattern for c in "*?[")
        matching = fnmatch.filter(names, pattern) if is_glob else [pattern]
        if not matching:
            raise KeyError(f"no signal matches '{pattern}'")
        found += [n for n in matching if n not in found]
    return found


def seconds(name: str, value: float | None) -> float:
    """A time above 0; None becomes 0, for which the library takes that of the model."""
    if value is None:
        return 0.0
    number = float(value)
    if math.isnan(number) or number <= 0:
        raise ValueError(f"{name} is a number of seconds above 0, not {value!r}")
    return number


def hinted(function: Function) -> Function:
    """Words that the function does not know are answered with the nearest one."""
    known = [p.name for p in inspect.signature(function).parameters.values()
             if p.name != "self" and p.kind is not p.POSITIONAL_ONLY]

    @functools.wraps(function)
    def call(*given: Any, **words: Any) -> Any:
        for word in words:
            if word not in known:
                raise TypeError(f"{function.__name__}() has no argument '{word}'"
                                + nearest(word, known))
        return function(*given, **words)

    return cast(Function, call)


def hinted_methods(of: type[Class]) -> type[Class]:
    """The same for all public methods of a class."""
    for name, function in list(vars(of).items()):
        if callable(function) and not name.startswith("_"):
            setattr(of, name, hinted(function))
    return of


@functools.lru_cache(maxsize=1)
def _folder(process: int) -> str:
    path = tempfile.mkdtemp(prefix="holon-")
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


def file_of(text: str) -> str:
    """A file with this text, which is there until the process ends; the same text is the same file."""
    name = hashlib.sha256(text.encode()).hexdigest()[:16]
    path = os.path.join(_folder(os.getpid()), f"{name}.json")
    if not os.path.exists(path):
        part = f"{path}.{os.urandom(4).hex()}"
        with open(part, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(part, path)
    return path
