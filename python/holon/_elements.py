"""Elements of models, one method each. Made by scripts/make-python from the schema of the model format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ._hints import hinted_methods
from ._joints import Direction, Joints, Law, Number, Numbers, Point, Section


@hinted_methods
class Elements(Joints):
    """Methods that add elements to a model. Keys are those of model files (docs/reference/model-format.md)."""

    def point(self, name: str,
            *, at: Point | None = None, repeat: Mapping[str, Numbers] | None = None,
            if_: Number | bool | None = None) -> str:
        """Adds a point; returns its name.

        Args:
            at: where it is [m]; required
            repeat: one entry for each number of a range; default: once
            if_: 0 leaves the entry out; default: 1
        """
        return self._add("points", name, {
            "at": at, "repeat": repeat, "if": if_})

    def body(self, name: str,
            *, mass: Number | None = None, center: Point | None = None,
            inertia: Number | Numbers | None = None, inertia_at: Point | None = None,
            density: Number | None = None, solid: Section | None = None,
            shape: Section | None = None, shapes: Sequence[Section] | None = None,
            position: Point | None = None, orientation: Section | None = None,
            markers: Mapping[str, Any] | None = None, initial: Section | None = None,
            external: bool | None = None, repeat: Mapping[str, Numbers] | None = None,
            if_: Number | bool | None = None) -> str:
        """Adds a body; returns its name.

        Args:
            mass: mass of the body; without it a shape and its `density` give it [kg]; required,
                or a density
            center: centre of mass, in the body frame [m]; default: [0, 0, 0]
            inertia: about the centre of mass, in body axes: xx yy zz, or xx yy zz xy xz yz [kg
                m^2]; default: 0
            inertia_at: the point `inertia` is given about [m]; default: centre of mass
            density: gives the mass of the solid; without one mass, centre and inertia of the
                shapes [kg/m^3]; default: none
            solid: solid of the mass, centred at `center`; default: none
            shape: what it looks like; default: drawn from the joints
            shapes: the same, of several parts; default: none
            position: where the body frame is drawn [m]; default: [0, 0, 0]
            orientation: how the body frame is turned; default: not turned
            markers: named points and axes of the body; default: none
            initial: where it starts and how it moves then; default: as drawn, at rest
            external: in a component: a body of whoever uses it; default: false
            repeat: one entry for each number of a range; default: once
            if_: 0 leaves the entry out; default: 1
        """
        return self._add("bodies", name, {
            "mass": mass, "center": center, "inertia": inertia, "inertia_at": inertia_at,
            "density": density, "solid": solid, "shape": shape, "shapes": shapes,
            "position": position, "orientation": orientation, "markers": markers,
            "initial": initial, "external": external, "repeat": repeat, "if": if_})

    def driver(self, name: str,
            *, joint: str | None = None, coordinate: str | None = None, point: str | None = None,
            of: str | None = None, direction: Direction | None = None,
            distance: Sequence[Point] | None = None, bodies: Sequence[str] | None = None,
            motion: Law | None = None, repeat: Mapping[str, Numbers] | None = None,
            if_: Number | bool | None = None, when: Number | None = None,
            starts: Number | None = None, ends: Number | None = None) -> str:
        """Adds a driver; returns its name.

        Args:
            joint: drives a joint coordinate; default: none
            coordinate: which of its coordinates; default: its only one
            point: drives a marker of a body; default: none
            of: seen from the frame of this body; default: ground
            direction: along this direction, in global axes at the start; required
            distance: drives the distance of two points [m]; default: none
            bodies: the bodies the two points are on; required
            motion: the value at time t; required
            repeat: one entry for each number of a range; default: once
            if_: 0 leaves the entry out; default: 1
            when: acts while this condition of signals holds; default: always
            starts: acts from where this condition holds; default: at once
            ends: ... until this one does; default: never
        """
        return self._add("drivers", name, {
            "joint": joint, "coordinate": coordinate, "point": point, "of": of,
            "direction": direction, "distance": distance, "bodies": bodies, "motion": motion,
            "repeat": repeat, "if": if_, "when": when, "starts": starts, "ends": ends})

    def spring_damper(self, name: str,
            *, repeat: Mapping[str, Numbers] | None = None, if_: Number | bool | None = None,
            when: Number | None = None, starts: Number | None = None, ends: Number | None = None,
            bodies: Sequence[str] | None = None, points: Sequence[Point] | None = None,
            markers: Sequence[str] | None = None, stiffness: Number | None = None,
            free_length: Number | None = None, damping: Number | None = None,
            preload: Number | None = None, force: Law | None = None, damper: Law | None = None,
            actuator: Law | None = None, law: Number | None = None) -> str:
        """Adds a force of type spring-damper; returns its name.

        Args:
            repeat: one entry for each number of a range; default: once
            if_: 0 leaves the entry out; default: 1
            when: acts while this condition of signals holds; default: always
            starts: acts from where this condition holds; default: at once
            ends: ... until this one does; default: never
            bodies: first and second body; required
            points: one on each body, in global axes at the start [m]; required
            markers: instead of bodies and points; default: none
            stiffness: force for each metre of stretch [N/m]; default: 0
            free_length: length without spring force [m]; default: as drawn
            damping: force for each m/s of lengthening [N s/m]; default: 0
            preload: constant force added [N]; default: 0
            force: of x, added to the stiffness [N]; default: none
            damper: of v = dx/dt, added to the damping [N]; default: none
            actuator: of time [N]; default: none
            law: formula of x, v and t [N]; default: none
        """
        return self._add("forces", name, {
            "type": "spring-damper", "repeat": repeat, "if": if_, "when": when, "starts": starts,
            "ends": ends, "bodies": bodies, "points": points, "markers": markers,
            "stiffness": stiffness, "free_length": free_length, "damping": damping,
            "preload": preload, "force": force, "damper": damper, "actuator": actuator, "law": law})

    def joint_spring_damper(self, name: str,
            *, repeat: Mapping[str, Numbers] | None = None, if_: Number | bool | None = None,
            when: Number | None = None, starts: Number | None = None, ends: Number | None = None,
            joint: str | None = None, coordinate: str | None = None,
            stiffness: Number | None = None, free: Number | None = None,
            damping: Number | None = None, preload: Number | None = None,
            force: Law | None = None, damper: Law | None = None, actuator: Law | None = None,
            law: Number | None = None) -> str:
        """Adds a force of type joint-spring-damper; returns its name.

        Args:
            repeat: one entry for each number of a range; default: once
            if_: 0 leaves the entry out; default: 1
            when: acts while this condition of signals holds; default: always
            starts: acts from where this condition holds; default: at once
            ends: ... until this one does; default: never
            joint: on whose coordinate it acts; required
            coordinate: which of its coordinates; default: its only one
            stiffness: force for each m or rad; default: 0
            free: coordinate without spring force; default: 0
            damping: force for each m/s or rad/s; default: 0
            preload: constant force added; default: 0
            force: of x, added to the stiffness; default: none
            damper: of v = dx/dt, added to the damping; default: none
            actuator: of time; default: none
            law: formula of x, v and t; default: none
        """
        return self._add("forces", name, {
            "type": "joint-spring-damper", "repeat": repeat, "if": if_, "when": when,
            "starts": starts, "ends": ends, "joint": joint, "coordinate": coordinate,
            "stiffness": stiffness, "free": free, "damping": damping, "preload": preload,
            "force": force, "damper": damper, "actuator": actuator, "law": law})

    def rotational_spring_damper(self, name: str,
            *, repeat: Mapping[str, Numbers] | None = None, if_: Number | bool | None = None,
            when: Number | None = None, starts: Number | None = None, ends: Number | None = None,
            joint: str | None = None, coordinate: str | None = None,
            bodies: Sequence[str] | None = None, at: Point | None = None,
            axis: Direction | None = None, stiffness: Number | None = None,
            free_angle: Number | None = None, damping: Number | None = None,
            preload: Number | None = None, torque: Law | None = None, damper: Law | None = None,
            actuator: Law | None = None, law: Number | None = None) -> str:
        """Adds a force of type rotational-spring-damper; returns its name.

        Args:
            repeat: one entry for each number of a range; default: once
            if_: 0 leaves the entry out; default: 1
            when: acts while this condition of signals holds; default: always
            starts: acts from where this condition holds; default: at once
            ends: ... until this one does; default: never
            joint: a joint with an angle; default: none
            coordinate: angle or angle2; default: its only angle
            bodies: without a joint: the two bodies; default: none
            at: without a joint: where [m]; default: centre of the second body
            axis: without a joint: the axis, on the first; default: none
            stiffness: torque for each radian [N m/rad]; default: 0
            free_angle: angle without spring torque [rad]; default: 0
            damping: torque for each rad/s [N m s/rad]; default: 0
            preload: constant torque added [N m]; default: 0
            torque: of x, added to the stiffness [N m]; default: none
            damper: of v = dx/dt, added to the damping [N m]; default: none
            actuator: of time [N m]; default: none
            law: formula of x, v and t [N m]; default: none
        """
        return self._add("forces", name, {
            "type": "rotational-spring-damper", "repeat": repeat, "if": if_, "when": when,
            "starts": starts, "ends": ends, "joint": joint, "coordinate": coordinate,
            "bodies": bodies, "at": at, "axis": axis, "stiffness": stiffness,
            "free_angle": free_angle, "damping": damping, "preload": preload, "torque": torque,
            "damper": damper, "actuator": actuator, "law": law})

    def ball_spring_damper(self, name: str,
            *, repeat: Mapping[str, Numbers] | None = None, if_: Number | bool | None = None,
            when: Number | None = None, starts: Number | None = None, ends: Number | None = None,
            bodies: Sequence[str] | None = None, stiffness: Number | None = None,
            damping: Number | None = None) -> str:
        """Adds a force of type ball-spring-damper; returns its name.

        Args:
            repeat: one entry for each number of a range; default: once
            if_: 0 leaves the entry out; default: 1
            when: acts while this condition of signals holds; default: always
            starts: acts from where this condition holds; default: at once
            ends: ... until this one does; default: never
            bodies: first and second body; required
            stiffness: torque for each radian of turn [N m/rad]; default: 0
            damping: torque for each rad/s of turning [N m s/rad]; default: 0
        """
        return self._add("forces", name, {
            "type": "ball-spring-damper", "repeat": repeat, "if": if_, "when": when,
            "starts": starts, "ends": ends, "bodies": bodies, "stiffness": stiffness,
            "damping": damping})

    def bushing(self, name: str,
            *, repeat: Mapping[str, Numbers] | None = None, if_: Number | bool | None = None,
            when: Number | None = None, starts: Number | None = None, ends: Number | None = None,
            bodies: Sequence[str] | None = None, at: Point | None = None,
            axis: Direction | None = None, reference: Direction | None = None,
            markers: Sequence[str] | None = None, stiffness: Numbers | None = None,
            damping: Numbers | None = None) -> str:
        """Adds a force of type bushing; returns its name.

        Args:
            repeat: one entry for each number of a range; default: once
            if_: 0 leaves the entry out; default: 1
            when: acts while this condition of signals holds; default: always
            starts: acts from where this condition holds; default: at once
            ends: ... until this one does; default: never
            bodies: first and second body; required
            at: its centre [m]; required
            axis: z axis of the bushing, on the first body; default: z
            reference: its x axis; default: x
            markers: instead of bodies, at and axis: free when the two markers coincide;
                default: none
            stiffness: along x y z, about x y z [N/m]; default: 0
            damping: along x y z, about x y z [N s/m]; default: 0
        """
        return self._add("forces", name, {
            "type": "bushing", "repeat": repeat, "if": if_, "when": when, "starts": starts,
            "ends": ends, "bodies": bodies, "at": at, "axis": axis, "reference": reference,
            "markers": markers, "stiffness": stiffness, "damping": damping})

    def leaf_spring(self, name: str,
            *, repeat: Mapping[str, Numbers] | None = None, if_: Number | bool | None = None,
            when: Number | None = None, starts: Number | None = None, ends: Number | None = None,
            bodies: Sequence[str] | None = None, points: Sequence[Point] | None = None,
            markers: Sequence[str] | None = None, axis: Direction | None = None,
            offset: Number | None = None, stiffness: Number | None = None,
            free_length: Number | None = None, damping: Number | None = None,
            preload: Number | None = None, force: Law | None = None, damper: Law | None = None,
            actuator: Law | None = None, law: Number | None = None) -> str:
        """Adds a force of type leaf-spring; returns its name.

        Args:
            repeat: one entry for each number of a range; default: once
            if_: 0 leaves the entry out; default: 1
            when: acts while this condition of signals holds; default: always
            starts: acts from where this condition holds; default: at once
            ends: ... until this one does; default: never
            bodies: first and second body; required
            points: one on each body, in global axes at the start [m]; required
            markers: instead of bodies and points; default: none
            axis: direction of the force, on the first body; required
            offset: length = axis . (first - second) - offset [m]; default: 0
            stiffness: force for each metre of length [N/m]; default: 0
            free_length: length without spring force [m]; default: as drawn
            damping: force for each m/s of lengthening [N s/m]; default: 0
            preload: constant force added [N]; default: 0
            force: of x, added to the stiffness [N]; default: none
            damper: of v = dx/dt, added to the damping [N]; default: none
            actuator: of time [N]; default: none
            law: formula of x, v and t [N]; default: none
        """
        return self._add("forces", name, {
            "type": "leaf-spring", "repeat": repeat, "if": if_, "when": when, "starts": starts,
            "ends": ends, "bodies": bodies, "points": points, "markers": markers, "axis": axis,
            "offset": offset, "stiffness": stiffness, "free_length": free_length,
            "damping": damping, "preload": preload, "force": force, "damper": damper,
            "actuator": actuator, "law": law})

    def point_force(self, name: str,
            *, repeat: Mapping[str, Numbers] | None = None, if_: Number | bool | None = None,
            when: Number | None = None, starts: Number | None = None, ends: Number | None = None,
            body: str | None = None, at: Point | None = None, force: Sequence[Law] | None = None,
            following: bool | None = None) -> str:
        """Adds a force of type point-force; returns its name.

        Args:
            repeat: one entry for each number of a range; default: once
            if_: 0 leaves the entry out; default: 1
            when: acts while this condition of signals holds; default: always
            starts: acts from where this condition holds; default: at once
            ends: ... until this one does; default: never
            body: what it acts on; required
            at: where it acts [m]; default: centre of mass
            force: components along x, y, z [N]; required
            following: true: along the axes of the body; default: false
        """
        return self._add("forces", name, {
            "type": "point-force", "repeat": repeat, "if": if_, "when": when, "starts": starts,
            "ends": ends, "body": body, "at": at, "force": force, "following": following})

    def torque(self, name: str,
            *, repeat: Mapping[str, Numbers] | None = None, if_: Number | bool | None = None,
            when: Number | None = None, starts: Number | None = None, ends: Number | None = None,
            body: str | None = None, joint: str | None = None, coordinate: str | None = None,
            torque: Law | None = None, following: bool | None = None) -> str:
        """Adds a force of type torque; returns its name.

        Args:
            repeat: one entry for each number of a range; default: once
            if_: 0 leaves the entry out; default: 1
            when: acts while this condition of signals holds; default: always
            starts: acts from where this condition holds; default: at once
            ends: ... until this one does; default: never
            body: what it acts on; default: none
            joint: on the second body along the coordinate, against the first; default: none
            coordinate: with `joint`: which coordinate; default: its only one
            torque: three laws for a body, one for a joint [N m]; required
            following: true: about the axes of the body; default: false
        """
        return self._add("forces", name, {
            "type": "torque", "repeat": repeat, "if": if_, "when": when, "starts": starts,
            "ends": ends, "body": body, "joint": joint, "coordinate": coordinate,
            "torque": torque, "following": following})

    def joint_friction(self, name: str,
            *, repeat: Mapping[str, Numbers] | None = None, if_: Number | bool | None = None,
            when: Number | None = None, starts: Number | None = None, ends: Number | None = None,
            joint: str | None = None, coordinate: str | None = None, force: Law | None = None,
            torque: Law | None = None, static_force: Number | None = None,
            static_torque: Number | None = None, transition: Number | None = None,
            stiffness: Number | None = None, damping: Number | None = None,
            viscous: Number | None = None) -> str:
        """Adds a force of type joint-friction; returns its name.

        Args:
            repeat: one entry for each number of a range; default: once
            if_: 0 leaves the entry out; default: 1
            when: acts while this condition of signals holds; default: always
            starts: acts from where this condition holds; default: at once
            ends: ... until this one does; default: never
            joint: on whose coordinate it acts; required
            coordinate: which of its coordinates; default: its only one
            force: largest friction force, of a displacement [N]; default: none
            torque: largest friction torque, of an angle [N m]; default: none
            static_force: of what sticks, of a displacement [N]; default: force
            static_torque: of what sticks, of an angle [N m]; default: torque
            transition: speed over which friction turns around; default: 0: it sticks
            stiffness: of what holds at rest until the friction is reached; default: 0: it
                creeps
            damping: of what holds; default: 0
            viscous: additional damping; default: 0
        """
        return self._add("forces", name, {
            "type": "joint-friction", "repeat": repeat, "if": if_, "when": when, "starts": starts,
            "ends": ends, "joint": joint, "coordinate": coordinate, "force": force,
            "torque": torque, "static_force": static_force, "static_torque": static_torque,
            "transition": transition, "stiffness": stiffness, "damping": damping,
            "viscous": viscous})

    def joint_stop(self, name: str,
            *, repeat: Mapping[str, Numbers] | None = None, if_: Number | bool | None = None,
            when: Number | None = None, starts: Number | None = None, ends: Number | None = None,
            joint: str | None = None, coordinate: str | None = None, lower: Number | None = None,
            upper: Number | None = None, stiffness: Number | None = None,
            damping: Number | None = None, restitution: Number | None = None) -> str:
        """Adds a force of type joint-stop; returns its name.

        Args:
            repeat: one entry for each number of a range; default: once
            if_: 0 leaves the entry out; default: 1
            when: acts while this condition of signals holds; default: always
            starts: acts from where this condition holds; default: at once
            ends: ... until this one does; default: never
            joint: on whose coordinate it acts; required
            coordinate: which of its coordinates; default: its only one
            lower: lower end; default: none
            upper: upper end; default: none
            stiffness: beyond the ends; default: rigid
            damping: beyond the ends; never pulls; default: 0
            restitution: rigid: 0 stays, 1 bounces without loss; default: 0
        """
        return self._add("forces", name, {
            "type": "joint-stop", "repeat": repeat, "if": if_, "when": when, "starts": starts,
            "ends": ends, "joint": joint, "coordinate": coordinate, "lower": lower,
            "upper": upper, "stiffness": stiffness, "damping": damping, "restitution": restitution})

    def tyre(self, name: str,
            *, repeat: Mapping[str, Numbers] | None = None, if_: Number | bool | None = None,
            when: Number | None = None, starts: Number | None = None, ends: Number | None = None,
            body: str | None = None, at: Point | None = None, model: str | None = None,
            side: str | None = None, spin_axis: Direction | None = None,
            relaxation: bool | None = None, low_speed: Number | None = None,
            radius: Number | None = None, stiffness: Number | None = None,
            damping: Number | None = None, road: str | None = None, contact: str | None = None) -> str:
        """Adds a force of type tyre; returns its name.

        Args:
            repeat: one entry for each number of a range; default: once
            if_: 0 leaves the entry out; default: 1
            when: acts while this condition of signals holds; default: always
            starts: acts from where this condition holds; default: at once
            ends: ... until this one does; default: never
            body: the wheel; required
            at: centre of the wheel [m]; default: centre of mass
            model: property file (.tir) or table of forces (.csv) of a tyre that steers, drives
                and brakes; default: none: it carries normal load only
            side: where it is mounted: the other side than the file's mirrors it; default: file;
                one of file, left, right
            spin_axis: with a model: to the left; default: [0, 1, 0]
            relaxation: with a model: true: slips follow with the relaxation lengths; default:
                false
            low_speed: with a model: below half of this speed it counts as standing [m/s];
                default: 0.5
            radius: without load [m]; default: of the model; required without one
            stiffness: normal to the road [N/m]; default: of the model; required without one
            damping: normal to the road [N s/m]; default: 0, or of the model
            road: what it rolls on; required
            contact: below the centre, or at the nearest point of the road; default: vertical;
                one of vertical, radial
        """
        return self._add("forces", name, {
            "type": "tyre", "repeat": repeat, "if": if_, "when": when, "starts": starts,
            "ends": ends, "body": body, "at": at, "model": model, "side": side,
            "spin_axis": spin_axis, "relaxation": relaxation, "low_speed": low_speed,
            "radius": radius, "stiffness": stiffness, "damping": damping, "road": road,
            "contact": contact})

    def tendon(self, name: str,
            *, repeat: Mapping[str, Numbers] | None = None, if_: Number | bool | None = None,
            when: Number | None = None, starts: Number | None = None, ends: Number | None = None,
            way: Sequence[Section] | None = None, stiffness: Number | None = None,
            free_length: Number | None = None, damping: Number | None = None,
            preload: Number | None = None, force: Law | None = None, damper: Law | None = None,
            actuator: Law | None = None, law: Number | None = None) -> str:
        """Adds a force of type tendon; returns its name.

        Args:
            repeat: one entry for each number of a range; default: once
            if_: 0 leaves the entry out; default: 1
            when: acts while this condition of signals holds; default: always
            starts: acts from where this condition holds; default: at once
            ends: ... until this one does; default: never
            way: what it passes, from point to point: {body, at}, {around: {body, at, axis,
                radius, side}}, {pulley: divisor}; required
            stiffness: force for each metre of stretch [N/m]; default: 0
            free_length: length without spring force [m]; default: as drawn
            damping: force for each m/s of lengthening [N s/m]; default: 0
            preload: constant force added [N]; default: 0
            force: of x, added to the stiffness [N]; default: none
            damper: of v = dx/dt, added to the damping [N]; default: none
            actuator: of time [N]; default: none
            law: formula of x, v and t [N]; default: none
        """
        return self._add("forces", name, {
            "type": "tendon", "repeat": repeat, "if": if_, "when": when, "starts": starts,
            "ends": ends, "way": way, "stiffness": stiffness, "free_length": free_length,
            "damping": damping, "preload": preload, "force": force, "damper": damper,
            "actuator": actuator, "law": law})

    def road_flat(self, name: str,
            *, height: Number | None = None, friction: Number | None = None,
            patches: Sequence[Section] | None = None, repeat: Mapping[str, Numbers] | None = None,
            if_: Number | bool | None = None) -> str:
        """Adds a road of type flat; returns its name.

        Args:
            height: of the bump, or of the flat road [m]; default: 0
            friction: factor to the friction of tyres with a model; default: 1
            patches: areas with a friction of their own; default: none
            repeat: one entry for each number of a range; default: once
            if_: 0 leaves the entry out; default: 1
        """
        return self._add("roads", name, {
            "type": "flat", "height": height, "friction": friction, "patches": patches,
            "repeat": repeat, "if": if_})

    def road_polyline(self, name: str,
            *, points: Sequence[Numbers] | Numbers | None = None, speed: Number | None = None,
            friction: Number | None = None, patches: Sequence[Section] | None = None,
            repeat: Mapping[str, Numbers] | None = None, if_: Number | bool | None = None) -> str:
        """Adds a road of type polyline; returns its name.

        Args:
            points: [[x, z], ...], x increasing [m]; required
            speed: the profile moves along +x [m/s]; default: 0
            friction: factor to the friction of tyres with a model; default: 1
            patches: areas with a friction of their own; default: none
            repeat: one entry for each number of a range; default: once
            if_: 0 leaves the entry out; default: 1
        """
        return self._add("roads", name, {
            "type": "polyline", "points": points, "speed": speed, "friction": friction,
            "patches": patches, "repeat": repeat, "if": if_})

    def road_cosine_bump(self, name: str,
            *, start: Number | None = None, length: Number | None = None,
            height: Number | None = None, speed: Number | None = None,
            friction: Number | None = None, patches: Sequence[Section] | None = None,
            repeat: Mapping[str, Numbers] | None = None, if_: Number | bool | None = None) -> str:
        """Adds a road of type cosine-bump; returns its name.

        Args:
            start: x where the bump begins; middle of a cylinder [m]; default: 0
            length: of the bump [m]; required
            height: of the bump, or of the flat road [m]; default: 0
            speed: the profile moves along +x [m/s]; default: 0
            friction: factor to the friction of tyres with a model; default: 1
            patches: areas with a friction of their own; default: none
            repeat: one entry for each number of a range; default: once
            if_: 0 leaves the entry out; default: 1
        """
        return self._add("roads", name, {
            "type": "cosine-bump", "start": start, "length": length, "height": height,
            "speed": speed, "friction": friction, "patches": patches, "repeat": repeat, "if": if_})

    def road_half_cylinder(self, name: str,
            *, start: Number | None = None, radius: Number | None = None,
            envelope: Number | None = None, speed: Number | None = None,
            friction: Number | None = None, patches: Sequence[Section] | None = None,
            repeat: Mapping[str, Numbers] | None = None, if_: Number | bool | None = None) -> str:
        """Adds a road of type half-cylinder; returns its name.

        Args:
            start: x where the bump begins; middle of a cylinder [m]; default: 0
            radius: of the half cylinder [m]; required
            envelope: the path of a rigid disc of this radius instead of the raw profile [m];
                default: 0
            speed: the profile moves along +x [m/s]; default: 0
            friction: factor to the friction of tyres with a model; default: 1
            patches: areas with a friction of their own; default: none
            repeat: one entry for each number of a range; default: once
            if_: 0 leaves the entry out; default: 1
        """
        return self._add("roads", name, {
            "type": "half-cylinder", "start": start, "radius": radius, "envelope": envelope,
            "speed": speed, "friction": friction, "patches": patches, "repeat": repeat, "if": if_})

    def road_table(self, name: str,
            *, points: Sequence[Numbers] | Numbers | None = None, speed: Number | None = None,
            friction: Number | None = None, patches: Sequence[Section] | None = None,
            repeat: Mapping[str, Numbers] | None = None, if_: Number | bool | None = None) -> str:
        """Adds a road of type table; returns its name.

        Args:
            points: [[x, z], ...], x increasing [m]; required
            speed: the profile moves along +x [m/s]; default: 0
            friction: factor to the friction of tyres with a model; default: 1
            patches: areas with a friction of their own; default: none
            repeat: one entry for each number of a range; default: once
            if_: 0 leaves the entry out; default: 1
        """
        return self._add("roads", name, {
            "type": "table", "points": points, "speed": speed, "friction": friction,
            "patches": patches, "repeat": repeat, "if": if_})

    def road_plane(self, name: str,
            *, height: Number | None = None, slope: Number | None = None,
            bank: Number | None = None, friction: Number | None = None,
            patches: Sequence[Section] | None = None, repeat: Mapping[str, Numbers] | None = None,
            if_: Number | bool | None = None) -> str:
        """Adds a road of type plane; returns its name.

        Args:
            height: of the bump, or of the flat road [m]; default: 0
            slope: of a plane along x, m/m: up where x grows; default: 0
            bank: of a plane along y, m/m: up where y grows; default: 0
            friction: factor to the friction of tyres with a model; default: 1
            patches: areas with a friction of their own; default: none
            repeat: one entry for each number of a range; default: once
            if_: 0 leaves the entry out; default: 1
        """
        return self._add("roads", name, {
            "type": "plane", "height": height, "slope": slope, "bank": bank, "friction": friction,
            "patches": patches, "repeat": repeat, "if": if_})

    def road_height_field(self, name: str,
            *, file: str | None = None, origin: Numbers | None = None,
            spacing: Numbers | None = None, scale: Number | None = None,
            friction: Number | None = None, patches: Sequence[Section] | None = None,
            repeat: Mapping[str, Numbers] | None = None, if_: Number | bool | None = None) -> str:
        """Adds a road of type height-field; returns its name.

        Args:
            file: of heights (.csv, .npy: rows along x, the first at the least y; .png: grey,
                its top at the greatest y) or of OpenCRG; required
            origin: x and y of its first point [m]; default: [0, 0]
            spacing: of its points along x and y [m]; required
            scale: of its heights; of a picture: that of white, m; default: 1
            friction: factor to the friction of tyres with a model; default: 1
            patches: areas with a friction of their own; default: none
            repeat: one entry for each number of a range; default: once
            if_: 0 leaves the entry out; default: 1
        """
        return self._add("roads", name, {
            "type": "height-field", "file": file, "origin": origin, "spacing": spacing,
            "scale": scale, "friction": friction, "patches": patches, "repeat": repeat, "if": if_})

    def road_random(self, name: str,
            *, class_: str | None = None, seed: Number | None = None, track: Number | None = None,
            friction: Number | None = None, patches: Sequence[Section] | None = None,
            repeat: Mapping[str, Numbers] | None = None, if_: Number | bool | None = None) -> str:
        """Adds a road of type random; returns its name.

        Args:
            class_: of ISO 8608; required; one of A, B, C, D, E, F, G, H
            seed: another number is another road; default: 1
            track: distance of tracks with true coherence [m]; default: 1.5
            friction: factor to the friction of tyres with a model; default: 1
            patches: areas with a friction of their own; default: none
            repeat: one entry for each number of a range; default: once
            if_: 0 leaves the entry out; default: 1
        """
        return self._add("roads", name, {
            "type": "random", "class": class_, "seed": seed, "track": track, "friction": friction,
            "patches": patches, "repeat": repeat, "if": if_})

    def road_crg(self, name: str,
            *, file: str | None = None, friction: Number | None = None,
            patches: Sequence[Section] | None = None, repeat: Mapping[str, Numbers] | None = None,
            if_: Number | bool | None = None) -> str:
        """Adds a road of type crg; returns its name.

        Args:
            file: of heights (.csv, .npy: rows along x, the first at the least y; .png: grey,
                its top at the greatest y) or of OpenCRG; required
            friction: factor to the friction of tyres with a model; default: 1
            patches: areas with a friction of their own; default: none
            repeat: one entry for each number of a range; default: once
            if_: 0 leaves the entry out; default: 1
        """
        return self._add("roads", name, {
            "type": "crg", "file": file, "friction": friction, "patches": patches,
            "repeat": repeat, "if": if_})

    def contact(self, name: str,
            *, bodies: Sequence[str] | None = None, groups: Sequence[str] | None = None,
            joined: bool | None = None, material: str | None = None,
            restitution: Number | None = None, impact: str | None = None,
            friction: Number | None = None, static_friction: Number | None = None,
            law: str | None = None, stiffness: Number | None = None,
            exponent: Number | None = None, damping: Number | None = None,
            speed: Number | None = None, transition: Number | None = None,
            stribeck: Number | None = None, bristle_stiffness: Number | None = None,
            bristle_damping: Number | None = None, viscous_friction: Number | None = None,
            table: Law | None = None, repeat: Mapping[str, Numbers] | None = None,
            if_: Number | bool | None = None) -> str:
        """Adds a contact; returns its name.

        Args:
            bodies: that touch, with all their shapes but those with `contact: false`; default:
                none
            groups: instead: groups of shapes, one against the other, or one within itself;
                default: none
            joined: also bodies that a joint joins; default: true with `bodies:`
            material: whose values hold where none is given; default: none
            restitution: 0: stays, 1: bounces without loss; default: 0
            impact: rigid: restitution of speeds or of impulses; default: newton; one of newton,
                poisson
            friction: coefficient of sliding friction; default: 0
            static_friction: of sticking; default: that of sliding
            law: what keeps the bodies apart; default: rigid; one of rigid, linear, hertz,
                hunt-crossley, lankarani-nikravesh, flores, table, rolling, none
            stiffness: K of the law: force over depth^exponent; in SI; default: 1e6
            exponent: of the depth; default: 1.5; 1 of linear
            damping: linear: N s/m; others: s/m, the factor of the rate of depth; default: from
                the restitution
            speed: of the impact at which a law has its restitution [m/s]; default: 1
            transition: of laws that are not rigid: speed of slip below which friction falls to
                0 [m/s]; default: 0.001
            stribeck: of laws that are not rigid: speed over which friction falls from static to
                sliding [m/s]; default: 0.01
            bristle_stiffness: of laws that are not rigid: friction over normal force by
                deflection, 1/m; it sticks; default: 0: friction is smooth
            bristle_damping: of bristles: by the rate of their deflection, s/m; default:
                critical under the own weight
            viscous_friction: of bristles: by the speed of slip, s/m; default: 0
            table: force over depth; makes `law: table` [N]; default: none
            repeat: one entry for each number of a range; default: once
            if_: 0 leaves the entry out; default: 1
        """
        return self._add("contacts", name, {
            "bodies": bodies, "groups": groups, "joined": joined, "material": material,
            "restitution": restitution, "impact": impact, "friction": friction,
            "static_friction": static_friction, "law": law, "stiffness": stiffness,
            "exponent": exponent, "damping": damping, "speed": speed, "transition": transition,
            "stribeck": stribeck, "bristle_stiffness": bristle_stiffness,
            "bristle_damping": bristle_damping, "viscous_friction": viscous_friction,
            "table": table, "repeat": repeat, "if": if_})

    def material(self, name: str,
            *, restitution: Number | None = None, impact: str | None = None,
            friction: Number | None = None, static_friction: Number | None = None,
            law: str | None = None, stiffness: Number | None = None,
            exponent: Number | None = None, damping: Number | None = None,
            speed: Number | None = None, transition: Number | None = None,
            stribeck: Number | None = None, bristle_stiffness: Number | None = None,
            bristle_damping: Number | None = None, viscous_friction: Number | None = None,
            table: Law | None = None, repeat: Mapping[str, Numbers] | None = None,
            if_: Number | bool | None = None) -> str:
        """Adds a material; returns its name.

        Args:
            restitution: 0: stays, 1: bounces without loss; default: 0
            impact: rigid: restitution of speeds or of impulses; default: newton; one of newton,
                poisson
            friction: coefficient of sliding friction; default: 0
            static_friction: of sticking; default: that of sliding
            law: what keeps the bodies apart; default: rigid; one of rigid, linear, hertz,
                hunt-crossley, lankarani-nikravesh, flores, table, rolling, none
            stiffness: K of the law: force over depth^exponent; in SI; default: 1e6
            exponent: of the depth; default: 1.5; 1 of linear
            damping: linear: N s/m; others: s/m, the factor of the rate of depth; default: from
                the restitution
            speed: of the impact at which a law has its restitution [m/s]; default: 1
            transition: of laws that are not rigid: speed of slip below which friction falls to
                0 [m/s]; default: 0.001
            stribeck: of laws that are not rigid: speed over which friction falls from static to
                sliding [m/s]; default: 0.01
            bristle_stiffness: of laws that are not rigid: friction over normal force by
                deflection, 1/m; it sticks; default: 0: friction is smooth
            bristle_damping: of bristles: by the rate of their deflection, s/m; default:
                critical under the own weight
            viscous_friction: of bristles: by the speed of slip, s/m; default: 0
            table: force over depth; makes `law: table` [N]; default: none
            repeat: one entry for each number of a range; default: once
            if_: 0 leaves the entry out; default: 1
        """
        return self._add("materials", name, {
            "restitution": restitution, "impact": impact, "friction": friction,
            "static_friction": static_friction, "law": law, "stiffness": stiffness,
            "exponent": exponent, "damping": damping, "speed": speed, "transition": transition,
            "stribeck": stribeck, "bristle_stiffness": bristle_stiffness,
            "bristle_damping": bristle_damping, "viscous_friction": viscous_friction,
            "table": table, "repeat": repeat, "if": if_})

    def component(self, name: str,
            *, use: str | None = None, parameters: Mapping[str, Number] | None = None,
            inputs: Mapping[str, float | str] | None = None,
            mirror: str | Sequence[str] | None = None, position: Point | None = None,
            orientation: Section | None = None, bodies: Mapping[str, str] | None = None,
            repeat: Mapping[str, Numbers] | None = None, if_: Number | bool | None = None) -> str:
        """Adds a component; returns its name.

        Args:
            use: model file, relative to this one; required
            parameters: values for its parameters; default: those of the file
            inputs: formulas of signals for its inputs: {theirs: formula}; default: none
            mirror: mirrored in its own frame first; default: none
            position: where its origin is placed [m]; default: [0, 0, 0]
            orientation: how it is turned; default: not turned
            bodies: its external bodies: {theirs: ours}; default: none
            repeat: one entry for each number of a range; default: once
            if_: 0 leaves the entry out; default: 1
        """
        return self._add("components", name, {
            "use": use, "parameters": parameters, "inputs": inputs, "mirror": mirror,
            "position": position, "orientation": orientation, "bodies": bodies, "repeat": repeat,
            "if": if_})

    def input(self, name: str,
            *, value: Number | None = None, filter: Number | None = None,
            follows: str | None = None, every: Number | None = None,
            repeat: Mapping[str, Numbers] | None = None, if_: Number | bool | None = None) -> str:
        """Adds a input; returns its name.

        Args:
            value: until another is given; its unit is that of all; default: 0
            filter: time constant with which laws follow what is given; drivers need one [s];
                default: none
            follows: output whose value it is given while it runs; default: none
            every: with `follows`: time between two values [s]; default: 10 ms
            repeat: one entry for each number of a range; default: once
            if_: 0 leaves the entry out; default: 1
        """
        return self._add("inputs", name, {
            "value": value, "filter": filter, "follows": follows, "every": every,
            "repeat": repeat, "if": if_})

    def state(self, name: str,
            *, rate: Law | None = None, value: Law | None = None, follows: str | None = None,
            every: Number | None = None, when: Sequence[Numbers] | Numbers | None = None,
            of: Number | None = None, filter: Number | None = None, delay: Number | None = None,
            order: Number | None = None, damping: Number | None = None,
            transfer: Section | None = None, pid: Section | None = None,
            hysteresis: Numbers | None = None, initial: Number | None = None,
            repeat: Mapping[str, Numbers] | None = None, if_: Number | bool | None = None) -> str:
        """Adds a state; returns its name.

        Args:
            rate: its derivative by time, of signals and states; default: none
            value: of a state that is sampled: what it is set to; default: none
            follows: of a state that is sampled: an output, of any signals; default: none
            every: time between two samples [s]; default: 0
            when: of a state that changes at events: [condition, value] each; default: none
            of: of a block: what it reads, a formula of signals; default: none
            filter: block: time constant of a low pass [s]; default: none
            delay: block: late by this time [s]; default: none
            order: of a filter, or of what stands for a delay in linearizations; default: 1, of
                a delay 4
            damping: of a filter of order 2; default: sqrt(0.5)
            transfer: block: transfer function; default: none
            pid: block: controller; its name is that of an output; default: none
            hysteresis: block: 1 above the second, 0 below the first number; default: none
            initial: at the start; its unit is that of the state; default: 0
            repeat: one entry for each number of a range; default: once
            if_: 0 leaves the entry out; default: 1
        """
        return self._add("states", name, {
            "rate": rate, "value": value, "follows": follows, "every": every, "when": when,
            "of": of, "filter": filter, "delay": delay, "order": order, "damping": damping,
            "transfer": transfer, "pid": pid, "hysteresis": hysteresis, "initial": initial,
            "repeat": repeat, "if": if_})

    def table(self, name: str,
            *, table: Sequence[Numbers] | Numbers | str | None = None,
            columns: Sequence[str | int] | None = None, units: Sequence[str | int] | None = None,
            x: Numbers | None = None, y: Numbers | None = None, values: Numbers | None = None,
            map: str | None = None, interpolation: str | None = None, outside: str | None = None,
            periodic: bool | None = None, repeat: Mapping[str, Numbers] | None = None,
            if_: Number | bool | None = None) -> str:
        """Adds a table; returns its name.

        Args:
            table: of one variable: [[x, y], ...], x increasing, or a file (.csv, .npy);
                default: none
            columns: of the file: names, or numbers from 1; default: the first two
            units: of these two columns; default: SI
            x: of two variables: the first, increasing; default: none
            y: the second; default: none
            values: at all points, x running fastest; default: none
            map: instead: a file, whose first row has x and whose first column has y; default:
                none
            interpolation: between points; default: spline; one of spline, linear, monotone,
                akima
            outside: beyond the ends; of two variables not error; default: tangent; one of
                tangent, hold, error
            periodic: of one variable: it repeats itself; default: false
            repeat: one entry for each number of a range; default: once
            if_: 0 leaves the entry out; default: 1
        """
        return self._add("tables", name, {
            "table": table, "columns": columns, "units": units, "x": x, "y": y, "values": values,
            "map": map, "interpolation": interpolation, "outside": outside, "periodic": periodic,
            "repeat": repeat, "if": if_})

    def output(self, name: str,
            *, value: Number | None = None, unit: str | None = None,
            repeat: Mapping[str, Numbers] | None = None, if_: Number | bool | None = None) -> str:
        """Adds a output; returns its name.

        Args:
            value: formula of signals; required
            unit: unit of the result; the value is converted to it; default: SI
            repeat: one entry for each number of a range; default: once
            if_: 0 leaves the entry out; default: 1
        """
        return self._add("outputs", name, {
            "value": value, "unit": unit, "repeat": repeat, "if": if_})

    def start(self,
            *, speed: Number | None = None, from_: str | None = None, then: Section | None = None) -> None:
        """How a run begins.

        Args:
            speed: every body moves along x with it, and wheels with tyres of a model roll
                [m/s]; default: none
            from_: begin as drawn, or in static equilibrium; default: drawing; one of drawing,
                equilibrium
            then: with `from: equilibrium`: what is changed after that; default: at rest
        """
        self._set("initial", {
            "speed": speed, "from": from_, "then": then})

    def defaults(self,
            *, time: Number | None = None, output_step: Number | None = None,
            tol: Number | None = None, atol: Number | None = None, rtol: Number | None = None,
            step: Number | None = None, max_step: Number | None = None,
            coordinates: str | None = None, method: str | None = None, formula: str | None = None,
            independent: str | None = None, xi: Number | None = None, alpha: Number | None = None,
            rho: Number | None = None, penalty: Number | None = None,
            max_iterations: Number | None = None, energy_upper: Number | None = None,
            energy_lower: Number | None = None, switch_step: Number | None = None,
            projection: str | None = None, gamma: Number | None = None) -> None:
        """What the author suggests for runs.

        Args:
            time: end of the run [s]; default: 0
            output_step: time between results [s]; default: time / 500
            tol: absolute and relative tolerance; at least 1e-15; default: 1e-4
            atol: absolute tolerance; default: tol
            rtol: relative tolerance; default: tol
            step: fixed step instead of error control [s]; default: steps follow the tolerance
            max_step: longest step [s]; default: none
            coordinates: coordinates of the equations; default: auto; one of auto, cartesian,
                natural, relative
            method: how constraints are kept; default: auto; one of auto, first-order,
                descriptor, descriptor-form, state-space, augmented-lagrangian-3,
                augmented-lagrangian-1, multi-index, components
            formula: integration formula; default: auto; one of auto, dopri5, adams,
                trapezoidal, newmark, hht, generalized-alpha, sdirk2, sdirk4-16, sdirk4-15,
                rosenbrock
            independent: independent coordinates; default: auto; one of auto, none, partition,
                tangent-plane
            xi: damping of formula newmark, 0 to 1; default: 0.1
            alpha: damping of formula hht, -1/3 to 0; default: -0.1
            rho: formula generalized-alpha: spectral radius for infinite stiffness, 0 to 1;
                default: 0.8
            penalty: penalty factor of augmented Lagrangian methods; default: automatic
            max_iterations: Newton iterations in a stage at most, 1 to 100; default: automatic
            energy_upper: method multi-index: a step that changes the energy by more is
                repeated, shorter; default: from the tolerance
            energy_lower: method multi-index: after a step that changes the energy by less the
                next is longer; default: 1/265 of the upper
            switch_step: method multi-index: index 1 for shorter steps, 3 for longer ones [s];
                default: automatic
            projection: augmented Lagrangian methods: metric in which velocities are projected;
                default: auto; one of auto, tangent, mass-orthogonal, none
            gamma: formula sdirk2: diagonal, 0.25 to 2; order 3 with 0.788675 alone, else 2;
                default: 0.788675
        """
        self._set("simulation", {
            "time": time, "output_step": output_step, "tol": tol, "atol": atol, "rtol": rtol,
            "step": step, "max_step": max_step, "coordinates": coordinates, "method": method,
            "formula": formula, "independent": independent, "xi": xi, "alpha": alpha, "rho": rho,
            "penalty": penalty, "max_iterations": max_iterations, "energy_upper": energy_upper,
            "energy_lower": energy_lower, "switch_step": switch_step, "projection": projection,
            "gamma": gamma})
