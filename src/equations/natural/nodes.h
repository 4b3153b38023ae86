// Natural coordinates: points and unit vectors of the bodies, shared where joints make them common
// (García de Jalón and Bayo; Dopico 2004 'global'; Cardenal 1997).
//
// A node is a free point or vector, three coordinates each. The frame of every body is linear in the
// nodes, with constant coefficients:
//
//   [r A] = sum over its nodes  x_node c' + constant,   c = (c_r, c_x, c_y, c_z)
//
// so a point r + A s has the coefficient c_r + s . (c_x, c_y, c_z) of each node, and the mass matrix,
// sum over bodies of (m c_r c_r' + P c c') (x) 1, is constant. A body has four columns (one point and
// three edges from it that are far from one plane); those that belong to a joint with a body that has
// its columns already are taken from there, by value: they make no node and no equation. The remaining
// constraints are that the edges of a body keep their lengths and angles (Gram entries), unless another
// body has these already, and those constraints of the joints that sharing does not satisfy.
//
// Found once from the reference configuration. Out of scope: the equations (natural.c).
#ifndef HN_EQUATIONS_NATURAL_NODES_H
#define HN_EQUATIONS_NATURAL_NODES_H

#include "elements/elements.h"

// How a node is read off the frame of the body that made it: r + A s, or A s for a vector.
typedef struct hn_natural_node {
  int body;
  int is_point;
  hn_vec3 s;
} hn_natural_node;

typedef struct hn_natural_term {
  int node;
  double c[4]; // in r and the three axes
} hn_natural_term;

typedef struct hn_natural_body {
  int start, count;    // of the terms
  hn_vec3 constant[4]; // the part fixed to ground
} hn_natural_body;

// A sum of nodes: one side of a Gram entry.
typedef struct hn_natural_sum {
  int start, count; // of sum_node, sum_coefficient
  hn_vec3 constant;
} hn_natural_sum;

// edge . edge = value
typedef struct hn_natural_gram {
  int body;
  int edge[2]; // sums
  double value;
} hn_natural_gram;

typedef struct hn_natural_nodes {
  int node_count;
  hn_natural_node *nodes;
  hn_natural_body *bodies; // (bodies + ground)
  int term_count;
  hn_natural_term *terms;
  int sum_count, sum_term_count;
  hn_natural_sum *sums;
  int *sum_node;
  double *sum_coefficient;
  int gram_count;
  hn_natural_gram *grams;
  unsigned char *covered; // rows of the elements that sharing makes true (row_count)
} hn_natural_nodes;

hn_status hn_natural_nodes_create(hn_arena *arena, const hn_elements *elements,
                                  hn_natural_nodes **nodes);

#endif
