// Common declarations of scenes.
#ifndef HN_OUTPUT_SCENE_H
#define HN_OUTPUT_SCENE_H

#include "base/arena.h"
#include "holon/scene.h"
#include "model/model.h"

struct hn_scene_storage {
  hn_arena arena;
  const hn_model *model; // null when it was read
  float *motion;         // grows
  int room, due;         // frames that fit; that are due until the end
  int *signals; // reactions (3 a joint) and force values; those that exist not are left out
  int *column;  // of each signal in a frame
  int signal_count;
  double *values;               // (signal_count)
  struct hn_load_source *loads; // (load_count)
  double low, high;             // x of all bodies over the motion
  double right, left;           // and y
  double begin, end;            // time of the motion
};

hn_scene *hn_scene_new(void); // empty, or null
// One more frame as it was recorded: stride numbers of 4 bytes, little endian.
hn_status hn_scene_add_frame(hn_scene *scene, const unsigned char *frame);
// Shapes of all bodies into scene->bodies: those of the model, or drawn from joints and tyres.
// 0 when out of memory.
int hn_scene_make_bodies(hn_scene *scene, const hn_model *model);
// scene_loads.c: lists tyres and contacts; 0 when out of memory. Puts theirs into a frame of zeros.
int hn_scene_make_loads(hn_scene *scene, const hn_simulation *simulation);
void hn_scene_put_loads(const hn_scene *scene, hn_simulation *simulation, float *frame);
// scene_plane.c: 1 if a mechanism moves in a plane along two axes; its normal.
int hn_scene_is_plane(const hn_scene *scene, hn_vec3 *normal);
// Makes roads along the path of the model. 0 when out of memory.
int hn_scene_make_roads(hn_scene *scene);
// Position of a point of a body in the reference configuration (m).
hn_vec3 hn_scene_drawn(const hn_model *model, int body, hn_vec3 point);

#endif
