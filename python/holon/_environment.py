"""An environment for learning: the shape of Gymnasium, without depending on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._model import Model

Array = NDArray[np.float64]


class Box:
    """Vectors between two ends."""

    def __init__(self, low: Any, high: Any) -> None:
        self.low = np.asarray(low, dtype=np.float64)
        self.high = np.asarray(high, dtype=np.float64)
        self.shape = self.low.shape
        self.dtype = np.dtype(np.float64)
        self._random = np.random.default_rng(0)

    def seed(self, seed: int | None) -> None:
        """Restarts the samples."""
        self._random = np.random.default_rng(seed)

    def sample(self) -> Array:
        """A random vector; with an infinite end, from a normal distribution."""
        finite = np.isfinite(self.low) & np.isfinite(self.high)
        even = self._random.uniform(np.where(finite, self.low, 0), np.where(finite, self.high, 1))
        return np.where(finite, even, self._random.normal(size=self.shape))

    def contains(self, x: Any) -> bool:
        """Whether x is one of them."""
        x = np.asarray(x)
        return x.shape == self.shape and bool(np.all(x >= self.low) and np.all(x <= self.high))


class Environment:
    """A model as an environment: `reset()` and `step(action)` as of Gymnasium.

    Args:
        model: the model.
        observations: signals that are observed.
        actions: inputs of the model, and their minimum and maximum.
        reward: reward(observation, action) of a step.
        step: seconds between actions.
        time: an episode ends (is truncated) then, s.
        terminated: terminated(observation): the episode is over.
        disturb: disturb(simulation, random) changes the start of an episode.
        options: of the simulation.
    """

    metadata: dict[str, Any] = {"render_modes": []}
    render_mode: str | None = None

    def __init__(self, model: Model, observations: Sequence[str],
                 actions: Mapping[str, tuple[float, float]],
                 reward: Callable[[Array, Array], float], *, step: float = 0.02, time: float = 10.0,
                 terminated: Callable[[Array], bool] | None = None,
                 disturb: Callable[[Any, np.random.Generator], None] | None = None,
                 **options: Any) -> None:
        self.simulation = model.simulation(**options)
        self._start = self.simulation.save()
        self._observed = self.simulation.select(observations)
        self._actions = [self.simulation.inputs.index(n) for n in actions]
        self._values = np.array([model.inputs[n][0] for n in model.inputs])
        self._first = self._values.copy()
        self._reward, self._terminated, self._disturb = reward, terminated, disturb
        self._step, self._time = step, time
        self._random = np.random.default_rng(0)
        low, high = zip(*actions.values())
        self.action_space = Box(low, high)
        self.observation_space = Box([-np.inf] * len(observations), [np.inf] * len(observations))

    def reset(self, *, seed: int | None = None,
              options: Mapping[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """A new episode: (observation, info)."""
        if seed is not None:
            self._random = np.random.default_rng(seed)
        self.simulation.restore(self._start)
        self._values[:] = self._first
        if self._disturb is not None:
            self._disturb(self.simulation, self._random)
        return self._observed.read(), {"time": self.simulation.time}

    def step(self, action: Any) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """(observation, reward, terminated, truncated, info) after one step with the action."""
        given = np.atleast_1d(np.asarray(action, dtype=np.float64))
        if given.shape != self.action_space.shape:
            raise ValueError(f"an action has the shape {self.action_space.shape}, not {given.shape}")
        given = np.clip(given, self.action_space.low, self.action_space.high)
        self._values[self._actions] = given
        self.simulation.inputs.set(self._values)
        self.simulation.step(self._step)
        seen = self._observed.read()
        over = self._terminated is not None and bool(self._terminated(seen))
        late = self.simulation.time >= self._time - 0.5 * self._step
        return seen, float(self._reward(seen, given)), over, late, {"time": self.simulation.time}

    def render(self) -> None:
        """Does nothing; use `record = env.simulation.record()` for `.view()` and `.film()`."""

    def close(self) -> None:
        """The end."""
        self.simulation.close()

    def __enter__(self) -> Environment:
        return self

    def __exit__(self, *why: object) -> None:
        self.close()
