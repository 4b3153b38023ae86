"""Forces written by the user."""

from __future__ import annotations

import ctypes
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class BodyMotion:
    """Motion of a body, for forces: arrays in global axes, SI units."""

    __slots__ = ("_n",)

    def __init__(self, numbers: Array) -> None:
        self._n = numbers

    @property
    def position(self) -> Array:
        """Of the center of mass, m."""
        return self._n[0:3]

    @property
    def rotation(self) -> Array:
        """3 x 3, from body axes to global ones."""
        return self._n[3:12].reshape(3, 3)

    @property
    def velocity(self) -> Array:
        """Of the center of mass, m/s."""
        return self._n[12:15]

    @property
    def angular_velocity(self) -> Array:
        """rad/s, global axes."""
        return self._n[15:18]


#: f(time, body1, body2) -> force (3) on body 2, which acts on body 1 the other way round, both at the
#: centers of mass; or (2, 6): force and torque on body 1 and on body 2.
ForceFunction = Callable[[float, BodyMotion, BodyMotion], Any]


@dataclass(frozen=True)
class Force:
    """A force between two bodies, by a function.

    `function(time, body1, body2)` is called with the motion of both bodies and returns either the
    force (3 numbers, N, global axes) on body 2, with its reaction on body 1, both at the centers of
    mass, or an array (2, 6): force (N) and torque (N m) on body 1, then on body 2.

    `function` may also be a C function with the signature of `hn_user_force.evaluate` in
    holon/model.h: one of ctypes, a `numba.cfunc`, or an address (an int); it is called without Python.
    Structures are plain doubles there: 36 of the two bodies, 12 of the two wrenches.
    """

    body1: str
    body2: str
    function: ForceFunction | int | Any
    context: int = 0  #: the first argument of a C function
    has_derivatives: bool = False  #: the C function fills d_pose, d_velocity and d_time

    def _row(self, name: str) -> tuple[str, str, str, Callable[..., Any] | int, int, bool]:
        address = _address(self.function)
        if address is not None:
            return (name, self.body1, self.body2, address, self.context, self.has_derivatives)
        if not callable(self.function):
            raise TypeError(f"the force '{name}' is a function, or the address of one, not "
                            f"{self.function!r}")
        return (name, self.body1, self.body2, _caller(self.function), 0, False)


def _address(function: Any) -> int | None:
    """Of a function of ctypes or numba, or the address itself; None of one of Python."""
    if isinstance(function, getattr(ctypes, "_CFuncPtr")):
        return ctypes.cast(function, ctypes.c_void_p).value
    given = getattr(function, "address", function)
    return operator.index(given) if isinstance(given, (int, np.integer)) else None


def _caller(function: ForceFunction) -> Callable[[float, bytes], Array]:
    def call(time: float, numbers: bytes) -> Array:
        both = np.frombuffer(numbers)
        given = np.asarray(function(time, BodyMotion(both[:18]), BodyMotion(both[18:])), dtype=float)
        if given.shape == (3,):
            wrench = np.zeros((2, 6))
            wrench[0, :3] = -given
            wrench[1, :3] = given
            return wrench
        if given.shape != (2, 6):
            raise ValueError(f"a force returns 3 numbers or an array (2, 6), not {given.shape}")
        return np.ascontiguousarray(given)

    return call
