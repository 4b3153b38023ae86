// Plane curves for contact: lines, arcs and pieces of splines, one after the other. The side to the
// left is solid.
//
// Features, in one row: piece k (2 k), and the corner at its end (2 k + 1) where the curve turns
// left.
#ifndef HN_CONTACT_CURVE_H
#define HN_CONTACT_CURVE_H

#include "contact/geometry.h"
#include "math/vec2.h"

typedef enum hn_piece_kind { HN_PIECE_LINE, HN_PIECE_ARC, HN_PIECE_CUBIC } hn_piece_kind;

typedef struct hn_curve_piece {
  hn_piece_kind kind;
  hn_vec2 from, to;
  hn_vec2 start_way, end_way; // unit tangents
  hn_vec2 center;             // arc
  double radius, turn;        // arc: turn +1 to the left (convex), -1 to the right
  double angle, sweep;        // arc: start, and extent (> 0)
  double length;              // cubic: of its parameter
  double x[4], y[4];          // cubic: coefficients
  int has_corner;             // at its end, convex
  hn_vec2 middle;             // of a circle that holds the piece
  double reach;               // its radius
} hn_curve_piece;

typedef struct hn_curve {
  int count;
  hn_curve_piece *pieces;
  int is_closed;
} hn_curve;

// A point of the curve: place, outward normal (to the right), unit tangent, curvature (> 0 convex).
typedef struct hn_curve_point {
  hn_vec2 at, normal, way;
  double curvature;
  int is_corner;
} hn_curve_point;

hn_status hn_curve_of_shape(hn_arena *arena, const hn_shape_def *def, hn_contact_shape *out,
                            hn_error *error);
// The point of a feature nearest to x; *within: it is not beyond its ends.
hn_curve_point hn_curve_nearest(const hn_curve *curve, int feature, hn_vec2 x, int *within);
// The point of a feature that is furthest along direction d (unit): where the normal is d.
hn_curve_point hn_curve_furthest(const hn_curve *curve, int feature, hn_vec2 d, int *within);

// A point of a piece that is no corner, `s` of its parameter: 0 to hn_piece_length, and a little beyond.
hn_curve_point hn_piece_at(const hn_curve_piece *piece, double s, double *speed);
double hn_piece_length(const hn_curve_piece *piece);
// A straight piece from `from` to `to`, and the corners between pieces.
void hn_piece_line(hn_curve_piece *piece, hn_vec2 from, hn_vec2 to);
void hn_curve_corners(hn_curve *curve);
// How far a point lies outside the curve, by its nearest piece or corner; < 0: inside.
double hn_curve_outside(const hn_curve *curve, hn_vec2 x);

// Points along the curve for drawing, x y of each; returns how many, at most the capacity.
int hn_curve_sample(const hn_curve *curve, int each, double *points, int room);
// The curve of a definition without a model; its pieces are taken from the arena. The error has no
// place.
hn_status hn_curve_make(hn_arena *arena, const hn_shape_def *def, hn_curve **curve,
                        const char **why);

#endif
