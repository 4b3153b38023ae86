// The joint graph as a drawing: bodies in columns by their distance from ground, joints between
// them, joints with redundant rows marked. Large machines are drawn with dots instead of names.
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { most_bodies = 400 };

typedef struct edge {
  int joint, a, b; // column of a <= column of b
} edge;

typedef struct graph {
  const hn_cli_session *session;
  int node_count, edge_count, column_count, tallest;
  edge *edges;
  int *column;    // of each body; -1 while unknown (node_count)
  int *place;     // in its column (node_count)
  int *size;      // of each column (node_count)
  int *order;     // bodies column after column (node_count)
  double *weight; // for sorting (node_count)
  int has_names, has_joint_names;
  double width, height, column_width, row_height, box_width;
} graph;

// ---- columns ------------------------------------------------------------------------------------

static int is_coupling(hn_joint_type type) {
  return type == HN_JOINT_GEAR || type == HN_JOINT_RACK_PINION || type == HN_JOINT_COUPLER;
}

static void collect_edges(graph *g) {
  const hn_model *model = g->session->model;
  int joints = hn_model_joint_count(model);
  g->edges = hn_cli_allocate((size_t)joints, sizeof *g->edges);
  for (int j = 0; j < joints; j++) {
    if (is_coupling(hn_model_joint_type(model, j))) continue;
    int bodies[2] = {0, 0};
    hn_model_joint_bodies(model, j, bodies);
    if (bodies[0] == bodies[1]) continue;
    g->edges[g->edge_count++] = (edge){j, bodies[0], bodies[1]};
  }
}

// Breadth first from the bodies of the column given.
static void spread_from(graph *g, int column) {
  for (int found = 1; found; column++) {
    found = 0;
    for (int e = 0; e < g->edge_count; e++) {
      int a = g->edges[e].a, b = g->edges[e].b;
      if (g->column[a] == column && g->column[b] < 0) g->column[b] = column + 1, found = 1;
      if (g->column[b] == column && g->column[a] < 0) g->column[a] = column + 1, found = 1;
    }
  }
}

// The body with most joints among those not reached: where a floating part begins.
static int busiest_unreached(const graph *g) {
  int best = -1, most = -1;
  for (int body = 1; body < g->node_count; body++) {
    if (g->column[body] >= 0) continue;
    int count = 0;
    for (int e = 0; e < g->edge_count; e++) {
      count += g->edges[e].a == body || g->edges[e].b == body;
    }
    if (count > most) most = count, best = body;
  }
  return best;
}

static void assign_columns(graph *g) {
  for (int body = 0; body < g->node_count; body++) g->column[body] = -1;
  g->column[HN_GROUND] = 0;
  spread_from(g, 0);
  for (int body = busiest_unreached(g); body >= 0; body = busiest_unreached(g)) {
    g->column[body] = 1;
    spread_from(g, 1);
  }
  for (int body = 0; body < g->node_count; body++) {
    int column = g->column[body];
    g->place[body] = g->size[column]++;
    if (column + 1 > g->column_count) g->column_count = column + 1;
    if (g->size[column] > g->tallest) g->tallest = g->size[column];
  }
}

// ---- order in a column
// ---------------------------------------------------------------------------

static double height_of(const graph *g, int body) {
  int column = g->column[body];
  return (g->place[body] + 0.5) / g->size[column];
}

// Bodies of a column by the mean height of their neighbours: fewer crossings.
static void sort_column(graph *g, int column) {
  int count = 0;
  for (int body = 0; body < g->node_count; body++) {
    if (g->column[body] != column) continue;
    double sum = 0;
    int neighbours = 0;
    for (int e = 0; e < g->edge_count; e++) {
      int other = g->edges[e].a == body   ? g->edges[e].b
                  : g->edges[e].b == body ? g->edges[e].a
                                          : -1;
      if (other < 0 || g->column[other] == column) continue;
      sum += height_of(g, other);
      neighbours++;
    }
    g->weight[body] = neighbours > 0 ? sum / neighbours : height_of(g, body);
    // insertion keeps equal ones in the order of the model
    int at = count++;
    while (at > 0 && g->weight[g->order[at - 1]] > g->weight[body]) {
      g->order[at] = g->order[at - 1];
      at--;
    }
    g->order[at] = body;
  }
  for (int i = 0; i < count; i++) g->place[g->order[i]] = i;
}

static void reduce_crossings(graph *g) {
  for (int sweep = 0; sweep < 6; sweep++) {
    for (int c = 1; c < g->column_count; c++) sort_column(g, c);
    for (int c = g->column_count - 2; c > 0; c--) sort_column(g, c);
  }
}

// ---- drawing ------------------------------------------------------------------------------------

static void choose_sizes(graph *g) {
  g->has_names = g->column_count <= 8 && g->tallest <= 40;
  g->has_joint_names = g->has_names && g->edge_count <= 24;
  size_t longest = 6;
  for (int body = 1; body < g->node_count; body++) {
    size_t length = strlen(hn_model_body_name(g->session->model, body));
    if (length > longest) longest = length;
  }
  g->box_width = g->has_names ? fmin(180, 18 + 6.6 * (double)longest) : 10;
  g->column_width = g->has_joint_names ? g->box_width + 130
                    : g->has_names     ? g->box_width + 80
                                       : fmax(22, 900.0 / g->column_count);
  g->row_height =
      g->has_names ? (g->has_joint_names ? 52 : 34) : fmax(12, fmin(30, 600.0 / g->tallest));
  g->width = g->column_width * (g->column_count - 1) + g->box_width + 40;
  g->height = fmax(90, g->row_height * g->tallest + 20);
}

static double node_x(const graph *g, int body) {
  return 20 + g->box_width / 2 + g->column_width * g->column[body];
}
static double node_y(const graph *g, int body) {
  return 10 + (g->height - 20) * height_of(g, body);
}

static int is_redundant(const graph *g, int joint) {
  if (!g->session->has_mobility) return 0;
  const hn_mobility *mobility = &g->session->mobility;
  for (int i = 0; i < mobility->redundant_count; i++) {
    if (!mobility->redundant[i].is_driver && mobility->redundant[i].id == joint) return 1;
  }
  return 0;
}

// Joints between the same two bodies are drawn side by side.
static double side_shift(const graph *g, int index) {
  int before = 0, all = 0;
  for (int e = 0; e < g->edge_count; e++) {
    const edge *one = &g->edges[index], *two = &g->edges[e];
    if (one->a != two->a || one->b != two->b) continue;
    all++;
    before += e < index;
  }
  return 16 * (before - 0.5 * (all - 1));
}

static void add_edge(hn_cli_text *text, const graph *g, int index) {
  const edge *e = &g->edges[index];
  const hn_model *model = g->session->model;
  int is_level = g->column[e->a] == g->column[e->b];
  double half = g->box_width / 2, shift = side_shift(g, index);
  double xa = node_x(g, e->a) + half, ya = node_y(g, e->a);
  double xb = is_level ? node_x(g, e->b) + half : node_x(g, e->b) - half, yb = node_y(g, e->b);
  double bend = is_level ? 0.35 * fabs(yb - ya) + 14 : 0.45 * (xb - xa);
  if (is_level) bend = fmin(bend, 0.8 * (g->column_width - g->box_width));
  int redundant = is_redundant(g, e->joint);
  const char *kind = redundant                                               ? " rd"
                     : hn_model_joint_type(model, e->joint) == HN_JOINT_FREE ? " fr"
                                                                             : "";
  hn_cli_add(text, "<g class=\"jt%s\"><path d=\"M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f\"><title>",
             kind, xa, ya, xa + bend, ya + shift, is_level ? xb + bend : xb - bend, yb + shift, xb,
             yb);
  hn_cli_add_xml(text, hn_model_joint_name(model, e->joint));
  hn_cli_add(text, " (%s%s)</title></path>",
             hn_joint_type_name(hn_model_joint_type(model, e->joint)),
             redundant ? ", redundant rows" : "");
  if (g->has_joint_names) {
    double x = is_level ? xa + 0.75 * bend : 0.5 * (xa + xb);
    double y = 0.5 * (ya + yb) + 0.75 * shift;
    hn_cli_add(text, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y - 1,
               is_level ? "start" : "middle");
    hn_cli_add_xml(text, hn_model_joint_name(model, e->joint));
    hn_cli_add(text, "</text><text class=\"ty\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>",
               x, y + 9, is_level ? "start" : "middle",
               hn_joint_type_name(hn_model_joint_type(model, e->joint)));
  }
  hn_cli_add(text, "</g>\n");
}

static void add_node(hn_cli_text *text, const graph *g, int body) {
  const char *name = hn_model_body_name(g->session->model, body);
  double x = node_x(g, body), y = node_y(g, body);
  const char *kind = body == HN_GROUND ? " gd" : "";
  if (!g->has_names) {
    hn_cli_add(text, "<circle class=\"bd%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"><title>", kind, x, y);
    hn_cli_add_xml(text, name);
    hn_cli_add(text, "</title></circle>\n");
    return;
  }
  hn_cli_add(text,
             "<g><rect class=\"bd%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"24\" "
             "rx=\"5\"/>",
             kind, x - g->box_width / 2, y - 12, g->box_width);
  size_t room = (size_t)((g->box_width - 10) / 6.4);
  int is_cut = strlen(name) > room;
  hn_cli_text label = {0};
  // the end of a long name tells more than its beginning: "front_left.upper_arm"
  hn_cli_add(&label, "%s%s", is_cut ? "…" : "", is_cut ? name + strlen(name) - room + 1 : name);
  hn_cli_add(text, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", x, y + 4);
  hn_cli_add_xml(text, label.data);
  hn_cli_add(text, "</text></g>\n");
  hn_cli_text_free(&label);
}

static void draw(hn_cli_text *text, const graph *g) {
  int any_redundant = 0;
  for (int e = 0; e < g->edge_count; e++) any_redundant |= is_redundant(g, g->edges[e].joint);
  hn_cli_add(text,
             "<figure class=\"topology\" style=\"flex:2 1 %.0fpx\"><svg viewBox=\"0 0 %.0f %.0f\" "
             "style=\"max-width:%.0fpx\" role=\"img\" aria-label=\"bodies and joints\">\n",
             fmin(g->width, 1072), g->width, g->height, g->width);
  for (int e = 0; e < g->edge_count; e++) add_edge(text, g, e);
  for (int body = 0; body < g->node_count; body++) add_node(text, g, body);
  hn_cli_add(text,
             "</svg>\n<figcaption>Bodies in columns by their distance from ground; lines are "
             "joints%s.%s</figcaption></figure>\n",
             g->has_joint_names ? "" : " (names under the pointer)",
             any_redundant
                 ? " <span class=\"rdkey\"></span> joints with rows that repeat what others "
                   "say already."
                 : "");
}

void hn_cli_add_topology(hn_cli_text *text, const hn_cli_session *session) {
  graph g = {.session = session, .node_count = hn_model_body_count(session->model) + 1};
  if (g.node_count < 2) return;
  if (g.node_count > most_bodies) {
    hn_cli_add(text, "<p class=\"quiet\">%d bodies are too many for a drawing.</p>\n",
               g.node_count - 1);
    return;
  }
  size_t count = (size_t)g.node_count;
  g.column = hn_cli_allocate(count, sizeof *g.column);
  g.place = hn_cli_allocate(count, sizeof *g.place);
  g.size = hn_cli_allocate(count + 1, sizeof *g.size);
  g.order = hn_cli_allocate(count, sizeof *g.order);
  g.weight = hn_cli_allocate(count, sizeof *g.weight);
  collect_edges(&g);
  assign_columns(&g);
  for (int e = 0; e < g.edge_count; e++) { // from left to right
    if (g.column[g.edges[e].a] > g.column[g.edges[e].b]) {
      int a = g.edges[e].a;
      g.edges[e].a = g.edges[e].b;
      g.edges[e].b = a;
    }
  }
  reduce_crossings(&g);
  choose_sizes(&g);
  draw(text, &g);
  free(g.edges), free(g.column), free(g.place), free(g.size), free(g.order), free(g.weight);
}
