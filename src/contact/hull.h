// Questions to a convex polyhedron, in the axes of its shape.
#ifndef HN_CONTACT_HULL_H
#define HN_CONTACT_HULL_H

#include "contact/geometry.h"

// Its features in one row: faces, then edges, then corners.
static inline int hull_features(const hn_hull *h) {
  return h->face_count + h->edge_count + h->vertex_count;
}
// The feature nearest to x; of a point inside, the face it is nearest to. *distance (may be null) is
// negative inside.
int hn_hull_nearest(const hn_hull *hull, hn_vec3 x, double *distance);
// Whether x, projected onto a face, lies within its border (grown by `margin`).
int hn_hull_within_face(const hn_hull *hull, int face, hn_vec3 x, double margin);
// The form of a feature next to a global point c, and the normal that leads out there.
hn_form hn_hull_form(const hn_placed *placed, int feature, hn_vec3 c, hn_vec3 *normal);

static inline int hull_corner_count(const hn_hull *h, int face) {
  return h->start[face + 1] - h->start[face];
}
static inline int hull_corner(const hn_hull *h, int face, int k) {
  return h->corners[h->start[face] + k];
}

#endif
