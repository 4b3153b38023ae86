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
            at: position [m]; required
            repeat: one entry for each number of a range; default: once
            if_: 0 omits the entry; default: 1
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
            mass: mass of the body; if omitted, computed from a shape and its `density` [kg];
                required, or a density
            center: center of mass, in the body frame [m]; default: [0, 0, 0]
            inertia: about the center of mass, in body axes: xx yy zz, or xx yy zz xy xz yz [kg
                m^2]; default: 0
            inertia_at: reference point of `inertia` [m]; default: center of mass
            density: defines the mass of the solid, or mass, center and inertia of the shapes
                [kg/m^3]; default: none
            solid: solid that defines the inertia, centered at `center`; default: none
            shape: shape, for display and contact; default: displayed by links between the
                joints
            shapes: list of shapes; default: none
            position: position of the body frame in the reference configuration [m]; default:
                [0, 0, 0]
            orientation: orientation of the body frame; default: not turned
            markers: named points and axes of the body; default: none
            initial: initial position and velocity; default: reference configuration, at rest
            external: in a component: a body that the using model provides; default: false
            repeat: one entry for each number of a range; default: once
            if_: 0 omits the entry; default: 1
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
            coordinate: which of its coordinates; default: the only one
            point: drives a marker of a body; default: none
            of: relative to the frame of this body; default: ground
            direction: along this direction, in global axes at the start; required
            distance: drives the distance of two points [m]; default: none
            bodies: the bodies the two points are on; required
            motion: value as a function of t; required
            repeat: one entry for each number of a range; default: once
            if_: 0 omits the entry; default: 1
            when: active while this condition on signals is true; default: always
            starts: becomes active when this condition is true; default: at once
            ends: becomes inactive when this condition is true; default: never
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
            if_: 0 omits the entry; default: 1
            when: active while this condition on signals is true; default: always
            starts: becomes active when this condition is true; default: at once
            ends: becomes inactive when this condition is true; default: never
            bodies: first and second body; required
            points: one on each body, in global axes at the start [m]; required
            markers: instead of bodies and points; default: none
            stiffness: force per meter of extension [N/m]; default: 0
            free_length: unloaded length [m]; default: reference configuration
            damping: force per m/s of extension rate [N s/m]; default: 0
            preload: constant force added [N]; default: 0
            force: function of x, added to the stiffness term [N]; default: none
            damper: function of v = dx/dt, added to the damping term [N]; default: none
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
            if_: 0 omits the entry; default: 1
            when: active while this condition on signals is true; default: always
            starts: becomes active when this condition is true; default: at once
            ends: becomes inactive when this condition is true; default: never
            joint: on whose coordinate it acts; required
            coordinate: which of its coordinates; default: its only one
            stiffness: force per m, or torque per rad; default: 0
            free: unloaded coordinate; default: 0
            damping: force per m/s, or torque per rad/s; default: 0
            preload: constant force added; default: 0
            force: function of x, added to the stiffness term; default: none
            damper: function of v = dx/dt, added to the damping term; default: none
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
            if_: 0 omits the entry; default: 1
            when: active while this condition on signals is true; default: always
            starts: becomes active when this condition is true; default: at once
            ends: becomes inactive when this condition is true; default: never
            joint: a joint with an angle; default: none
            coordinate: angle or angle2; default: the only angle
            bodies: without a joint: the two bodies; default: none
            at: without a joint: the point [m]; default: center of the second body
            axis: without a joint: the axis, on the first; default: none
            stiffness: torque per radian [N m/rad]; default: 0
            free_angle: unloaded angle [rad]; default: 0
            damping: torque per rad/s [N m s/rad]; default: 0
            preload: constant torque added [N m]; default: 0
            torque: function of x, added to the stiffness term [N m]; default: none
            damper: function of v = dx/dt, added to the damping term [N m]; default: none
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
            if_: 0 omits the entry; default: 1
            when: active while this condition on signals is true; default: always
            starts: becomes active when this condition is true; default: at once
            ends: becomes inactive when this condition is true; default: never
            bodies: first and second body; required
            stiffness: torque per radian [N m/rad]; default: 0
            damping: torque per rad/s [N m s/rad]; default: 0
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
            if_: 0 omits the entry; default: 1
            when: active while this condition on signals is true; default: always
            starts: becomes active when this condition is true; default: at once
            ends: becomes inactive when this condition is true; default: never
            bodies: first and second body; required
            at: its center [m]; required
            axis: z axis of the bushing, on the first body; default: z
            reference: its x axis; default: x
            markers: alternative to bodies, at and axis: unloaded if the markers coincide;
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
            if_: 0 omits the entry; default: 1
            when: active while this condition on signals is true; default: always
            starts: becomes active when this condition is true; default: at once
            ends: becomes inactive when this condition is true; default: never
            bodies: first and second body; required
            points: one on each body, in global axes at the start [m]; required
            markers: instead of bodies and points; default: none
            axis: direction of the force, on the first body; required
            offset: length = axis . (first - second) - offset [m]; default: 0
            stiffness: force per meter of length [N/m]; default: 0
            free_length: unloaded length [m]; default: reference configuration
            damping: force per m/s of extension rate [N s/m]; default: 0
            preload: constant force added [N]; default: 0
            force: function of x, added to the stiffness term [N]; default: none
            damper: function of v = dx/dt, added to the damping term [N]; default: none
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
            if_: 0 omits the entry; default: 1
            when: active while this condition on signals is true; default: always
            starts: becomes active when this condition is true; default: at once
            ends: becomes inactive when this condition is true; default: never
            body: body it acts on; required
            at: point of action [m]; default: center of mass
            force: components along x, y, z [N]; required
            following: true: in body axes; default: false
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
            if_: 0 omits the entry; default: 1
            when: active while this condition on signals is true; default: always
            starts: becomes active when this condition is true; default: at once
            ends: becomes inactive when this condition is true; default: never
            body: body it acts on; default: none
            joint: on the second body along the coordinate, against the first; default: none
            coordinate: with `joint`: which coordinate; default: the only one
            torque: three functions of t for a body, one for a joint [N m]; required
            following: true: in body axes; default: false
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
            if_: 0 omits the entry; default: 1
            when: active while this condition on signals is true; default: always
            starts: becomes active when this condition is true; default: at once
            ends: becomes inactive when this condition is true; default: never
            joint: on whose coordinate it acts; required
            coordinate: which of its coordinates; default: its only one
            force: friction force, for a displacement [N]; default: none
            torque: friction torque, for an angle [N m]; default: none
            static_force: static friction force, for a displacement [N]; default: force
            static_torque: static friction torque, for an angle [N m]; default: torque
            transition: transition speed of regularized friction; default: 0: exact sticking
            stiffness: stiffness at rest, up to the friction limit; default: 0: it creeps
            damping: damping at rest; default: 0
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
            damping: Number | None = None, restitution: Number | None = None,
            time_constant: Number | None = None, damping_ratio: Number | None = None,
            impedance: Numbers | None = None) -> str:
        """Adds a force of type joint-stop; returns its name.

        Args:
            repeat: one entry for each number of a range; default: once
            if_: 0 omits the entry; default: 1
            when: active while this condition on signals is true; default: always
            starts: becomes active when this condition is true; default: at once
            ends: becomes inactive when this condition is true; default: never
            joint: on whose coordinate it acts; required
            coordinate: which of its coordinates; default: its only one
            lower: lower end; default: none
            upper: upper end; default: none
            stiffness: beyond the ends; default: rigid
            damping: beyond the ends; no adhesion; default: 0
            restitution: rigid stop: 0 inelastic, 1 elastic; default: 0
            time_constant: rigid stop that gives way in time stepping, as a soft contact [s];
                default: 0: rigid
            damping_ratio: with `time_constant`; default: 1
            impedance: with `time_constant`; depths in m or rad; default: [0.9, 0.95, 0.001,
                0.5, 2]
        """
        return self._add("forces", name, {
            "type": "joint-stop", "repeat": repeat, "if": if_, "when": when, "starts": starts,
            "ends": ends, "joint": joint, "coordinate": coordinate, "lower": lower,
            "upper": upper, "stiffness": stiffness, "damping": damping,
            "restitution": restitution, "time_constant": time_constant,
            "damping_ratio": damping_ratio, "impedance": impedance})

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
            if_: 0 omits the entry; default: 1
            when: active while this condition on signals is true; default: always
            starts: becomes active when this condition is true; default: at once
            ends: becomes inactive when this condition is true; default: never
            body: the wheel; required
            at: center of the wheel [m]; default: center of mass
            model: property file (.tir) or force table (.csv) for lateral and longitudinal
                forces; default: none: normal load only
            side: mounting side; mirrored if it differs from that of the file; default: file;
                one of file, left, right
            spin_axis: with a model: to the left; default: [0, 1, 0]
            relaxation: with a model: true: transient slip with relaxation lengths; default:
                false
            low_speed: with a model: low-speed limit; below half of it the tyre counts as
                standing [m/s]; default: 0.5
            radius: without load [m]; default: from the model; required without one
            stiffness: normal to the road [N/m]; default: from the model; required without one
            damping: normal to the road [N s/m]; default: 0, or from the model
            road: road it rolls on; required
            contact: contact point: below the center, or the closest point of the road; default:
                vertical; one of vertical, radial
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
            if_: 0 omits the entry; default: 1
            when: active while this condition on signals is true; default: always
            starts: becomes active when this condition is true; default: at once
            ends: becomes inactive when this condition is true; default: never
            way: routing path, a list of: {body, at}, {around: {body, at, axis, radius, side}},
                {pulley: divisor}; required
            stiffness: force per meter of extension [N/m]; default: 0
            free_length: unloaded length [m]; default: reference configuration
            damping: force per m/s of extension rate [N s/m]; default: 0
            preload: constant force added [N]; default: 0
            force: function of x, added to the stiffness term [N]; default: none
            damper: function of v = dx/dt, added to the damping term [N]; default: none
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
            friction: friction factor for tyres with a model; default: 1
            patches: areas with different friction; default: none
            repeat: one entry for each number of a range; default: once
            if_: 0 omits the entry; default: 1
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
            friction: friction factor for tyres with a model; default: 1
            patches: areas with different friction; default: none
            repeat: one entry for each number of a range; default: once
            if_: 0 omits the entry; default: 1
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
            start: start of the bump along x; center of a cylinder [m]; default: 0
            length: of the bump [m]; required
            height: of the bump, or of the flat road [m]; default: 0
            speed: the profile moves along +x [m/s]; default: 0
            friction: friction factor for tyres with a model; default: 1
            patches: areas with different friction; default: none
            repeat: one entry for each number of a range; default: once
            if_: 0 omits the entry; default: 1
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
            start: start of the bump along x; center of a cylinder [m]; default: 0
            radius: of the half cylinder [m]; required
            envelope: replaces the profile by the path of a rigid disc of this radius [m];
                default: 0
            speed: the profile moves along +x [m/s]; default: 0
            friction: friction factor for tyres with a model; default: 1
            patches: areas with different friction; default: none
            repeat: one entry for each number of a range; default: once
            if_: 0 omits the entry; default: 1
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
            friction: friction factor for tyres with a model; default: 1
            patches: areas with different friction; default: none
            repeat: one entry for each number of a range; default: once
            if_: 0 omits the entry; default: 1
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
            slope: slope of a plane along x, m/m; default: 0
            bank: slope of a plane along y, m/m; default: 0
            friction: friction factor for tyres with a model; default: 1
            patches: areas with different friction; default: none
            repeat: one entry for each number of a range; default: once
            if_: 0 omits the entry; default: 1
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
            file: height field (.csv, .npy: one line per y, min y first; .png: gray, top at max
                y) or OpenCRG; required
            origin: x, y of the first point [m]; default: [0, 0]
            spacing: grid spacing along x and y [m]; required
            scale: factor of the heights; .png: height of white, m; default: 1
            friction: friction factor for tyres with a model; default: 1
            patches: areas with different friction; default: none
            repeat: one entry for each number of a range; default: once
            if_: 0 omits the entry; default: 1
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
            seed: seed of the random numbers; default: 1
            track: track width, for coherent left and right profiles [m]; default: 1.5
            friction: friction factor for tyres with a model; default: 1
            patches: areas with different friction; default: none
            repeat: one entry for each number of a range; default: once
            if_: 0 omits the entry; default: 1
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
            file: height field (.csv, .npy: one line per y, min y first; .png: gray, top at max
                y) or OpenCRG; required
            friction: friction factor for tyres with a model; default: 1
            patches: areas with different friction; default: none
            repeat: one entry for each number of a range; default: once
            if_: 0 omits the entry; default: 1
        """
        return self._add("roads", name, {
            "type": "crg", "file": file, "friction": friction, "patches": patches,
            "repeat": repeat, "if": if_})

    def contact(self, name: str,
            *, bodies: Sequence[str] | None = None, groups: Sequence[str] | None = None,
            joined: bool | None = None, material: str | None = None,
            restitution: Number | None = None, impact: str | None = None,
            friction: Number | None = None, static_friction: Number | None = None,
            torsional_friction: Number | None = None, rolling_friction: Number | None = None,
            law: str | None = None, stiffness: Number | None = None,
            exponent: Number | None = None, damping: Number | None = None,
            speed: Number | None = None, transition: Number | None = None,
            stribeck: Number | None = None, bristle_stiffness: Number | None = None,
            bristle_damping: Number | None = None, viscous_friction: Number | None = None,
            compliance: Number | None = None, time_constant: Number | None = None,
            damping_ratio: Number | None = None, impedance: Numbers | None = None,
            table: Law | None = None, repeat: Mapping[str, Numbers] | None = None,
            if_: Number | bool | None = None) -> str:
        """Adds a contact; returns its name.

        Args:
            bodies: the two bodies, with all shapes except those with `contact: false`; default:
                none
            groups: alternative: two groups of shapes, or one group within itself; default: none
            joined: true: also between bodies connected by a joint; default: true with `bodies:`
            material: material with the default values; default: none
            restitution: 0: inelastic, 1: elastic; not for `linear` and `hertz`; default: 0
            impact: rigid: restitution of velocities or impulses; default: newton; one of
                newton, poisson
            friction: coefficient of sliding friction; default: 0
            static_friction: of sticking; default: the sliding coefficient
            torsional_friction: rigid, soft: torque about the normal per normal force [m];
                default: 0
            rolling_friction: rigid, soft: torque against rolling per normal force [m]; default:
                0
            law: contact law; default: rigid; one of rigid, linear, hertz, hunt-crossley,
                lankarani-nikravesh, flores, table, rolling, soft, none
            stiffness: K of the contact law: force/depth^exponent, SI units; default: 1e6
            exponent: exponent of the depth; default: 1.5; linear: 1
            damping: linear, soft: N s/m; others: s/m, factor of the penetration rate; default:
                from the restitution; linear, hertz: 0
            speed: impact speed at which the contact law rebounds with `restitution` [m/s];
                default: 1
            transition: compliant laws: slip speed below which friction falls to 0 [m/s];
                default: 0.001
            stribeck: compliant laws: speed range of the transition from static to sliding
                friction [m/s]; default: 0.01
            bristle_stiffness: compliant laws: bristle stiffness per normal force, 1/m; sticks;
                default: 0: friction is smooth
            bristle_damping: bristle damping per normal force, s/m; default: critical damping
                under its own weight
            viscous_friction: with bristles: viscous friction per normal force, s/m; default: 0
            compliance: soft: depth per force, m/N; default: 0: rigid
            time_constant: soft: 2/b, for the inertia that a point feels [s]; default: 0: rigid
            damping_ratio: with `time_constant`: of the oscillator; default: 1
            impedance: with `time_constant`: fraction of the force at the surface, at depth,
                that depth (m), midpoint, power; default: [0.9, 0.95, 0.001, 0.5, 2]
            table: force as a function of depth; selects the contact law `table` [N]; default:
                none
            repeat: one entry for each number of a range; default: once
            if_: 0 omits the entry; default: 1
        """
        return self._add("contacts", name, {
            "bodies": bodies, "groups": groups, "joined": joined, "material": material,
            "restitution": restitution, "impact": impact, "friction": friction,
            "static_friction": static_friction, "torsional_friction": torsional_friction,
            "rolling_friction": rolling_friction, "law": law, "stiffness": stiffness,
            "exponent": exponent, "damping": damping, "speed": speed, "transition": transition,
            "stribeck": stribeck, "bristle_stiffness": bristle_stiffness,
            "bristle_damping": bristle_damping, "viscous_friction": viscous_friction,
            "compliance": compliance, "time_constant": time_constant,
            "damping_ratio": damping_ratio, "impedance": impedance, "table": table,
            "repeat": repeat, "if": if_})

    def material(self, name: str,
            *, restitution: Number | None = None, impact: str | None = None,
            friction: Number | None = None, static_friction: Number | None = None,
            torsional_friction: Number | None = None, rolling_friction: Number | None = None,
            law: str | None = None, stiffness: Number | None = None,
            exponent: Number | None = None, damping: Number | None = None,
            speed: Number | None = None, transition: Number | None = None,
            stribeck: Number | None = None, bristle_stiffness: Number | None = None,
            bristle_damping: Number | None = None, viscous_friction: Number | None = None,
            compliance: Number | None = None, time_constant: Number | None = None,
            damping_ratio: Number | None = None, impedance: Numbers | None = None,
            table: Law | None = None, repeat: Mapping[str, Numbers] | None = None,
            if_: Number | bool | None = None) -> str:
        """Adds a material; returns its name.

        Args:
            restitution: 0: inelastic, 1: elastic; not for `linear` and `hertz`; default: 0
            impact: rigid: restitution of velocities or impulses; default: newton; one of
                newton, poisson
            friction: coefficient of sliding friction; default: 0
            static_friction: of sticking; default: the sliding coefficient
            torsional_friction: rigid, soft: torque about the normal per normal force [m];
                default: 0
            rolling_friction: rigid, soft: torque against rolling per normal force [m]; default:
                0
            law: contact law; default: rigid; one of rigid, linear, hertz, hunt-crossley,
                lankarani-nikravesh, flores, table, rolling, soft, none
            stiffness: K of the contact law: force/depth^exponent, SI units; default: 1e6
            exponent: exponent of the depth; default: 1.5; linear: 1
            damping: linear, soft: N s/m; others: s/m, factor of the penetration rate; default:
                from the restitution; linear, hertz: 0
            speed: impact speed at which the contact law rebounds with `restitution` [m/s];
                default: 1
            transition: compliant laws: slip speed below which friction falls to 0 [m/s];
                default: 0.001
            stribeck: compliant laws: speed range of the transition from static to sliding
                friction [m/s]; default: 0.01
            bristle_stiffness: compliant laws: bristle stiffness per normal force, 1/m; sticks;
                default: 0: friction is smooth
            bristle_damping: bristle damping per normal force, s/m; default: critical damping
                under its own weight
            viscous_friction: with bristles: viscous friction per normal force, s/m; default: 0
            compliance: soft: depth per force, m/N; default: 0: rigid
            time_constant: soft: 2/b, for the inertia that a point feels [s]; default: 0: rigid
            damping_ratio: with `time_constant`: of the oscillator; default: 1
            impedance: with `time_constant`: fraction of the force at the surface, at depth,
                that depth (m), midpoint, power; default: [0.9, 0.95, 0.001, 0.5, 2]
            table: force as a function of depth; selects the contact law `table` [N]; default:
                none
            repeat: one entry for each number of a range; default: once
            if_: 0 omits the entry; default: 1
        """
        return self._add("materials", name, {
            "restitution": restitution, "impact": impact, "friction": friction,
            "static_friction": static_friction, "torsional_friction": torsional_friction,
            "rolling_friction": rolling_friction, "law": law, "stiffness": stiffness,
            "exponent": exponent, "damping": damping, "speed": speed, "transition": transition,
            "stribeck": stribeck, "bristle_stiffness": bristle_stiffness,
            "bristle_damping": bristle_damping, "viscous_friction": viscous_friction,
            "compliance": compliance, "time_constant": time_constant,
            "damping_ratio": damping_ratio, "impedance": impedance, "table": table,
            "repeat": repeat, "if": if_})

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
            inputs: formulas for its inputs: {NAME: formula}; default: none
            mirror: mirror axes, in its own frame, applied first; default: none
            position: position of its origin [m]; default: [0, 0, 0]
            orientation: orientation; default: not turned
            bodies: its external bodies: {BODY_OF_COMPONENT: BODY_HERE}; default: none
            repeat: one entry for each number of a range; default: once
            if_: 0 omits the entry; default: 1
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
            value: initial value; defines the unit; default: 0
            filter: time constant of a low-pass filter on the input; required for drivers [s];
                default: none
            follows: output that sets its value during a run; default: none
            every: with `follows`: sampling time [s]; default: 10 ms
            repeat: one entry for each number of a range; default: once
            if_: 0 omits the entry; default: 1
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
            hysteresis: Numbers | None = None, fmu: Section | None = None,
            initial: Number | None = None, repeat: Mapping[str, Numbers] | None = None,
            if_: Number | bool | None = None) -> str:
        """Adds a state; returns its name.

        Args:
            rate: time derivative, a formula of signals and states; default: none
            value: sampled state: new value; default: none
            follows: sampled state: output to sample; default: none
            every: time between two samples [s]; default: 0
            when: event-driven state: list of [condition, value]; default: none
            of: block: input, a formula of signals; default: none
            filter: block: low-pass filter with this time constant [s]; default: none
            delay: block: delay by this time [s]; default: none
            order: order of a filter, or of the delay approximation in linearizations; default:
                1; delay: 4
            damping: damping ratio of a filter of order 2; default: sqrt(0.5)
            transfer: block: transfer function; default: none
            pid: block: controller; defines an output of the same name; default: none
            hysteresis: block: relay [low, high]: 1 above high, 0 below low; default: none
            fmu: sampled states: outputs of an FMU; with every; default: none
            initial: initial value; defines the unit; default: 0
            repeat: one entry for each number of a range; default: once
            if_: 0 omits the entry; default: 1
        """
        return self._add("states", name, {
            "rate": rate, "value": value, "follows": follows, "every": every, "when": when,
            "of": of, "filter": filter, "delay": delay, "order": order, "damping": damping,
            "transfer": transfer, "pid": pid, "hysteresis": hysteresis, "fmu": fmu,
            "initial": initial, "repeat": repeat, "if": if_})

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
            columns: columns of the file: names, or numbers from 1; default: the first two
            units: units of these columns; default: SI
            x: two variables: grid of the first, increasing; default: none
            y: the second; default: none
            values: values at all grid points, x varies fastest; default: none
            map: alternative: a file with x in the first row and y in the first column; default:
                none
            interpolation: between points; default: spline; one of spline, linear, monotone,
                akima
            outside: beyond the ends; not error for two variables; default: tangent; one of
                tangent, hold, error
            periodic: one variable: periodic; default: false
            repeat: one entry for each number of a range; default: once
            if_: 0 omits the entry; default: 1
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
            unit: unit of the result; default: SI
            repeat: one entry for each number of a range; default: once
            if_: 0 omits the entry; default: 1
        """
        return self._add("outputs", name, {
            "value": value, "unit": unit, "repeat": repeat, "if": if_})

    def start(self,
            *, speed: Number | None = None, from_: str | None = None, then: Section | None = None) -> None:
        """How a run begins.

        Args:
            speed: speed of all bodies along x; wheels with tyre models roll [m/s]; default:
                none
            from_: start in the reference configuration or in static equilibrium; default:
                drawing; one of drawing, equilibrium
            then: with `from: equilibrium`: changes applied afterwards; default: at rest
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
            output_step: time between output samples [s]; default: time / 500
            tol: absolute and relative tolerance; at least 1e-15; default: 1e-6, with a fixed
                step 1e-4
            atol: absolute tolerance; default: tol
            rtol: relative tolerance; default: tol
            step: fixed step instead of error control [s]; default: steps follow the tolerance
            max_step: longest step [s]; default: none
            coordinates: coordinates of the equations; default: auto; one of auto, cartesian,
                natural, relative
            method: how constraints are kept; default: auto; one of auto, first-order,
                descriptor, descriptor-form, state-space, augmented-lagrangian-3,
                augmented-lagrangian-1, multi-index, components, time-stepping
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
