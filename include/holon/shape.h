// Holon: what bodies look like, and the mass of solids.
//
// A shape is fixed on a body and drawn by viewers, reports and exports. It changes the motion only
// where it is named by a contact (holon/contact.h): who wants mass, center and inertia of a shape
// asks hn_shape_mass and puts them into the body.
//
//   hn_shape_def box = hn_default_shape(HN_SHAPE_BOX);
//   box.frame.body = bob_id; box.size = (hn_vec3){0.2, 0.1, 0.1};
//   hn_model_add_shape(model, &box, NULL);
#ifndef HOLON_SHAPE_H
#define HOLON_SHAPE_H

#include "holon/model.h"

#ifdef __cplusplus
extern "C" {
#endif

// Every shape has its own axes x, y, z, placed on the body by its frame; its origin is its middle.
//   box        edges `size` along x, y, z
//   cylinder   about z: radius, length
//   capsule    about z: a cylinder with half spheres on both ends; length of the cylinder only
//   sphere     radius
//   link       like a capsule; drawn between two points
//   wheel      like a cylinder; length is its width
//   extrusion  the polygon `profile` in x, y, drawn out by length along z, the middle at z = 0
//   mesh       triangles
#define HN_SHAPE_LIST(X)                                                                           \
  X(HN_SHAPE_BOX, "box")                                                                           \
  X(HN_SHAPE_CYLINDER, "cylinder")                                                                 \
  X(HN_SHAPE_CAPSULE, "capsule")                                                                   \
  X(HN_SHAPE_SPHERE, "sphere")                                                                     \
  X(HN_SHAPE_LINK, "link")                                                                         \
  X(HN_SHAPE_WHEEL, "wheel")                                                                       \
  X(HN_SHAPE_EXTRUSION, "extrusion")                                                               \
  X(HN_SHAPE_MESH, "mesh")

typedef enum hn_shape_type {
#define HN_SHAPE_ENUM(type, name) type,
  HN_SHAPE_LIST(HN_SHAPE_ENUM)
#undef HN_SHAPE_ENUM
      HN_SHAPE_TYPES
} hn_shape_type;
HN_API const char *hn_shape_type_name(hn_shape_type type);

// Triangles over shared points; seen from outside their corners go round counterclockwise.
typedef struct hn_mesh {
  const char *name; // of its file, for messages and viewers; may be null
  int vertex_count, triangle_count;
  const double *vertices; // x y z of each (3 * vertex_count), m
  const int *triangles;   // three vertices of each (3 * triangle_count)
} hn_mesh;

#define HN_COLOR_CHOSEN (-1)

// Collision geometry of a shape (holon/contact.h), if it differs from the drawn one.
//   solid the drawn shape: ball, capsule, cylinder, box, convex extrusion; a mesh on ground by its
//            triangles, one on a body that moves by its convex hull
//   plane    the half space below its upper end, z <= size.z / 2 (drawn as a box)
//   curve    the ruled surface of a curve in x, y (drawn as an extrusion)
//   heights  the smooth surface through heights over a grid in x, y (drawn as a mesh)
//   ellipsoid  half axes `size` along x, y, z (drawn as a mesh)
typedef enum hn_touch_kind {
  HN_TOUCH_SOLID,
  HN_TOUCH_PLANE,
  HN_TOUCH_CURVE,
  HN_TOUCH_HEIGHTS,
  HN_TOUCH_ELLIPSOID
} hn_touch_kind;

typedef struct hn_shape_def {
  hn_source source;
  hn_shape_type type;
  hn_frame_on_body frame; // where it is: body, from the center of mass, against the body axes
  int color;              // 0xrrggbb, or HN_COLOR_CHOSEN
  double transparency;    // 0: what is behind it is hidden, to 1: it cannot be seen
  hn_vec3 size;           // box, ellipsoid
  double radius, length;
  const double *profile; // extrusion: x y of each corner (2 * profile_count), either way round
  int profile_count;
  const hn_mesh *mesh;
  hn_touch_kind touch;
  const double
      *curve; // curve: x y bulge of each point (3 * curve_count). The bulge is the tangent of a
              // quarter of the angle of the arc to the next point, 0: a straight line
  int curve_count;
  int curve_is_closed, curve_is_spline; // spline: through the points, bulges are not used
  int curve_is_hollow;                  // closed: what is inside is free
  const double *heights; // heights: z of the points, x running fastest (grid[0] * grid[1])
  int grid[2];
  double grid_step[2]; // m; the middle of the grid is the origin
} hn_shape_def;
HN_API hn_shape_def hn_default_shape(hn_shape_type type); // 0.1 m large, at the middle of ground
// The profile and the mesh are copied; equal meshes (the same pointer) are copied once.
HN_API hn_status hn_model_add_shape(hn_model *model, const hn_shape_def *def, int *id);
HN_API int hn_model_shape_count(const hn_model *model);
HN_API const hn_shape_def *hn_model_shape(const hn_model *model, int id); // null past the end
// "#rrggbb", "#rgb" or one of the basic names of CSS (not extended ones like "steelblue"). Returns
// 0xrrggbb, or -1 for any other text.
HN_API int hn_color_of(const char *text);
// The basic names, index from 0; null past the end.
HN_API const char *hn_list_colors(int index);

// ---- mass ---------------------------------------------------------------------------------------

typedef struct hn_mass_properties {
  double mass;
  hn_vec3 center;    // in the axes they were asked in
  double inertia[6]; // about the center: xx yy zz xy xz yz (tensor entries)
} hn_mass_properties;

// Of a solid of this density, in the axes its frame is given in (of the body). Exact for every
// shape; of a mesh exact for its polyhedron. A mesh must be closed and its triangles must be
// counterclockwise seen from outside: else HN_ERROR_MODEL, and *error says where it is not.
HN_API hn_status hn_shape_mass(const hn_shape_def *shape, double density, hn_mass_properties *mass,
                               hn_error *error);
// Of several bodies that move as one. No mass at all gives zeros.
HN_API hn_mass_properties hn_mass_sum(const hn_mass_properties *parts, int count);

// ---- meshes from files --------------------------------------------------------------------------

// Reads triangles of a file by its ending: .stl (binary and text), .obj, .gltf, .glb. Lengths are
// multiplied by scale. Equal corners become one vertex; triangles without area between equal
// corners are left out. On failure *mesh is null and *error names the file and the line or byte.
// Not in a minimal build.
HN_API hn_status hn_mesh_read(const char *path, double scale, const hn_allocator *allocator,
                              hn_mesh **mesh, hn_error *error);
HN_API void hn_mesh_free(hn_mesh *mesh); // of hn_mesh_read; null is fine

#ifdef __cplusplus
}
#endif

#endif
