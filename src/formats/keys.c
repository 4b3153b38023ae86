// The table of the keys of a model file. One entry per key: name, type, meaning of the number,
// detail, default, description.
//
// Sections with variants (joints, forces, roads) have one for each `type:`. Out of scope: the code
// that uses the values (load_*.c).
#include "formats/keys.h"
#include "base/error.h"
#include "elements/force_types.h"
#include "holon/simulation.h"
#include "model/joint_types.h"

#include <string.h>

#define REQUIRED HN_REQUIRED
#define ENTRY_ROWS HN_ENTRY_ROWS
#define TYPE_ROW(words) HN_TYPE_ROW(words)

static const hn_key model_keys[] = {
    {"holon", HN_KEY_NUMBER, HN_NUMBER, "", "1", "version of the format"},
    {"name", HN_KEY_TEXT, HN_NUMBER, "", "name of the file",
     "short name for files and tables, one word"},
    {"title", HN_KEY_TEXT, HN_NUMBER, "", "name", "one-line description for reports"},
    {"parameters", HN_KEY_PARAMETERS, HN_ANYTHING, "", "none", "named numbers"},
    {"inputs", HN_KEY_ENTRIES, HN_NUMBER, "input", "none", "values that change during a run"},
    {"states", HN_KEY_ENTRIES, HN_NUMBER, "state", "none",
     "variables with their own equations: filters, controllers, motors"},
    {"tables", HN_KEY_ENTRIES, HN_NUMBER, "table", "none",
     "functions of one or two numbers, for use in formulas"},
    {"gravity", HN_KEY_VECTOR, HN_ACCELERATION, "", "none", "acceleration of gravity"},
    {"points", HN_KEY_ENTRIES, HN_NUMBER, "point", "none",
     "named positions in the reference configuration"},
    {"bodies", HN_KEY_ENTRIES, HN_NUMBER, "body", "none", "rigid bodies"},
    {"joints", HN_KEY_ENTRIES, HN_NUMBER, "joint", "none", "connections between bodies"},
    {"drivers", HN_KEY_ENTRIES, HN_NUMBER, "driver", "none", "prescribed motions"},
    {"forces", HN_KEY_ENTRIES, HN_NUMBER, "force", "none", "springs, dampers, loads, tyres"},
    {"roads", HN_KEY_ENTRIES, HN_NUMBER, "road", "none", "height profiles for tyres"},
    {"contacts", HN_KEY_ENTRIES, HN_NUMBER, "contact", "none",
     "which shapes can be in contact, and how"},
    {"materials", HN_KEY_ENTRIES, HN_NUMBER, "material", "none", "values shared by contacts"},
    {"components", HN_KEY_ENTRIES, HN_NUMBER, "component", "none",
     "other model files used in this one"},
    {"outputs", HN_KEY_ENTRIES, HN_NUMBER, "output", "none", "quantities to record"},
    {"figures", HN_KEY_ENTRIES, HN_NUMBER, "figure", "none",
     "metrics and curves of outputs, for reports"},
    {"initial", HN_KEY_SECTION, HN_NUMBER, "initial", "reference configuration, at rest",
     "how a run starts"},
    {"simulation", HN_KEY_SECTION, HN_NUMBER, "simulation", "none", "default options of a run"},
    {"border", HN_KEY_NAMES, HN_NUMBER, "body", "all bodies",
     "in a component: the interface bodies, which other files may use"},
};

static const hn_key point_keys[] = {
    {"at", HN_KEY_POINT, HN_LENGTH, "", REQUIRED, "position"},
    ENTRY_ROWS,
};

static const hn_key body_keys[] = {
    {"mass", HN_KEY_NUMBER, HN_MASS, "", "required, or a density",
     "mass of the body; if omitted, computed from a shape and its `density`"},
    {"center", HN_KEY_POINT, HN_LENGTH, "", "[0, 0, 0]", "center of mass, in the body frame"},
    {"inertia", HN_KEY_INERTIA, HN_INERTIA, "", "0",
     "about the center of mass, in body axes: xx yy zz, or xx yy zz xy xz yz"},
    {"inertia_at", HN_KEY_POINT, HN_LENGTH, "", "center of mass", "reference point of `inertia`"},
    {"density", HN_KEY_NUMBER, HN_DENSITY, "", "none",
     "defines the mass of the solid, or mass, center and inertia of the shapes"},
    {"solid", HN_KEY_SECTION, HN_NUMBER, "solid", "none",
     "solid that defines the inertia, centered at `center`"},
    {"shape", HN_KEY_SECTION, HN_NUMBER, "shape", "displayed by links between the joints",
     "shape, for display and contact"},
    {"shapes", HN_KEY_LIST, HN_NUMBER, "shape", "none", "list of shapes"},
    {"position", HN_KEY_POINT, HN_LENGTH, "", "[0, 0, 0]",
     "position of the body frame in the reference configuration"},
    {"orientation", HN_KEY_ORIENTATION, HN_NUMBER, "", "not turned",
     "orientation of the body frame"},
    {"markers", HN_KEY_ENTRIES, HN_NUMBER, "marker", "none", "named points and axes of the body"},
    {"initial", HN_KEY_SECTION, HN_NUMBER, "body-initial", "reference configuration, at rest",
     "initial position and velocity"},
    {"external", HN_KEY_BOOLEAN, HN_NUMBER, "", "false",
     "in a component: a body that the using model provides"},
    ENTRY_ROWS,
};
#define EXTERNAL_KEYS " external position orientation markers repeat if "

static const hn_key solid_keys[] = {
    {"box", HN_KEY_VECTOR, HN_LENGTH, "", "none", "edges along x, y, z of the body frame"},
    {"cylinder", HN_KEY_SECTION, HN_NUMBER, "cylinder", "none", "a round bar or disc"},
    {"sphere", HN_KEY_NUMBER, HN_LENGTH, "", "none", "radius"},
};

static const hn_key cylinder_keys[] = {
    {"radius", HN_KEY_NUMBER, HN_LENGTH, "", REQUIRED, "radius"},
    {"length", HN_KEY_NUMBER, HN_LENGTH, "", REQUIRED, "length along the axis"},
    {"axis", HN_KEY_CHOICE, HN_NUMBER, "x y z", "z", "axis of the body frame it lies along"},
};

static const hn_key shape_keys[] = {
    {"box", HN_KEY_VECTOR, HN_LENGTH, "", "none", "edges along x, y, z of the shape"},
    {"cylinder", HN_KEY_SECTION, HN_NUMBER, "round", "none", "a round bar or disc"},
    {"capsule", HN_KEY_SECTION, HN_NUMBER, "round", "none",
     "a round bar with half spheres on its ends; length without them"},
    {"sphere", HN_KEY_NUMBER, HN_LENGTH, "", "none", "radius"},
    {"ellipsoid", HN_KEY_VECTOR, HN_LENGTH, "", "none", "half axes along x, y, z of the shape"},
    {"link", HN_KEY_SECTION, HN_NUMBER, "link", "none", "a capsule between two points"},
    {"wheel", HN_KEY_SECTION, HN_NUMBER, "wheel", "none", "a wheel with its tyre"},
    {"extrusion", HN_KEY_SECTION, HN_NUMBER, "extrusion", "none",
     "a polygon extruded along z of the shape"},
    {"mesh", HN_KEY_TEXT, HN_NUMBER, "", "none",
     "mesh file (.stl, .obj, .dae, .gltf, .glb), path relative to this file"},
    {"scale", HN_KEY_NUMBER, HN_NUMBER, "", "1", "scale of a mesh: 0.001 if it is in mm"},
    {"at", HN_KEY_POINT, HN_LENGTH, "", "`center`; of a mesh [0, 0, 0]",
     "position of its center in the body frame"},
    {"orientation", HN_KEY_ORIENTATION, HN_NUMBER, "", "not turned", "relative to the body frame"},
    {"color", HN_KEY_TEXT, HN_NUMBER, "", "chosen", "#rrggbb, #rgb or a word: red, silver, ..."},
    {"opacity", HN_KEY_NUMBER, HN_NUMBER, "", "1", "opacity, 0 to 1"},
    {"density", HN_KEY_NUMBER, HN_DENSITY, "", "the density of the body",
     "density of this shape; 0: display only"},
    {"plane", HN_KEY_SECTION, HN_NUMBER, "plane", "none",
     "a half space below z = 0 of the shape; displayed as a plate"},
    {"curve", HN_KEY_SECTION, HN_NUMBER, "curve", "none",
     "a cam or another profile in x, y of the shape, extruded along z"},
    {"heights", HN_KEY_SECTION, HN_NUMBER, "heights", "none", "a smooth surface over a grid"},
    {"contact", HN_KEY_BOOLEAN, HN_NUMBER, "", "only in contacts that name its body",
     "true: collides with all other shapes that set it; false: no contact"},
    {"group", HN_KEY_TEXT, HN_NUMBER, "", "none", "group name, for contacts"},
};

static const hn_key plane_keys[] = {
    {"size", HN_KEY_NUMBER, HN_LENGTH, "", "10",
     "size of the displayed plate; contact extends beyond it"},
};

static const hn_key curve_keys[] = {
    {"points", HN_KEY_CURVE, HN_LENGTH, "", REQUIRED,
     "[[x, y], ...], or [x, y, bulge] with an arc to the next point; the bulge is the tangent of a "
     "quarter of its angle"},
    {"spline", HN_KEY_BOOLEAN, HN_NUMBER, "", "false", "a smooth curve through the points"},
    {"closed", HN_KEY_BOOLEAN, HN_NUMBER, "", "true", "true: connects the last point to the first"},
    {"hollow", HN_KEY_BOOLEAN, HN_NUMBER, "", "false",
     "true: free space inside (closed) or on the left (open)"},
    {"length", HN_KEY_NUMBER, HN_LENGTH, "", "0.02", "along z, half of it on either side"},
};

static const hn_key heights_keys[] = {
    {"step", HN_KEY_TWO_NUMBERS, HN_LENGTH, "", REQUIRED, "grid spacing along x and y"},
    {"columns", HN_KEY_NUMBER, HN_NUMBER, "", REQUIRED, "number of heights along x"},
    {"values", HN_KEY_NUMBERS, HN_LENGTH, "", REQUIRED,
     "heights, x varies fastest; the origin is the center of the grid"},
};

#include "formats/keys_contact.h"

static const hn_key round_keys[] = {
    {"radius", HN_KEY_NUMBER, HN_LENGTH, "", REQUIRED, "radius"},
    {"length", HN_KEY_NUMBER, HN_LENGTH, "", REQUIRED, "length along the axis"},
    {"axis", HN_KEY_DIRECTION, HN_NUMBER, "", "z of the shape", "instead of an orientation"},
};

static const hn_key wheel_keys[] = {
    {"radius", HN_KEY_NUMBER, HN_LENGTH, "", REQUIRED, "radius"},
    {"width", HN_KEY_NUMBER, HN_LENGTH, "", "half the radius", "width along the axis"},
    {"axis", HN_KEY_DIRECTION, HN_NUMBER, "", "y of the shape", "instead of an orientation"},
};

static const hn_key link_keys[] = {
    {"from", HN_KEY_POINT, HN_LENGTH, "", REQUIRED, "one end, in the body frame"},
    {"to", HN_KEY_POINT, HN_LENGTH, "", REQUIRED, "the other end"},
    {"radius", HN_KEY_NUMBER, HN_LENGTH, "", "1/20 of its length", "radius"},
};

static const hn_key extrusion_keys[] = {
    {"profile", HN_KEY_PAIRS, HN_LENGTH, "", REQUIRED, "[[x, y], ...], corners in their order"},
    {"length", HN_KEY_NUMBER, HN_LENGTH, "", REQUIRED, "along z, half of it on either side"},
};

static const hn_key marker_keys[] = {
    {"position", HN_KEY_POINT, HN_LENGTH, "", "[0, 0, 0]", "in the body frame"},
    {"orientation", HN_KEY_ORIENTATION, HN_NUMBER, "", "not turned", "relative to the body frame"},
    ENTRY_ROWS,
};

static const hn_key body_initial_keys[] = {
    {"position", HN_KEY_POINT, HN_LENGTH, "", "reference configuration",
     "initial position of the body frame"},
    {"orientation", HN_KEY_ORIENTATION, HN_NUMBER, "", "reference configuration",
     "initial orientation"},
    {"velocity", HN_KEY_VECTOR, HN_SPEED, "", "0", "of the center of mass"},
    {"angular_velocity", HN_KEY_VECTOR, HN_ANGULAR_SPEED, "", "0", "about the global axes"},
    {"local_angular_velocity", HN_KEY_VECTOR, HN_ANGULAR_SPEED, "", "0",
     "alternative: about the initial body axes"},
    {"fixed", HN_KEY_BOOLEAN, HN_NUMBER, "", "false",
     "true: assembly moves other bodies instead of this one"},
};

static const hn_key orientation_keys[] = {
    {"axis", HN_KEY_DIRECTION, HN_NUMBER, "", "none", "rotation axis, with `angle`"},
    {"angle", HN_KEY_NUMBER, HN_ANGLE, "", "none", "with `axis`"},
    {"quaternion", HN_KEY_NUMBERS, HN_NUMBER, "4", "none", "[w, x, y, z], nonzero; normalized"},
    {"xyz", HN_KEY_VECTOR, HN_ANGLE, "", "none",
     "rotations about x, then the new y, then the new z"},
    {"x", HN_KEY_DIRECTION, HN_NUMBER, "", "none", "direction of the x axis; give two of x, y, z"},
    {"y", HN_KEY_DIRECTION, HN_NUMBER, "", "none",
     "the first given is exact, the second is made perpendicular"},
    {"z", HN_KEY_DIRECTION, HN_NUMBER, "", "none", "with one of the others"},
};

static const hn_key direction_keys[] = {
    {"from", HN_KEY_POINT, HN_LENGTH, "", REQUIRED, "first point"},
    {"to", HN_KEY_POINT, HN_LENGTH, "", REQUIRED, "second point"},
};

#define WORD(code, name, rows) " " name
#define JOINT_WORDS (HN_JOINT_LIST(WORD)) + 1

static const hn_key joint_keys[] = {
    TYPE_ROW(JOINT_WORDS),
    {"bodies", HN_KEY_TWO_NAMES, HN_NUMBER, "body", REQUIRED, "first and second body"},
    {"at", HN_KEY_POINT, HN_LENGTH, "", REQUIRED, "the joint point, the same for both bodies"},
    {"points", HN_KEY_TWO_POINTS, HN_LENGTH, "", "at", "a point of the first, one of the second"},
    {"axis", HN_KEY_DIRECTION, HN_NUMBER, "", REQUIRED,
     "joint axis, line or normal, in global axes at the start"},
    {"axes", HN_KEY_TWO_DIRECTIONS, HN_NUMBER, "", "axis twice", "on the first, on the second"},
    {"reference", HN_KEY_DIRECTION, HN_NUMBER, "", "any perpendicular", "x axis of the joint"},
    {"markers", HN_KEY_TWO_NAMES, HN_NUMBER, "marker", "none",
     "alternative to bodies, at and axis: z is the axis"},
    {"length", HN_KEY_NUMBER, HN_LENGTH, "", "reference configuration", "prescribed distance"},
    {"pitch", HN_KEY_NUMBER, HN_LENGTH, "", REQUIRED, "advance per revolution, right-handed"},
    {"joints", HN_KEY_TWO_NAMES, HN_NUMBER, "joint", REQUIRED,
     "joints whose coordinates are coupled"},
    {"ratio", HN_KEY_NUMBER, HN_NUMBER, "", REQUIRED,
     "first angle + ratio * second angle stays constant"},
    {"radii", HN_KEY_TWO_NUMBERS, HN_LENGTH, "", "ratio",
     "of the two wheels: ratio = second/first"},
    {"radius", HN_KEY_NUMBER, HN_LENGTH, "", REQUIRED,
     "displacement - radius * angle stays constant"},
    {"terms", HN_KEY_LIST, HN_NUMBER, "term", REQUIRED, "sum of coefficient * coordinate"},
    {"constant", HN_KEY_NUMBER, HN_ANYTHING, "", "reference configuration", "value of the sum"},
    {"offset", HN_KEY_COORDINATES, HN_NUMBER, "", "0",
     "coordinate value of the reference configuration"},
    {"initial", HN_KEY_COORDINATES, HN_NUMBER, "", "reference configuration, at rest",
     "initial coordinates (angle) and rates (angle_rate)"},
    {"armature", HN_KEY_COORDINATES, HN_NUMBER, "", "0",
     "rotor inertia on a coordinate, kg m^2 or kg"},
    {"cut", HN_KEY_BOOLEAN, HN_NUMBER, "", "false",
     "true: loop-closing joint, not part of the tree in relative coordinates"},
    ENTRY_ROWS,
    HN_SWITCH_ROWS,
};
static const hn_key term_keys[] = {
    {"joint", HN_KEY_NAME, HN_NUMBER, "joint", REQUIRED, "whose coordinate"},
    {"coordinate", HN_KEY_TEXT, HN_NUMBER, "", "the only one", "which of its coordinates"},
    {"coefficient", HN_KEY_NUMBER, HN_ANYTHING, "", REQUIRED, "nonzero factor"},
    {"polynomial", HN_KEY_NUMBERS, HN_ANYTHING, "", "coefficient",
     "c0, c1, ... c4: replaces the coordinate x by c0 + c1 x + c2 x^2 + ..."},
};

static const hn_key driver_keys[] = {
    {"joint", HN_KEY_NAME, HN_NUMBER, "joint", "none", "drives a joint coordinate"},
    {"coordinate", HN_KEY_TEXT, HN_NUMBER, "", "the only one", "which of its coordinates"},
    {"point", HN_KEY_NAME, HN_NUMBER, "marker", "none", "drives a marker of a body"},
    {"of", HN_KEY_NAME, HN_NUMBER, "body", "ground", "relative to the frame of this body"},
    {"direction", HN_KEY_DIRECTION, HN_NUMBER, "", REQUIRED,
     "along this direction, in global axes at the start"},
    {"distance", HN_KEY_TWO_POINTS, HN_LENGTH, "", "none", "drives the distance of two points"},
    {"bodies", HN_KEY_TWO_NAMES, HN_NUMBER, "body", REQUIRED, "the bodies the two points are on"},
    {"motion", HN_KEY_LAW, HN_COORDINATE_VALUE, "t", REQUIRED, "value as a function of t"},
    ENTRY_ROWS,
    HN_SWITCH_ROWS,
};

static const hn_key law_keys[] = {
    {"polynomial", HN_KEY_NUMBERS, HN_ANYTHING, "", "none", "c0, c1, ...: c0 + c1 x + c2 x^2 ..."},
    {"piecewise", HN_KEY_LIST, HN_NUMBER, "piece", "none", "piecewise polynomials"},
    {"table", HN_KEY_TABLE, HN_ANYTHING, "", "none",
     "[[x, y], ...], x increasing, or a file (.csv, .npy)"},
    {"columns", HN_KEY_TWO_TEXTS, HN_NUMBER, "", "the first two",
     "columns of the file: names, or numbers from 1"},
    {"units", HN_KEY_TWO_TEXTS, HN_NUMBER, "", "SI", "units of these columns"},
    {"interpolation", HN_KEY_CHOICE, HN_NUMBER, "spline linear monotone akima", "spline",
     "of a table"},
    {"outside", HN_KEY_CHOICE, HN_NUMBER, "tangent hold error", "tangent",
     "beyond the ends of a table"},
    {"periodic", HN_KEY_BOOLEAN, HN_NUMBER, "", "false", "true: the table is periodic"},
};

static const hn_key piece_keys[] = {
    {"below", HN_KEY_NUMBER, HN_ANYTHING, "", "none for the last piece", "upper end of the piece"},
    {"polynomial", HN_KEY_NUMBERS, HN_ANYTHING, "", REQUIRED, "c0, c1, ... in x itself"},
};

// ---- forces -------------------------------------------------------------------------------------

#define FORCE_ROWS HN_FORCE_ROWS
#define ENDS_ROWS HN_ENDS_ROWS
#define COORDINATE_ROWS HN_COORDINATE_ROWS
#define LAW_ROWS(force_word, force)                                                                \
  {"preload", HN_KEY_NUMBER, force, "", "0", "constant " force_word " added"},                     \
      {force_word, HN_KEY_LAW, force, "x", "none", "function of x, added to the stiffness term"},  \
      {"damper", HN_KEY_LAW, force,                                                                \
       "v",      "none",     "function of v = dx/dt, added to the damping term"},                  \
      {"actuator", HN_KEY_LAW, force, "t", "none", "of time"}, {                                   \
    "law", HN_KEY_FORMULA, force, "x v t", "none", "formula of x, v and t"                         \
  }

static const hn_key spring_damper_keys[] = {
    FORCE_ROWS,
    ENDS_ROWS,
    {"stiffness", HN_KEY_NUMBER, HN_STIFFNESS, "", "0", "force per meter of extension"},
    {"free_length", HN_KEY_NUMBER, HN_LENGTH, "", "reference configuration", "unloaded length"},
    {"damping", HN_KEY_NUMBER, HN_DAMPING, "", "0", "force per m/s of extension rate"},
    LAW_ROWS("force", HN_FORCE),
};

static const hn_key tendon_keys[] = {
    FORCE_ROWS,
    {"way", HN_KEY_LIST, HN_NUMBER, "way", REQUIRED,
     "routing path, a list of: {body, at}, {around: {body, at, axis, radius, side}}, {pulley: "
     "divisor}"},
    {"stiffness", HN_KEY_NUMBER, HN_STIFFNESS, "", "0", "force per meter of extension"},
    {"free_length", HN_KEY_NUMBER, HN_LENGTH, "", "reference configuration", "unloaded length"},
    {"damping", HN_KEY_NUMBER, HN_DAMPING, "", "0", "force per m/s of extension rate"},
    LAW_ROWS("force", HN_FORCE),
};

static const hn_key joint_spring_keys[] = {
    FORCE_ROWS,
    COORDINATE_ROWS,
    {"stiffness", HN_KEY_NUMBER, HN_COORDINATE_STIFFNESS, "", "0",
     "force per m, or torque per rad"},
    {"free", HN_KEY_NUMBER, HN_COORDINATE_VALUE, "", "0", "unloaded coordinate"},
    {"damping", HN_KEY_NUMBER, HN_COORDINATE_DAMPING, "", "0",
     "force per m/s, or torque per rad/s"},
    LAW_ROWS("force", HN_COORDINATE_FORCE),
};

static const hn_key rotational_spring_keys[] = {
    FORCE_ROWS,
    {"joint", HN_KEY_NAME, HN_NUMBER, "joint", "none", "a joint with an angle"},
    {"coordinate", HN_KEY_TEXT, HN_NUMBER, "", "the only angle", "angle or angle2"},
    {"bodies", HN_KEY_TWO_NAMES, HN_NUMBER, "body", "none", "without a joint: the two bodies"},
    {"at", HN_KEY_POINT, HN_LENGTH, "", "center of the second body", "without a joint: the point"},
    {"axis", HN_KEY_DIRECTION, HN_NUMBER, "", "none", "without a joint: the axis, on the first"},
    {"stiffness", HN_KEY_NUMBER, HN_ANGULAR_STIFFNESS, "", "0", "torque per radian"},
    {"free_angle", HN_KEY_NUMBER, HN_ANGLE, "", "0", "unloaded angle"},
    {"damping", HN_KEY_NUMBER, HN_ANGULAR_DAMPING, "", "0", "torque per rad/s"},
    LAW_ROWS("torque", HN_TORQUE),
};

static const hn_key ball_spring_keys[] = {
    FORCE_ROWS,
    {"bodies", HN_KEY_TWO_NAMES, HN_NUMBER, "body", REQUIRED, "first and second body"},
    {"stiffness", HN_KEY_NUMBER, HN_ANGULAR_STIFFNESS, "", "0", "torque per radian"},
    {"damping", HN_KEY_NUMBER, HN_ANGULAR_DAMPING, "", "0", "torque per rad/s"},
};

static const hn_key bushing_keys[] = {
    FORCE_ROWS,
    {"bodies", HN_KEY_TWO_NAMES, HN_NUMBER, "body", REQUIRED, "first and second body"},
    {"at", HN_KEY_POINT, HN_LENGTH, "", REQUIRED, "its center"},
    {"axis", HN_KEY_DIRECTION, HN_NUMBER, "", "z", "z axis of the bushing, on the first body"},
    {"reference", HN_KEY_DIRECTION, HN_NUMBER, "", "x", "its x axis"},
    {"markers", HN_KEY_TWO_NAMES, HN_NUMBER, "marker", "none",
     "alternative to bodies, at and axis: unloaded if the markers coincide"},
    {"stiffness", HN_KEY_SIX_NUMBERS, HN_STIFFNESS, "", "0", "along x y z, about x y z"},
    {"damping", HN_KEY_SIX_NUMBERS, HN_DAMPING, "", "0", "along x y z, about x y z"},
};

static const hn_key leaf_spring_keys[] = {
    FORCE_ROWS,
    ENDS_ROWS,
    {"axis", HN_KEY_DIRECTION, HN_NUMBER, "", REQUIRED,
     "direction of the force, on the first body"},
    {"offset", HN_KEY_NUMBER, HN_LENGTH, "", "0", "length = axis . (first - second) - offset"},
    {"stiffness", HN_KEY_NUMBER, HN_STIFFNESS, "", "0", "force per meter of length"},
    {"free_length", HN_KEY_NUMBER, HN_LENGTH, "", "reference configuration", "unloaded length"},
    {"damping", HN_KEY_NUMBER, HN_DAMPING, "", "0", "force per m/s of extension rate"},
    LAW_ROWS("force", HN_FORCE),
};

static const hn_key point_force_keys[] = {
    FORCE_ROWS,
    {"body", HN_KEY_NAME, HN_NUMBER, "body", REQUIRED, "body it acts on"},
    {"at", HN_KEY_POINT, HN_LENGTH, "", "center of mass", "point of action"},
    {"force", HN_KEY_THREE_LAWS, HN_FORCE, "t", REQUIRED, "components along x, y, z"},
    {"following", HN_KEY_BOOLEAN, HN_NUMBER, "", "false", "true: in body axes"},
};

static const hn_key torque_keys[] = {
    FORCE_ROWS,
    {"body", HN_KEY_NAME, HN_NUMBER, "body", "none", "body it acts on"},
    {"joint", HN_KEY_NAME, HN_NUMBER, "joint", "none",
     "on the second body along the coordinate, against the first"},
    {"coordinate", HN_KEY_TEXT, HN_NUMBER, "", "the only one", "with `joint`: which coordinate"},
    {"torque", HN_KEY_LAW, HN_TORQUE, "t", REQUIRED,
     "three functions of t for a body, one for a joint"},
    {"following", HN_KEY_BOOLEAN, HN_NUMBER, "", "false", "true: in body axes"},
};

static const hn_key joint_friction_keys[] = {
    FORCE_ROWS,
    COORDINATE_ROWS,
    {"force", HN_KEY_LAW, HN_FORCE, "t", "none", "friction force, for a displacement"},
    {"torque", HN_KEY_LAW, HN_TORQUE, "t", "none", "friction torque, for an angle"},
    {"static_force", HN_KEY_NUMBER, HN_FORCE, "", "force",
     "static friction force, for a displacement"},
    {"static_torque", HN_KEY_NUMBER, HN_TORQUE, "", "torque",
     "static friction torque, for an angle"},
    {"transition", HN_KEY_NUMBER, HN_COORDINATE_RATE, "", "0: exact sticking",
     "transition speed of regularized friction"},
    {"stiffness", HN_KEY_NUMBER, HN_COORDINATE_STIFFNESS, "", "0: it creeps",
     "stiffness at rest, up to the friction limit"},
    {"damping", HN_KEY_NUMBER, HN_COORDINATE_DAMPING, "", "0", "damping at rest"},
    {"viscous", HN_KEY_NUMBER, HN_COORDINATE_DAMPING, "", "0", "additional damping"},
};

static const hn_key joint_stop_keys[] = {
    FORCE_ROWS,
    COORDINATE_ROWS,
    {"lower", HN_KEY_NUMBER, HN_COORDINATE_VALUE, "", "none", "lower end"},
    {"upper", HN_KEY_NUMBER, HN_COORDINATE_VALUE, "", "none", "upper end"},
    {"stiffness", HN_KEY_NUMBER, HN_COORDINATE_STIFFNESS, "", "rigid", "beyond the ends"},
    {"damping", HN_KEY_NUMBER, HN_COORDINATE_DAMPING, "", "0", "beyond the ends; no adhesion"},
    {"restitution", HN_KEY_NUMBER, HN_NUMBER, "", "0", "rigid stop: 0 inelastic, 1 elastic"},
    {"time_constant", HN_KEY_NUMBER, HN_TIME, "", "0: rigid",
     "rigid stop that gives way in time stepping, as a soft contact"},
    {"damping_ratio", HN_KEY_NUMBER, HN_NUMBER, "", "1", "with `time_constant`"},
    {"impedance", HN_KEY_NUMBERS, HN_NUMBER, "", "[0.9, 0.95, 0.001, 0.5, 2]",
     "with `time_constant`; depths in m or rad"},
};

static const hn_key tyre_keys[] = {
    FORCE_ROWS,
    {"body", HN_KEY_NAME, HN_NUMBER, "body", REQUIRED, "the wheel"},
    {"at", HN_KEY_POINT, HN_LENGTH, "", "center of mass", "center of the wheel"},
    {"model", HN_KEY_TEXT, HN_NUMBER, "", "none: normal load only",
     "property file (.tir) or force table (.csv) for lateral and longitudinal forces"},
    {"side", HN_KEY_CHOICE, HN_NUMBER, "file left right", "file",
     "mounting side; mirrored if it differs from that of the file"},
    {"spin_axis", HN_KEY_DIRECTION, HN_NUMBER, "", "[0, 1, 0]", "with a model: to the left"},
    {"relaxation", HN_KEY_BOOLEAN, HN_NUMBER, "", "false",
     "with a model: true: transient slip with relaxation lengths"},
    {"low_speed", HN_KEY_NUMBER, HN_SPEED, "", "0.5",
     "with a model: low-speed limit; below half of it the tyre counts as standing"},
    {"radius", HN_KEY_NUMBER, HN_LENGTH, "", "from the model; required without one",
     "without load"},
    {"stiffness", HN_KEY_NUMBER, HN_STIFFNESS, "", "from the model; required without one",
     "normal to the road"},
    {"damping", HN_KEY_NUMBER, HN_DAMPING, "", "0, or from the model", "normal to the road"},
    {"road", HN_KEY_NAME, HN_NUMBER, "road", REQUIRED, "road it rolls on"},
    {"contact", HN_KEY_CHOICE, HN_NUMBER, "vertical radial", "vertical",
     "contact point: below the center, or the closest point of the road"},
};

// ---- roads, components and the rest -------------------------------------------------------------

#include "formats/keys_road.h"
#include "formats/keys_state.h"
#include "formats/keys_way.h"

static const hn_key component_keys[] = {
    {"use", HN_KEY_TEXT, HN_NUMBER, "", REQUIRED, "model file, relative to this one"},
    {"parameters", HN_KEY_PARAMETERS, HN_ANYTHING, "", "those of the file",
     "values for its parameters"},
    {"inputs", HN_KEY_FORMULAS, HN_ANYTHING, "signals", "none",
     "formulas for its inputs: {NAME: formula}"},
    {"mirror", HN_KEY_MIRROR, HN_NUMBER, "", "none",
     "mirror axes, in its own frame, applied first"},
    {"position", HN_KEY_POINT, HN_LENGTH, "", "[0, 0, 0]", "position of its origin"},
    {"orientation", HN_KEY_ORIENTATION, HN_NUMBER, "", "not turned", "orientation"},
    {"bodies", HN_KEY_BODY_MAP, HN_NUMBER, "", "none",
     "its external bodies: {BODY_OF_COMPONENT: BODY_HERE}"},
    ENTRY_ROWS,
};

static const hn_key output_keys[] = {
    {"value", HN_KEY_FORMULA, HN_ANYTHING, "signals", REQUIRED, "formula of signals"},
    {"unit", HN_KEY_TEXT, HN_NUMBER, "", "SI", "unit of the result"},
    ENTRY_ROWS,
};

static const hn_key figure_keys[] = {
    {"take", HN_KEY_CHOICE, HN_NUMBER,
     "curve last largest least mean peak-time rise-time overshoot slope reached", "curve",
     "curve, or metric of the output"},
    {"of", HN_KEY_TEXT, HN_NUMBER, "", REQUIRED, "an output"},
    {"over", HN_KEY_TEXT, HN_NUMBER, "", "time",
     "abscissa of curve, slope and reached: another output"},
    {"from", HN_KEY_NUMBER, HN_TIME, "", "0", "start of the interval and origin of times"},
    {"to", HN_KEY_NUMBER, HN_TIME, "", "0", "end of the interval; 0: end of the run"},
    {"level", HN_KEY_NUMBER, HN_NUMBER, "", "0.9",
     "rise-time: fraction of the last value; reached: value of `over` at which `of` is evaluated"},
    {"over_from", HN_KEY_NUMBER, HN_NUMBER, "", "none",
     "slope: start of the range of `over`, in its unit"},
    {"over_to", HN_KEY_NUMBER, HN_NUMBER, "", "none", "end of the range of `over`"},
    ENTRY_ROWS,
};

static const hn_key input_keys[] = {
    {"value", HN_KEY_NUMBER, HN_ANYTHING, "", "0", "initial value; defines the unit"},
    {"filter", HN_KEY_NUMBER, HN_TIME, "", "none",
     "time constant of a low-pass filter on the input; required for drivers"},
    {"follows", HN_KEY_TEXT, HN_NUMBER, "", "none", "output that sets its value during a run"},
    {"every", HN_KEY_NUMBER, HN_TIME, "", "10 ms", "with `follows`: sampling time"},
    ENTRY_ROWS,
};

static const hn_key initial_keys[] = {
    {"speed", HN_KEY_NUMBER, HN_SPEED, "", "none",
     "speed of all bodies along x; wheels with tyre models roll"},
    {"from", HN_KEY_CHOICE, HN_NUMBER, "drawing equilibrium", "drawing",
     "start in the reference configuration or in static equilibrium"},
    {"then", HN_KEY_SECTION, HN_NUMBER, "then", "at rest",
     "with `from: equilibrium`: changes applied afterwards"},
};

static const hn_key then_keys[] = {
    {"velocity", HN_KEY_VECTOR, HN_SPEED, "", "0", "velocity of all bodies"},
};

#define MEANING_ONE HN_NUMBER
#define MEANING_SECOND HN_TIME
#define MEANING_JOULE HN_NUMBER
#define KEY_WORD HN_KEY_CHOICE
#define KEY_SIZE HN_KEY_NUMBER
#define KEY_NUMBER HN_KEY_NUMBER
#define KEY_COUNT HN_KEY_NUMBER
#define DETAIL_WORD "@option"
#define DETAIL_SIZE ""
#define DETAIL_NUMBER ""
#define DETAIL_COUNT ""
#define OPTION_KEY(name, kind, unit, least, most, usual, argument, whose, places, words, help)     \
  {#name, KEY_##kind, MEANING_##unit, DETAIL_##kind, usual, help},

// Those of a run, and the options a model may suggest (holon/options.h).
static const hn_key simulation_keys[] = {
    {"time", HN_KEY_NUMBER, HN_TIME, "", "0", "end of the run"},
    {"output_step", HN_KEY_NUMBER, HN_TIME, "", "time / 500", "time between output samples"},
    HN_MODEL_OPTION_LIST(OPTION_KEY)};

// ---- sections -----------------------------------------------------------------------------------

#define KEYS(array) array, (int)(sizeof array / sizeof *array)

static const hn_section sections[] = {
    {"model", "a model file", NULL, KEYS(model_keys), NULL},
    {"point", "a point", NULL, KEYS(point_keys), NULL},
    {"body", "a body", NULL, KEYS(body_keys), NULL},
    {"external-body", "an external body", NULL, KEYS(body_keys), EXTERNAL_KEYS},
    {"ground", "ground", NULL, KEYS(body_keys), " markers shape shapes "},
    {"marker", "a marker", NULL, KEYS(marker_keys), NULL},
    {"solid", "a solid", NULL, KEYS(solid_keys), NULL},
    {"cylinder", "a cylinder", NULL, KEYS(cylinder_keys), NULL},
    {"shape", "a shape", NULL, KEYS(shape_keys), NULL},
    {"round", "a round bar", NULL, KEYS(round_keys), NULL},
    {"wheel", "a wheel", NULL, KEYS(wheel_keys), NULL},
    {"link", "a link", NULL, KEYS(link_keys), NULL},
    {"extrusion", "an extrusion", NULL, KEYS(extrusion_keys), NULL},
    {"plane", "a plane", NULL, KEYS(plane_keys), NULL},
    {"curve", "a curve", NULL, KEYS(curve_keys), NULL},
    {"heights", "a height field", NULL, KEYS(heights_keys), NULL},
    {"material", "a material", NULL, KEYS(material_keys), NULL},
    {"contact", "a contact", NULL, KEYS(contact_keys), NULL},
    {"body-initial", "the initial state of a body", NULL, KEYS(body_initial_keys), NULL},
    {"orientation", "an orientation", NULL, KEYS(orientation_keys), NULL},
    {"direction", "a direction", NULL, KEYS(direction_keys), NULL},
#define JOINT(code, name, rows) {"joint", "a " name " joint", name, KEYS(joint_keys), NULL},
    HN_JOINT_LIST(JOINT)
#undef JOINT
        {"term", "a term", NULL, KEYS(term_keys), NULL},
    {"driver", "a driver", NULL, KEYS(driver_keys), NULL},
    {"law", "a law", NULL, KEYS(law_keys), NULL},
    {"table", "a table", NULL, KEYS(table_keys), NULL},
    {"piece", "a piece", NULL, KEYS(piece_keys), NULL},
    {"force", "a spring-damper", "spring-damper", KEYS(spring_damper_keys), NULL},
    {"force", "a joint-spring-damper", "joint-spring-damper", KEYS(joint_spring_keys), NULL},
    {"force", "a rotational-spring-damper", "rotational-spring-damper",
     KEYS(rotational_spring_keys), NULL},
    {"force", "a ball-spring-damper", "ball-spring-damper", KEYS(ball_spring_keys), NULL},
    {"force", "a bushing", "bushing", KEYS(bushing_keys), NULL},
    {"force", "a leaf-spring", "leaf-spring", KEYS(leaf_spring_keys), NULL},
    {"force", "a point-force", "point-force", KEYS(point_force_keys), NULL},
    {"force", "a torque", "torque", KEYS(torque_keys), NULL},
    {"force", "a joint-friction", "joint-friction", KEYS(joint_friction_keys), NULL},
    {"force", "a joint-stop", "joint-stop", KEYS(joint_stop_keys), NULL},
    {"force", "a tyre", "tyre", KEYS(tyre_keys), NULL},
    {"force", "a tendon", "tendon", KEYS(tendon_keys), NULL},
    {"way", "a part of a tendon path", NULL, KEYS(way_keys), NULL},
    {"around", "an obstacle of a tendon path", NULL, KEYS(around_keys), NULL},
    {"side", "a side", NULL, KEYS(side_keys), NULL},
    {"road", "a flat road", "flat", KEYS(road_keys), " type height friction patches repeat if "},
    {"road", "a polyline road", "polyline", KEYS(road_keys),
     " type points speed friction patches repeat if "},
    {"road", "a cosine-bump road", "cosine-bump", KEYS(road_keys),
     " type start length height speed friction patches repeat if "},
    {"road", "a half-cylinder road", "half-cylinder", KEYS(road_keys),
     " type start radius envelope speed friction patches repeat if "},
    {"road", "a table road", "table", KEYS(road_keys),
     " type points speed friction patches repeat if "},
    {"road", "a plane road", "plane", KEYS(road_keys),
     " type height slope bank friction patches repeat if "},
    {"road", "a height-field road", "height-field", KEYS(road_keys),
     " type file origin spacing scale friction patches repeat if "},
    {"road", "a random road", "random", KEYS(road_keys),
     " type class seed track friction patches repeat if "},
    {"road", "a crg road", "crg", KEYS(road_keys), " type file friction patches repeat if "},
    {"patch", "a patch", NULL, KEYS(patch_keys), NULL},
    {"component", "a component", NULL, KEYS(component_keys), NULL},
    {"figure", "a figure", NULL, KEYS(figure_keys), NULL},
    {"input", "an input", NULL, KEYS(input_keys), NULL},
    {"state", "a state", NULL, KEYS(state_keys), NULL},
    {"transfer", "a transfer function", NULL, KEYS(transfer_keys), NULL},
    {"pid", "a PID", NULL, KEYS(pid_keys), NULL},
    {"fmu", "an FMU", NULL, KEYS(fmu_keys), NULL},
    {"output", "an output", NULL, KEYS(output_keys), NULL},
    {"initial", "the initial state", NULL, KEYS(initial_keys), NULL},
    {"then", "the changes after equilibrium", NULL, KEYS(then_keys), NULL},
    {"simulation", "the simulation", NULL, KEYS(simulation_keys), NULL},
};
#define SECTIONS ((int)(sizeof sections / sizeof *sections))

// Behind them those of forces that bring their own.
const hn_section *hn_section_at(int index) {
  if (index < 0) return NULL;
  if (index < SECTIONS) return &sections[index];
  index -= SECTIONS;
  for (int type = 0; type < HN_FORCE_TYPES; type++) {
    const hn_section *own = &hn_force_row_of((hn_force_type)type)->section;
    if (own->keys && index-- == 0) return own;
  }
  return NULL;
}

const hn_section *hn_section_find(const char *name, const char *variant) {
  const hn_section *section;
  for (int k = 0; (section = hn_section_at(k)); k++)
    if (strcmp(section->name, name) == 0 &&
        (!variant || (section->variant && strcmp(section->variant, variant) == 0)))
      return section;
  return NULL;
}

// Those of joints stand with everything else that is known of them.
const char *hn_section_only(const hn_section *section) {
  if (section->keys != joint_keys) return section->only;
  for (int k = 0; k < HN_JOINT_TYPES; k++)
    if (strcmp(section->variant, hn_joint_type_name((hn_joint_type)k)) == 0)
      return hn_joint_facts_of((hn_joint_type)k)->keys;
  return NULL;
}

// Forces that can be written in a file.
static const char *list_forces(int index) {
  const hn_section *section;
  for (int k = 0; (section = hn_section_at(k)); k++)
    if (strcmp(section->name, "force") == 0 && index-- == 0) return section->variant;
  return NULL;
}

const char *hn_key_words(const hn_key *key, char *text, size_t size) {
  if (key->detail[0] != '@') return key->detail;
  const hn_option *option = hn_option_find(key->name);
  const int is_force = strcmp(key->detail, "@force") == 0;
  const char *word;
  text[0] = '\0';
  for (int i = 0; (word = is_force ? list_forces(i) : hn_option_word(option, i)); i++) {
    const size_t used = strlen(text);
    hn_text(text + used, size - used, "%s%s", used > 0 ? " " : "", word);
  }
  return text;
}

int hn_section_has(const hn_section *section, int place) {
  const char *only = hn_section_only(section);
  if (!only) return 1;
  const char *name = section->keys[place].name;
  size_t length = strlen(name);
  for (const char *at = only; (at = strstr(at, name)); at += length)
    if (at[-1] == ' ' && at[length] == ' ') return 1;
  return 0;
}

int hn_section_key(const hn_section *section, const char *name) {
  for (int k = 0; k < section->key_count; k++)
    if (strcmp(section->keys[k].name, name) == 0) return hn_section_has(section, k) ? k : -1;
  return -1;
}

static const struct {
  const char *definition, *name;
} types[HN_KEY_TYPES] = {
#define TYPE_NAMES(code, definition, name) {definition, name},
    HN_KEY_TYPE_LIST(TYPE_NAMES)
#undef TYPE_NAMES
};
const char *hn_key_type_name(hn_key_type type) { return types[type].name; }
const char *hn_key_type_definition(hn_key_type type) { return types[type].definition; }
