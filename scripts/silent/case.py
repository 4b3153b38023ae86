"""A model with a reference, and small helpers that write the same numbers into both."""
import dataclasses
import math


@dataclasses.dataclass
class Case:
    """A random model and how to judge its runs.

    text: the model. names: outputs (or signals) that are compared; rates: those of them that are velocities.
    reference(times, tol): their values, a row per time. brute: instead, options of runs that serve as references.
    locked: instead, the joint to be named, because the mechanism cannot move.
    converge: the reference is computed twice, because the motion may be chaotic.
    quaternions: groups of four names that are equal up to a common sign.
    options, signals, files: of `holon run`; "@name" in options is the path of a file.
    """
    text: str
    names: list
    reference: object = None
    rates: tuple = ()
    brute: tuple = ()
    locked: str = ""
    converge: bool = False
    fixed_step: bool = False
    quaternions: tuple = ()
    options: tuple = ()
    signals: tuple = ()
    files: dict = dataclasses.field(default_factory=dict)


def near(x):
    """The number that repr writes shortly, so that model and reference have the same one."""
    return float("%.9g" % x)


def log_uniform(rng, low, high):
    return near(math.exp(rng.uniform(math.log(low), math.log(high))))


def uniform(rng, low, high):
    return near(rng.uniform(low, high))


def vec(v):
    return "[%s]" % ", ".join("%.15g" % x for x in v)
