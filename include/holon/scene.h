// Holon: a run as a picture that moves: shapes, joints, forces, roads and poses over time.
//
//   hn_scene *scene = NULL;
//   hn_scene_create(simulation, 10.0, 0, &scene, &error);
//   while (...) { hn_simulation_step(...);
//     while (hn_scene_next(scene) <= hn_simulation_time(simulation)) {
//       hn_simulation_look_at(simulation, hn_scene_next(scene));
//       hn_scene_record(scene, simulation); } }
//   hn_scene_finish(scene, "ok", "");
//   hn_scene_json(scene, text, size, &needed);
//
// docs/reference/scene.md describes the two files that `holon run` writes from it.
#ifndef HOLON_SCENE_H
#define HOLON_SCENE_H

#include "holon/shape.h"
#include "holon/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HN_SCENE_FORMAT 1

typedef struct hn_scene_body {
  const char *name;
  double mass;
  const hn_shape_def *shapes; // every one has a color
  int shape_count;
  int drawn; // the shapes were made from the joints, because the model has none
} hn_scene_body;

// A joint or a force between two bodies.
typedef struct hn_scene_link {
  const char *name, *type;
  int body[2];
  hn_vec3 at[2];   // on each body, from its center of mass, body axes
  hn_vec3 axis[2]; // unit, body axes; zero: none
  // of a force along a line what it looks like: "spring", "damper", "spring-damper", "actuator";
  // else ""
  const char *look;
} hn_scene_link;

// A tyre or a contact of two shapes, where it pushes.
typedef struct hn_scene_load {
  const char *name, *type; // "tyre", "contact"
  int body;                // it pushes this one
} hn_scene_load;

typedef struct hn_scene_road {
  const char *name;
  const double *profile; // x z of each point (2 * count), at t = 0
  int count;
  double y, width; // the middle across and how wide it is drawn
  double speed;    // the profile moves along x
} hn_scene_road;

// Read only.
typedef struct hn_scene {
  const char *version, *model, *title, *status, *message;
  hn_vec3 gravity;
  int body_count, joint_count, force_count, load_count, road_count, mesh_count;
  const hn_scene_body *bodies; // [0] is ground
  const hn_scene_link *joints, *forces;
  const hn_scene_load *loads; // tyres, then contacts; none of models with more than 200 pairs
  const hn_scene_road *roads;
  const hn_mesh *const *meshes; // of the shapes
  // motion: frames records of stride numbers: time; of every body but ground r (3) and Euler
  // parameters (4); of every joint the reaction force on its second body, global axes (3); of every
  // force its value; of every load the point it acts at (center of pressure) and the force on its
  // body, global axes (6), all 0 without contact
  int frames, stride;
  double rate, first, last; // frames a second; times of the first frame and of the last that is due
  const float *motion;
  struct hn_scene_storage *storage; // private
} hn_scene;

// An empty film of the simulation from now until `last`. rate 0: 60 frames a second of model time,
// more when that gives fewer than 300 frames, fewer when it gives more than 20,000.
HN_API hn_status hn_scene_create(hn_simulation *simulation, double last, double rate,
                                 hn_scene **scene, hn_error *error);
HN_API void hn_scene_free(hn_scene *scene); // null is fine
// The time of the next frame that is due; HUGE_VAL after the last.
HN_API double hn_scene_next(const hn_scene *scene);
// One more frame from the simulation's present values (after hn_simulation_look_at or a step).
HN_API hn_status hn_scene_record(hn_scene *scene, hn_simulation *simulation);

// The model may get to these places: roads are drawn up to there at least.
HN_API void hn_scene_reach(hn_scene *scene, hn_vec3 low, hn_vec3 high);
// Ends the film: roads are cut to where the model was. status: "ok", "failed", "interrupted".
HN_API hn_status hn_scene_finish(hn_scene *scene, const char *status, const char *message);

// The scene as JSON. Writes at most size bytes, terminated (HN_ERROR_LIMIT when that is not
// enough); *needed (may be null) is the whole length with the end mark. A null text only asks for
// it.
HN_API hn_status hn_scene_json(const hn_scene *scene, char *text, size_t size, size_t *needed);
// Reads back the output of hn_scene_json, and motion as 32-bit numbers, little endian. Missing
// whole frames at the end are left out (frames has their number); everything else that is wrong is
// an error. name is the name of the file in messages.
HN_API hn_status hn_scene_read(const char *text, size_t size, const unsigned char *motion,
                               size_t motion_size, const char *name, hn_scene **scene,
                               hn_error *error);

// Triangles of any shape in its own axes, for drawing; to be freed with hn_mesh_free. segments:
// around a circle, at least 8.
HN_API hn_status hn_shape_triangles(const hn_shape_def *shape, int segments, hn_mesh **mesh,
                                    hn_error *error);

// scene.json and motion.bin (32-bit numbers, little endian) into a folder that is there.
HN_API hn_status hn_scene_write(const hn_scene *scene, const char *folder, hn_error *error);
// The motion as motion.bin has it, 4 bytes a number: frames * stride of them.
HN_API void hn_scene_motion_bytes(const hn_scene *scene, unsigned char *bytes);
// Animated glTF 2.0: .glb is binary, any other ending is JSON with the data inside. A node a body,
// under its name. The frame that is not finite or not later than the one before, and all after it,
// are left out; *frames (may be null) gets the number written.
HN_API hn_status hn_scene_write_gltf(const hn_scene *scene, const char *path, int *frames,
                                     hn_error *error);

#ifdef __cplusplus
}
#endif

#endif
