"""Joints of models, one method each. Made by scripts/make-python from the schema of the model format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from ._hints import hinted_methods

#: SI, or text with a unit ("5 mm"), or a formula of parameters
Number = Union[float, int, str, "np.number[Any]"]
Numbers = Union[Sequence[Number], NDArray[Any]]
Section = Mapping[str, Any]  #: keys as in a model file
Point = Union[str, Numbers]  #: [x, y, z], "points.NAME" or "BODY.MARKER"
Direction = Union[str, Numbers, Section]  #: "x", "-z", [x, y, z] or {"from": ..., "to": ...}
Law = Union[Number, Section, Sequence[Any]]  #: a formula, a table, pieces


@hinted_methods
class Joints:
    """Methods that add joints to a model."""

    def _add(self, table: str, name: str, keys: dict[str, Any]) -> str:
        raise NotImplementedError

    def _set(self, section: str, keys: dict[str, Any]) -> None:
        raise NotImplementedError

    def revolute(self, name: str,
            *, bodies: Sequence[str] | None = None, at: Point | None = None,
            points: Sequence[Point] | None = None, axis: Direction | None = None,
            reference: Direction | None = None, markers: Sequence[str] | None = None,
            offset: Mapping[str, Number | bool] | None = None,
            initial: Mapping[str, Number | bool] | None = None,
            armature: Mapping[str, Number | bool] | None = None, cut: bool | None = None,
            repeat: Mapping[str, Numbers] | None = None, if_: Number | bool | None = None,
            when: Number | None = None, starts: Number | None = None, ends: Number | None = None) -> str:
        """Adds a joint of type revolute; returns its name.

        Args:
            bodies: first and second body; required
            at: the joint point, the same for both bodies [m]; required
            points: a point of the first, one of the second [m]; default: at
            axis: joint axis, line or normal, in global axes at the start; required
            reference: x axis of the joint; default: any perpendicular
            markers: alternative to bodies, at and axis: z is the axis; default: none
            offset: coordinate value of the reference configuration; default: 0
            initial: initial coordinates (angle) and rates (angle_rate); default: reference
                configuration, at rest
            armature: rotor inertia on a coordinate, kg m^2 or kg; default: 0
            cut: true: loop-closing joint, not part of the tree in relative coordinates;
                default: false
            repeat: one entry for each number of a range; default: once
            if_: 0 omits the entry; default: 1
            when: active while this condition on signals is true; default: always
            starts: becomes active when this condition is true; default: at once
            ends: becomes inactive when this condition is true; default: never
        """
        return self._add("joints", name, {
            "type": "revolute", "bodies": bodies, "at": at, "points": points, "axis": axis,
            "reference": reference, "markers": markers, "offset": offset, "initial": initial,
            "armature": armature, "cut": cut, "repeat": repeat, "if": if_, "when": when,
            "starts": starts, "ends": ends})

    def translational(self, name: str,
            *, bodies: Sequence[str] | None = None, at: Point | None = None,
            points: Sequence[Point] | None = None, axis: Direction | None = None,
            reference: Direction | None = None, markers: Sequence[str] | None = None,
            offset: Mapping[str, Number | bool] | None = None,
            initial: Mapping[str, Number | bool] | None = None,
            armature: Mapping[str, Number | bool] | None = None, cut: bool | None = None,
            repeat: Mapping[str, Numbers] | None = None, if_: Number | bool | None = None,
            when: Number | None = None, starts: Number | None = None, ends: Number | None = None) -> str:
        """Adds a joint of type translational; returns its name.

        Args:
            bodies: first and second body; required
            at: the joint point, the same for both bodies [m]; required
            points: a point of the first, one of the second [m]; default: at
            axis: joint axis, line or normal, in global axes at the start; required
            reference: x axis of the joint; default: any perpendicular
            markers: alternative to bodies, at and axis: z is the axis; default: none
            offset: coordinate value of the reference configuration; default: 0
            initial: initial coordinates (angle) and rates (angle_rate); default: reference
                configuration, at rest
            armature: rotor inertia on a coordinate, kg m^2 or kg; default: 0
            cut: true: loop-closing joint, not part of the tree in relative coordinates;
                default: false
            repeat: one entry for each number of a range; default: once
            if_: 0 omits the entry; default: 1
            when: active while this condition on signals is true; default: always
            starts: becomes active when this condition is true; default: at once
            ends: becomes inactive when this condition is true; default: never
        """
        return self._add("joints", name, {
            "type": "translational", "bodies": bodies, "at": at, "points": points, "axis": axis,
            "reference": reference, "markers": markers, "offset": offset, "initial": initial,
            "armature": armature, "cut": cut, "repeat": repeat, "if": if_, "when": when,
            "starts": starts, "ends": ends})

    def cylindrical(self, name: str,
            *, bodies: Sequence[str] | None = None, at: Point | None = None,
            points: Sequence[Point] | None = None, axis: Direction | None = None,
            reference: Direction | None = None, markers: Sequence[str] | None = None,
            offset: Mapping[str, Number | bool] | None = None,
            initial: Mapping[str, Number | bool] | None = None,
            armature: Mapping[str, Number | bool] | None = None, cut: bool | None = None,
            repeat: Mapping[str, Numbers] | None = None, if_: Number | bool | None = None,
            when: Number | None = None, starts: Number | None = None, ends: Number | None = None) -> str:
        """Adds a joint of type cylindrical; returns its name.

        Args:
            bodies: first and second body; required
            at: the joint point, the same for both bodies [m]; required
            points: a point of the first, one of the second [m]; default: at
            axis: joint axis, line or normal, in global axes at the start; required
            reference: x axis of the joint; default: any perpendicular
            markers: alternative to bodies, at and axis: z is the axis; default: none
            offset: coordinate value of the reference configuration; default: 0
            initial: initial coordinates (angle) and rates (angle_rate); default: reference
                configuration, at rest
            armature: rotor inertia on a coordinate, kg m^2 or kg; default: 0
            cut: true: loop-closing joint, not part of the tree in relative coordinates;
                default: false
            repeat: one entry for each number of a range; default: once
            if_: 0 omits the entry; default: 1
            when: active while this condition on signals is true; default: always
            starts: becomes active when this condition is true; default: at once
            ends: becomes inactive when this condition is true; default: never
        """
        return self._add("joints", name, {
            "type": "cylindrical", "bodies": bodies, "at": at, "points": points, "axis": axis,
            "reference": reference, "markers": markers, "offset": offset, "initial": initial,
            "armature": armature, "cut": cut, "repeat": repeat, "if": if_, "when": when,
            "starts": starts, "ends": ends})

    def spherical(self, name: str,
            *, bodies: Sequence[str] | None = None, at: Point | None = None,
            points: Sequence[Point] | None = None, markers: Sequence[str] | None = None,
            cut: bool | None = None, repeat: Mapping[str, Numbers] | None = None,
            if_: Number | bool | None = None, when: Number | None = None,
            starts: Number | None = None, ends: Number | None = None) -> str:
        """Adds a joint of type spherical; returns its name.

        Args:
            bodies: first and second body; required
            at: the joint point, the same for both bodies [m]; required
            points: a point of the first, one of the second [m]; default: at
            markers: alternative to bodies, at and axis: z is the axis; default: none
            cut: true: loop-closing joint, not part of the tree in relative coordinates;
                default: false
            repeat: one entry for each number of a range; default: once
            if_: 0 omits the entry; default: 1
            when: active while this condition on signals is true; default: always
            starts: becomes active when this condition is true; default: at once
            ends: becomes inactive when this condition is true; default: never
        """
        return self._add("joints", name, {
            "type": "spherical", "bodies": bodies, "at": at, "points": points, "markers": markers,
            "cut": cut, "repeat": repeat, "if": if_, "when": when, "starts": starts, "ends": ends})

    def universal(self, name: str,
            *, bodies: Sequence[str] | None = None, at: Point | None = None,
            points: Sequence[Point] | None = None, axes: Sequence[Direction] | None = None,
            markers: Sequence[str] | None = None,
            offset: Mapping[str, Number | bool] | None = None,
            initial: Mapping[str, Number | bool] | None = None,
            armature: Mapping[str, Number | bool] | None = None, cut: bool | None = None,
            repeat: Mapping[str, Numbers] | None = None, if_: Number | bool | None = None,
            when: Number | None = None, starts: Number | None = None, ends: Number | None = None) -> str:
        """Adds a joint of type universal; returns its name.

        Args:
            bodies: first and second body; required
            at: the joint point, the same for both bodies [m]; required
            points: a point of the first, one of the second [m]; default: at
            axes: on the first, on the second; default: axis twice
            markers: alternative to bodies, at and axis: z is the axis; default: none
            offset: coordinate value of the reference configuration; default: 0
            initial: initial coordinates (angle) and rates (angle_rate); default: reference
                configuration, at rest
            armature: rotor inertia on a coordinate, kg m^2 or kg; default: 0
            cut: true: loop-closing joint, not part of the tree in relative coordinates;
                default: false
            repeat: one entry for each number of a range; default: once
            if_: 0 omits the entry; default: 1
            when: active while this condition on signals is true; default: always
            starts: becomes active when this condition is true; default: at once
            ends: becomes inactive when this condition is true; default: never
        """
        return self._add("joints", name, {
            "type": "universal", "bodies": bodies, "at": at, "points": points, "axes": axes,
            "markers": markers, "offset": offset, "initial": initial, "armature": armature,
            "cut": cut, "repeat": repeat, "if": if_, "when": when, "starts": starts, "ends": ends})

    def fixed(self, name: str,
            *, bodies: Sequence[str] | None = None, at: Point | None = None,
            points: Sequence[Point] | None = None, markers: Sequence[str] | None = None,
            cut: bool | None = None, repeat: Mapping[str, Numbers] | None = None,
            if_: Number | bool | None = None, when: Number | None = None,
            starts: Number | None = None, ends: Number | None = None) -> str:
        """Adds a joint of type fixed; returns its name.

        Args:
            bodies: first and second body; required
            at: the joint point, the same for both bodies [m]; required
            points: a point of the first, one of the second [m]; default: at
            markers: alternative to bodies, at and axis: z is the axis; default: none
            cut: true: loop-closing joint, not part of the tree in relative coordinates;
                default: false
            repeat: one entry for each number of a range; default: once
            if_: 0 omits the entry; default: 1
            when: active while this condition on signals is true; default: always
            starts: becomes active when this condition is true; default: at once
            ends: becomes inactive when this condition is true; default: never
        """
        return self._add("joints", name, {
            "type": "fixed", "bodies": bodies, "at": at, "points": points, "markers": markers,
            "cut": cut, "repeat": repeat, "if": if_, "when": when, "starts": starts, "ends": ends})

    def planar(self, name: str,
            *, bodies: Sequence[str] | None = None, at: Point | None = None,
            points: Sequence[Point] | None = None, axis: Direction | None = None,
            reference: Direction | None = None, markers: Sequence[str] | None = None,
            offset: Mapping[str, Number | bool] | None = None,
            initial: Mapping[str, Number | bool] | None = None,
            armature: Mapping[str, Number | bool] | None = None, cut: bool | None = None,
            repeat: Mapping[str, Numbers] | None = None, if_: Number | bool | None = None,
            when: Number | None = None, starts: Number | None = None, ends: Number | None = None) -> str:
        """Adds a joint of type planar; returns its name.

        Args:
            bodies: first and second body; required
            at: the joint point, the same for both bodies [m]; required
            points: a point of the first, one of the second [m]; default: at
            axis: joint axis, line or normal, in global axes at the start; required
            reference: x axis of the joint; default: any perpendicular
            markers: alternative to bodies, at and axis: z is the axis; default: none
            offset: coordinate value of the reference configuration; default: 0
            initial: initial coordinates (angle) and rates (angle_rate); default: reference
                configuration, at rest
            armature: rotor inertia on a coordinate, kg m^2 or kg; default: 0
            cut: true: loop-closing joint, not part of the tree in relative coordinates;
                default: false
            repeat: one entry for each number of a range; default: once
            if_: 0 omits the entry; default: 1
            when: active while this condition on signals is true; default: always
            starts: becomes active when this condition is true; default: at once
            ends: becomes inactive when this condition is true; default: never
        """
        return self._add("joints", name, {
            "type": "planar", "bodies": bodies, "at": at, "points": points, "axis": axis,
            "reference": reference, "markers": markers, "offset": offset, "initial": initial,
            "armature": armature, "cut": cut, "repeat": repeat, "if": if_, "when": when,
            "starts": starts, "ends": ends})

    def distance(self, name: str,
            *, bodies: Sequence[str] | None = None, points: Sequence[Point] | None = None,
            markers: Sequence[str] | None = None, length: Number | None = None,
            repeat: Mapping[str, Numbers] | None = None, if_: Number | bool | None = None,
            when: Number | None = None, starts: Number | None = None, ends: Number | None = None) -> str:
        """Adds a joint of type distance; returns its name.

        Args:
            bodies: first and second body; required
            points: a point of the first, one of the second [m]; default: at
            markers: alternative to bodies, at and axis: z is the axis; default: none
            length: prescribed distance [m]; default: reference configuration
            repeat: one entry for each number of a range; default: once
            if_: 0 omits the entry; default: 1
            when: active while this condition on signals is true; default: always
            starts: becomes active when this condition is true; default: at once
            ends: becomes inactive when this condition is true; default: never
        """
        return self._add("joints", name, {
            "type": "distance", "bodies": bodies, "points": points, "markers": markers,
            "length": length, "repeat": repeat, "if": if_, "when": when, "starts": starts,
            "ends": ends})

    def point_on_line(self, name: str,
            *, bodies: Sequence[str] | None = None, at: Point | None = None,
            points: Sequence[Point] | None = None, axis: Direction | None = None,
            reference: Direction | None = None, markers: Sequence[str] | None = None,
            offset: Mapping[str, Number | bool] | None = None,
            initial: Mapping[str, Number | bool] | None = None,
            armature: Mapping[str, Number | bool] | None = None,
            repeat: Mapping[str, Numbers] | None = None, if_: Number | bool | None = None,
            when: Number | None = None, starts: Number | None = None, ends: Number | None = None) -> str:
        """Adds a joint of type point-on-line; returns its name.

        Args:
            bodies: first and second body; required
            at: the joint point, the same for both bodies [m]; required
            points: a point of the first, one of the second [m]; default: at
            axis: joint axis, line or normal, in global axes at the start; required
            reference: x axis of the joint; default: any perpendicular
            markers: alternative to bodies, at and axis: z is the axis; default: none
            offset: coordinate value of the reference configuration; default: 0
            initial: initial coordinates (angle) and rates (angle_rate); default: reference
                configuration, at rest
            armature: rotor inertia on a coordinate, kg m^2 or kg; default: 0
            repeat: one entry for each number of a range; default: once
            if_: 0 omits the entry; default: 1
            when: active while this condition on signals is true; default: always
            starts: becomes active when this condition is true; default: at once
            ends: becomes inactive when this condition is true; default: never
        """
        return self._add("joints", name, {
            "type": "point-on-line", "bodies": bodies, "at": at, "points": points, "axis": axis,
            "reference": reference, "markers": markers, "offset": offset, "initial": initial,
            "armature": armature, "repeat": repeat, "if": if_, "when": when, "starts": starts,
            "ends": ends})

    def point_in_plane(self, name: str,
            *, bodies: Sequence[str] | None = None, at: Point | None = None,
            points: Sequence[Point] | None = None, axis: Direction | None = None,
            reference: Direction | None = None, markers: Sequence[str] | None = None,
            offset: Mapping[str, Number | bool] | None = None,
            initial: Mapping[str, Number | bool] | None = None,
            armature: Mapping[str, Number | bool] | None = None,
            repeat: Mapping[str, Numbers] | None = None, if_: Number | bool | None = None,
            when: Number | None = None, starts: Number | None = None, ends: Number | None = None) -> str:
        """Adds a joint of type point-in-plane; returns its name.

        Args:
            bodies: first and second body; required
            at: the joint point, the same for both bodies [m]; required
            points: a point of the first, one of the second [m]; default: at
            axis: joint axis, line or normal, in global axes at the start; required
            reference: x axis of the joint; default: any perpendicular
            markers: alternative to bodies, at and axis: z is the axis; default: none
            offset: coordinate value of the reference configuration; default: 0
            initial: initial coordinates (angle) and rates (angle_rate); default: reference
                configuration, at rest
            armature: rotor inertia on a coordinate, kg m^2 or kg; default: 0
            repeat: one entry for each number of a range; default: once
            if_: 0 omits the entry; default: 1
            when: active while this condition on signals is true; default: always
            starts: becomes active when this condition is true; default: at once
            ends: becomes inactive when this condition is true; default: never
        """
        return self._add("joints", name, {
            "type": "point-in-plane", "bodies": bodies, "at": at, "points": points, "axis": axis,
            "reference": reference, "markers": markers, "offset": offset, "initial": initial,
            "armature": armature, "repeat": repeat, "if": if_, "when": when, "starts": starts,
            "ends": ends})

    def parallel(self, name: str,
            *, bodies: Sequence[str] | None = None, at: Point | None = None,
            axis: Direction | None = None, markers: Sequence[str] | None = None,
            repeat: Mapping[str, Numbers] | None = None, if_: Number | bool | None = None,
            when: Number | None = None, starts: Number | None = None, ends: Number | None = None) -> str:
        """Adds a joint of type parallel; returns its name.

        Args:
            bodies: first and second body; required
            at: the joint point, the same for both bodies [m]; required
            axis: joint axis, line or normal, in global axes at the start; required
            markers: alternative to bodies, at and axis: z is the axis; default: none
            repeat: one entry for each number of a range; default: once
            if_: 0 omits the entry; default: 1
            when: active while this condition on signals is true; default: always
            starts: becomes active when this condition is true; default: at once
            ends: becomes inactive when this condition is true; default: never
        """
        return self._add("joints", name, {
            "type": "parallel", "bodies": bodies, "at": at, "axis": axis, "markers": markers,
            "repeat": repeat, "if": if_, "when": when, "starts": starts, "ends": ends})

    def perpendicular(self, name: str,
            *, bodies: Sequence[str] | None = None, at: Point | None = None,
            axes: Sequence[Direction] | None = None, markers: Sequence[str] | None = None,
            repeat: Mapping[str, Numbers] | None = None, if_: Number | bool | None = None,
            when: Number | None = None, starts: Number | None = None, ends: Number | None = None) -> str:
        """Adds a joint of type perpendicular; returns its name.

        Args:
            bodies: first and second body; required
            at: the joint point, the same for both bodies [m]; required
            axes: on the first, on the second; default: axis twice
            markers: alternative to bodies, at and axis: z is the axis; default: none
            repeat: one entry for each number of a range; default: once
            if_: 0 omits the entry; default: 1
            when: active while this condition on signals is true; default: always
            starts: becomes active when this condition is true; default: at once
            ends: becomes inactive when this condition is true; default: never
        """
        return self._add("joints", name, {
            "type": "perpendicular", "bodies": bodies, "at": at, "axes": axes, "markers": markers,
            "repeat": repeat, "if": if_, "when": when, "starts": starts, "ends": ends})

    def screw(self, name: str,
            *, bodies: Sequence[str] | None = None, at: Point | None = None,
            points: Sequence[Point] | None = None, axis: Direction | None = None,
            reference: Direction | None = None, markers: Sequence[str] | None = None,
            pitch: Number | None = None, offset: Mapping[str, Number | bool] | None = None,
            initial: Mapping[str, Number | bool] | None = None,
            armature: Mapping[str, Number | bool] | None = None, cut: bool | None = None,
            repeat: Mapping[str, Numbers] | None = None, if_: Number | bool | None = None,
            when: Number | None = None, starts: Number | None = None, ends: Number | None = None) -> str:
        """Adds a joint of type screw; returns its name.

        Args:
            bodies: first and second body; required
            at: the joint point, the same for both bodies [m]; required
            points: a point of the first, one of the second [m]; default: at
            axis: joint axis, line or normal, in global axes at the start; required
            reference: x axis of the joint; default: any perpendicular
            markers: alternative to bodies, at and axis: z is the axis; default: none
            pitch: advance per revolution, right-handed [m]; required
            offset: coordinate value of the reference configuration; default: 0
            initial: initial coordinates (angle) and rates (angle_rate); default: reference
                configuration, at rest
            armature: rotor inertia on a coordinate, kg m^2 or kg; default: 0
            cut: true: loop-closing joint, not part of the tree in relative coordinates;
                default: false
            repeat: one entry for each number of a range; default: once
            if_: 0 omits the entry; default: 1
            when: active while this condition on signals is true; default: always
            starts: becomes active when this condition is true; default: at once
            ends: becomes inactive when this condition is true; default: never
        """
        return self._add("joints", name, {
            "type": "screw", "bodies": bodies, "at": at, "points": points, "axis": axis,
            "reference": reference, "markers": markers, "pitch": pitch, "offset": offset,
            "initial": initial, "armature": armature, "cut": cut, "repeat": repeat, "if": if_,
            "when": when, "starts": starts, "ends": ends})

    def gear(self, name: str,
            *, joints: Sequence[str] | None = None, ratio: Number | None = None,
            radii: Numbers | None = None, repeat: Mapping[str, Numbers] | None = None,
            if_: Number | bool | None = None, when: Number | None = None,
            starts: Number | None = None, ends: Number | None = None) -> str:
        """Adds a joint of type gear; returns its name.

        Args:
            joints: joints whose coordinates are coupled; required
            ratio: first angle + ratio * second angle stays constant; required
            radii: of the two wheels: ratio = second/first [m]; default: ratio
            repeat: one entry for each number of a range; default: once
            if_: 0 omits the entry; default: 1
            when: active while this condition on signals is true; default: always
            starts: becomes active when this condition is true; default: at once
            ends: becomes inactive when this condition is true; default: never
        """
        return self._add("joints", name, {
            "type": "gear", "joints": joints, "ratio": ratio, "radii": radii, "repeat": repeat,
            "if": if_, "when": when, "starts": starts, "ends": ends})

    def rack_pinion(self, name: str,
            *, joints: Sequence[str] | None = None, radius: Number | None = None,
            repeat: Mapping[str, Numbers] | None = None, if_: Number | bool | None = None,
            when: Number | None = None, starts: Number | None = None, ends: Number | None = None) -> str:
        """Adds a joint of type rack-pinion; returns its name.

        Args:
            joints: joints whose coordinates are coupled; required
            radius: displacement - radius * angle stays constant [m]; required
            repeat: one entry for each number of a range; default: once
            if_: 0 omits the entry; default: 1
            when: active while this condition on signals is true; default: always
            starts: becomes active when this condition is true; default: at once
            ends: becomes inactive when this condition is true; default: never
        """
        return self._add("joints", name, {
            "type": "rack-pinion", "joints": joints, "radius": radius, "repeat": repeat,
            "if": if_, "when": when, "starts": starts, "ends": ends})

    def coupler(self, name: str,
            *, terms: Sequence[Section] | None = None, constant: Number | None = None,
            repeat: Mapping[str, Numbers] | None = None, if_: Number | bool | None = None,
            when: Number | None = None, starts: Number | None = None, ends: Number | None = None) -> str:
        """Adds a joint of type coupler; returns its name.

        Args:
            terms: sum of coefficient * coordinate; required
            constant: value of the sum; default: reference configuration
            repeat: one entry for each number of a range; default: once
            if_: 0 omits the entry; default: 1
            when: active while this condition on signals is true; default: always
            starts: becomes active when this condition is true; default: at once
            ends: becomes inactive when this condition is true; default: never
        """
        return self._add("joints", name, {
            "type": "coupler", "terms": terms, "constant": constant, "repeat": repeat, "if": if_,
            "when": when, "starts": starts, "ends": ends})

    def constant_velocity(self, name: str,
            *, bodies: Sequence[str] | None = None, at: Point | None = None,
            points: Sequence[Point] | None = None, axis: Direction | None = None,
            axes: Sequence[Direction] | None = None, markers: Sequence[str] | None = None,
            cut: bool | None = None, repeat: Mapping[str, Numbers] | None = None,
            if_: Number | bool | None = None, when: Number | None = None,
            starts: Number | None = None, ends: Number | None = None) -> str:
        """Adds a joint of type constant-velocity; returns its name.

        Args:
            bodies: first and second body; required
            at: the joint point, the same for both bodies [m]; required
            points: a point of the first, one of the second [m]; default: at
            axis: joint axis, line or normal, in global axes at the start; required
            axes: on the first, on the second; default: axis twice
            markers: alternative to bodies, at and axis: z is the axis; default: none
            cut: true: loop-closing joint, not part of the tree in relative coordinates;
                default: false
            repeat: one entry for each number of a range; default: once
            if_: 0 omits the entry; default: 1
            when: active while this condition on signals is true; default: always
            starts: becomes active when this condition is true; default: at once
            ends: becomes inactive when this condition is true; default: never
        """
        return self._add("joints", name, {
            "type": "constant-velocity", "bodies": bodies, "at": at, "points": points,
            "axis": axis, "axes": axes, "markers": markers, "cut": cut, "repeat": repeat,
            "if": if_, "when": when, "starts": starts, "ends": ends})

    def knife_edge(self, name: str,
            *, bodies: Sequence[str] | None = None, at: Point | None = None,
            axis: Direction | None = None, repeat: Mapping[str, Numbers] | None = None,
            if_: Number | bool | None = None) -> str:
        """Adds a joint of type knife-edge; returns its name.

        Args:
            bodies: first and second body; required
            at: the joint point, the same for both bodies [m]; required
            axis: joint axis, line or normal, in global axes at the start; required
            repeat: one entry for each number of a range; default: once
            if_: 0 omits the entry; default: 1
        """
        return self._add("joints", name, {
            "type": "knife-edge", "bodies": bodies, "at": at, "axis": axis, "repeat": repeat,
            "if": if_})

    def free(self, name: str,
            *, bodies: Sequence[str] | None = None, at: Point | None = None,
            points: Sequence[Point] | None = None, axis: Direction | None = None,
            reference: Direction | None = None, markers: Sequence[str] | None = None,
            offset: Mapping[str, Number | bool] | None = None,
            initial: Mapping[str, Number | bool] | None = None,
            armature: Mapping[str, Number | bool] | None = None,
            repeat: Mapping[str, Numbers] | None = None, if_: Number | bool | None = None,
            when: Number | None = None, starts: Number | None = None, ends: Number | None = None) -> str:
        """Adds a joint of type free; returns its name.

        Args:
            bodies: first and second body; required
            at: the joint point, the same for both bodies [m]; required
            points: a point of the first, one of the second [m]; default: at
            axis: joint axis, line or normal, in global axes at the start; required
            reference: x axis of the joint; default: any perpendicular
            markers: alternative to bodies, at and axis: z is the axis; default: none
            offset: coordinate value of the reference configuration; default: 0
            initial: initial coordinates (angle) and rates (angle_rate); default: reference
                configuration, at rest
            armature: rotor inertia on a coordinate, kg m^2 or kg; default: 0
            repeat: one entry for each number of a range; default: once
            if_: 0 omits the entry; default: 1
            when: active while this condition on signals is true; default: always
            starts: becomes active when this condition is true; default: at once
            ends: becomes inactive when this condition is true; default: never
        """
        return self._add("joints", name, {
            "type": "free", "bodies": bodies, "at": at, "points": points, "axis": axis,
            "reference": reference, "markers": markers, "offset": offset, "initial": initial,
            "armature": armature, "repeat": repeat, "if": if_, "when": when, "starts": starts,
            "ends": ends})
