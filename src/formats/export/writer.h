// XML as text that grows in an arena.
#ifndef HN_FORMATS_EXPORT_WRITER_H
#define HN_FORMATS_EXPORT_WRITER_H

#include "base/arena.h"
#include "math/pose.h"

typedef struct hn_writer {
  hn_arena *arena;
  char *text; // null after a failure
  size_t length, room;
  int depth;
  int is_open;  // the tag that was begun last has no '>' yet
  int is_bare;  // ... and no attribute
  size_t began; // where it stands
} hn_writer;

void hn_writer_begin(hn_writer *w, const char *tag); // <tag
void hn_writer_end(hn_writer *w,
                   const char *tag); // /> or </tag>; a tag with nothing in it is left out
void hn_writer_string(hn_writer *w, const char *name, const char *value);
void hn_writer_number(hn_writer *w, const char *name, double value);
void hn_writer_numbers(hn_writer *w, const char *name, const double *values, int count);
void hn_writer_integers(hn_writer *w, const char *name, const int *values, int count);
void hn_writer_vector(hn_writer *w, const char *name, hn_vec3 value);
void hn_writer_turn(hn_writer *w, const char *name, hn_mat3 turn); // as w x y z; left out for none
// Angles about fixed axes x, y, z, in this order.
hn_vec3 hn_writer_rpy(hn_mat3 turn);
// <tag>value</tag>
void hn_writer_value(hn_writer *w, const char *tag, double value);
void hn_writer_words(hn_writer *w, const char *tag, const char *text);
// <tag>x y z</tag>; the same with the angles behind it: <pose>
void hn_writer_three(hn_writer *w, const char *tag, hn_vec3 value);
void hn_writer_pose(hn_writer *w, const hn_pose *pose);

#endif
