// The joint graph as a drawing: bodies in columns by their distance from ground, joints between
// them, joints with redundant rows marked. Large machines are drawn with dots instead of names.
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { most_bodies = 400 };

typedef struct edge {
  int joint, a, b; // column of a <= column of b
  int closes;      // a loop: the machine stays connected without it
} edge;

typedef struct label {
  int is_shown;
  double x, y, half_width;
} label;

typedef struct graph {
  const hn_cli_session *session;
  int node_count, edge_count, link_count, column_count, tallest;
  edge *edges;    // joints (edge_count)
  edge *links;    // forces, numbered by `joint` (link_count)
  int *column;    // of each body; -1 while unknown (node_count)
  int *place;     // in its column (node_count)
  int *size;      // of each column (node_count)
  int *order;     // bodies column after column (node_count)
  double *weight; // for sorting (node_count)
  label *labels;  // of joints (edge_count)
  int has_names, is_complete;
  double width, height, column_width, row_height, box_width;
} graph;

// ---- columns ------------------------------------------------------------------------------------

static int is_coupling(hn_joint_type type) { return !hn_joint_joins_bodies(type); }

static void collect_edges(graph *g) {
  const hn_model *model = g->session->model;
  int joints = hn_model_joint_count(model);
  g->edges = hn_cli_allocate((size_t)joints, sizeof *g->edges);
  for (int j = 0; j < joints; j++) {
    if (is_coupling(hn_model_joint_type(model, j))) continue;
    int bodies[2] = {0, 0};
    hn_model_joint_bodies(model, j, bodies);
    if (bodies[0] == bodies[1] || bodies[0] < 0 || bodies[1] < 0) continue;
    g->edges[g->edge_count++] = (edge){.joint = j, .a = bodies[0], .b = bodies[1]};
  }
}

// Draws forces between bodies that no line joins yet, one line a pair.
static void collect_forces(graph *g) {
  const hn_model *model = g->session->model;
  int forces = hn_model_force_count(model);
  g->links = hn_cli_allocate((size_t)forces, sizeof *g->links);
  for (int f = 0; f < forces; f++) {
    int bodies[2] = {0, 0}, is_new = 1;
    hn_model_force_bodies(model, f, bodies);
    edge link = {.joint = f, .a = bodies[0], .b = bodies[1]};
    for (int k = 0; k < g->link_count; k++) {
      is_new &= g->links[k].a != link.a || g->links[k].b != link.b;
    }
    if (is_new && link.a != link.b) g->links[g->link_count++] = link;
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

// In relative coordinates the columns are those of the tree that was chosen.
static const hn_mobility *chosen_tree(const graph *g) {
  const hn_mobility *mobility = &g->session->mobility;
  return g->session->has_mobility && mobility->cut_rows >= 0 ? mobility : NULL;
}

static void assign_columns(graph *g) {
  const hn_mobility *tree = chosen_tree(g);
  for (int body = 0; body < g->node_count; body++) g->column[body] = -1;
  g->column[HN_GROUND] = 0;
  for (int k = 0; tree != NULL && k < tree->tree_count; k++) {
    g->column[tree->tree[k].body] = tree->tree[k].depth;
  }
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

// Marks the joints beyond a tree from ground outwards: cut open, they leave no loop. group[body]
// leads to what it hangs on so far.
static void find_closing(graph *g) {
  const hn_mobility *tree = chosen_tree(g);
  if (tree != NULL) {
    for (int e = 0; e < g->edge_count; e++)
      for (int k = 0; k < tree->cut_count; k++)
        g->edges[e].closes |= tree->cut[k] == g->edges[e].joint;
    return;
  }
  int *group = hn_cli_allocate((size_t)g->node_count, sizeof *group);
  for (int body = 0; body < g->node_count; body++) group[body] = body;
  for (int level = 0; level < 2; level++) { // joints within a column come last
    for (int e = 0; e < g->edge_count; e++) {
      edge *one = &g->edges[e];
      if ((g->column[one->a] == g->column[one->b]) != level) continue;
      int a = one->a, b = one->b;
      while (group[a] != a) a = group[a];
      while (group[b] != b) b = group[b];
      one->closes = a == b;
      group[b] = a;
    }
  }
  free(group);
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
  size_t longest = 6;
  for (int body = 1; body < g->node_count; body++) {
    size_t length = strlen(hn_model_body_name(g->session->model, body));
    if (length > longest) longest = length;
  }
  g->box_width = g->has_names ? fmin(180, 18 + 6.6 * (double)longest) : 10;
  g->column_width = g->has_names ? g->box_width + (g->column_count <= 4 ? 150 : 90)
                                 : fmax(22, 900.0 / g->column_count);
  // few rows stand apart, so that the names of the joints between them do too
  g->row_height = g->has_names ? (g->tallest <= 6    ? 84
                                  : g->tallest <= 14 ? 60
                                                     : 46)
                               : fmax(12, fmin(30, 600.0 / g->tallest));
  g->width = g->column_width * (g->column_count - 1) + g->box_width + 40;
  g->height = fmax(90, g->row_height * g->tallest + 20);
  for (int e = 0; e < g->edge_count; e++) { // room for joints between bodies of the last column
    int last = g->column_count - 1;
    if (g->column[g->edges[e].a] != last || g->column[g->edges[e].b] != last) continue;
    g->width = g->column_width * last + g->box_width + 40 + 0.8 * (g->column_width - g->box_width);
    break;
  }
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
  return 24 * (before - 0.5 * (all - 1));
}

// Forces are straight, and pass behind everything.
static void add_link(hn_cli_text *text, const graph *g, const edge *link) {
  hn_cli_add(text, "<g class=\"fc\"><path d=\"M%.1f %.1fL%.1f %.1f\"><title>", node_x(g, link->a),
             node_y(g, link->a), node_x(g, link->b), node_y(g, link->b));
  hn_cli_add_xml(text, hn_model_force_name(g->session->model, link->joint));
  hn_cli_add(text, " (%s)</title></path></g>\n",
             hn_force_type_name(hn_model_force_type(g->session->model, link->joint)));
}

// The four points of the curve of a joint.
typedef struct curve {
  double x[4], y[4];
} curve;

static double level_bend(const graph *g, double distance) {
  return fmin(0.35 * distance + 14, 0.8 * (g->column_width - g->box_width));
}

static curve curve_of(const graph *g, int index) {
  const edge *e = &g->edges[index];
  int is_level = g->column[e->a] == g->column[e->b];
  double half = g->box_width / 2, shift = side_shift(g, index);
  double xa = node_x(g, e->a) + half, ya = node_y(g, e->a);
  double xb = node_x(g, e->b) + (is_level ? half : -half), yb = node_y(g, e->b);
  double bend = is_level ? level_bend(g, fabs(yb - ya)) : 0.45 * (xb - xa);
  return (curve){{xa, xa + bend, is_level ? xb + bend : xb - bend, xb},
                 {ya, ya + shift, yb + shift, yb}};
}

static double on_curve(const double p[4], double u) {
  double v = 1 - u;
  return v * v * v * p[0] + 3 * v * v * u * p[1] + 3 * v * u * u * p[2] + u * u * u * p[3];
}

static int joints_of(const graph *g, int body) {
  int count = 0;
  for (int e = 0; e < g->edge_count; e++) {
    count += g->edges[e].a == body || g->edges[e].b == body;
  }
  return count;
}

// Names of joints are written where they cover no other name, towards the body with fewer joints.
// When one finds no room, all stay under the pointer.
static void place_labels(graph *g) {
  static const double places[] = {0.5, 0.62, 0.7, 0.38, 0.3};
  g->is_complete = 1;
  for (int e = 0; e < g->edge_count; e++) {
    label *mine = &g->labels[e];
    curve c = curve_of(g, e);
    mine->half_width =
        3.1 * (double)strlen(hn_model_joint_name(g->session->model, g->edges[e].joint));
    mine->half_width = fmax(mine->half_width, 20) + 3;
    int more = joints_of(g, g->edges[e].a) - joints_of(g, g->edges[e].b);
    for (int k = 0; g->has_names && !mine->is_shown && k < 5; k++) {
      double place = places[more > 0 ? (k + 1) % 5 : k]; // a fan opens to the right
      mine->x = on_curve(c.x, more < 0 ? 1 - places[(k + 1) % 5] : place);
      mine->y = on_curve(c.y, more < 0 ? 1 - places[(k + 1) % 5] : place);
      mine->is_shown = mine->x - mine->half_width > fmin(c.x[0], c.x[3]) - 8 &&
                       (c.x[3] - c.x[0] < 1 || mine->x + mine->half_width < c.x[3] + 8);
      for (int f = 0; f < e && mine->is_shown; f++) {
        const label *other = &g->labels[f];
        if (other->is_shown && fabs(other->x - mine->x) < other->half_width + mine->half_width &&
            fabs(other->y - mine->y) < (g->tallest <= 14 ? 26 : 21)) {
          mine->is_shown = 0;
        }
      }
    }
    g->is_complete &= mine->is_shown;
  }
}

static void add_edge(hn_cli_text *text, const graph *g, int index) {
  const hn_model *model = g->session->model;
  int joint = g->edges[index].joint, redundant = is_redundant(g, joint);
  hn_joint_type type = hn_model_joint_type(model, joint);
  const char *kind = redundant                ? " rd"
                     : type == HN_JOINT_FREE  ? " fr"
                     : g->edges[index].closes ? " cl"
                                              : "";
  curve c = curve_of(g, index);
  hn_cli_add(text, "<g class=\"jt%s\"><path d=\"M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f\"><title>",
             kind, c.x[0], c.y[0], c.x[1], c.y[1], c.x[2], c.y[2], c.x[3], c.y[3]);
  hn_cli_add_xml(text, hn_model_joint_name(model, joint));
  hn_cli_add(text, " (%s%s%s)</title></path></g>\n", hn_joint_type_name(type),
             g->edges[index].closes ? ", closes a loop" : "", redundant ? ", redundant rows" : "");
}

static void add_label(hn_cli_text *text, const graph *g, int index) {
  const label *mine = &g->labels[index];
  if (!mine->is_shown) return;
  int joint = g->edges[index].joint;
  hn_cli_add(text, "<g class=\"nm\"><text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", mine->x,
             mine->y - 1);
  hn_cli_add_xml(text, hn_model_joint_name(g->session->model, joint));
  hn_cli_add(
      text,
      "</text><text class=\"ty\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text></g>\n",
      mine->x, mine->y + 9, hn_joint_type_name(hn_model_joint_type(g->session->model, joint)));
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
  hn_cli_text words = {0};
  // the end of a long name tells more than its beginning: "front_left.upper_arm"
  hn_cli_add(&words, "%s%s", is_cut ? "…" : "", is_cut ? name + strlen(name) - room + 1 : name);
  hn_cli_add(text, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", x, y + 4);
  hn_cli_add_xml(text, words.data);
  hn_cli_add(text, "</text></g>\n");
  hn_cli_text_free(&words);
}

static void draw(hn_cli_text *text, const graph *g) {
  int any_redundant = 0, any_closing = 0;
  for (int e = 0; e < g->edge_count; e++) {
    int redundant = is_redundant(g, g->edges[e].joint);
    any_redundant |= redundant;
    any_closing |= g->edges[e].closes && !redundant;
  }
  hn_cli_add(text,
             "<figure class=\"topology\" style=\"flex:2 1 %.0fpx\"><svg viewBox=\"0 0 %.0f %.0f\" "
             "style=\"max-width:%.0fpx\" role=\"img\" aria-label=\"bodies and joints\">\n",
             fmin(g->width, 1072), g->width, g->height, g->width);
  for (int k = 0; k < g->link_count; k++) add_link(text, g, &g->links[k]);
  for (int e = 0; e < g->edge_count; e++) add_edge(text, g, e);
  for (int e = 0; e < g->edge_count && g->is_complete; e++) add_label(text, g, e);
  for (int body = 0; body < g->node_count; body++) add_node(text, g, body);
  hn_cli_add(text,
             "</svg>\n<figcaption>Bodies in columns by their distance from ground. Lines are "
             "joints%s.",
             g->is_complete ? "" : " (names under the pointer)");
  if (any_closing) {
    hn_cli_add(text, " <span class=\"key clkey\"></span> joints that close loops.");
  }
  if (any_redundant) {
    hn_cli_add(text, " <span class=\"key rdkey\"></span> joints with rows that repeat what others "
                     "say.");
  }
  if (g->link_count > 0) hn_cli_add(text, " <span class=\"key fckey\"></span> forces.");
  hn_cli_add(text, "</figcaption></figure>\n");
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
  collect_forces(&g);
  assign_columns(&g);
  for (int e = 0; e < g.edge_count; e++) { // from left to right
    if (g.column[g.edges[e].a] > g.column[g.edges[e].b]) {
      int a = g.edges[e].a;
      g.edges[e].a = g.edges[e].b;
      g.edges[e].b = a;
    }
  }
  find_closing(&g);
  reduce_crossings(&g);
  choose_sizes(&g);
  g.labels = hn_cli_allocate((size_t)g.edge_count, sizeof *g.labels);
  place_labels(&g);
  draw(text, &g);
  free(g.edges), free(g.links), free(g.labels), free(g.column), free(g.place), free(g.size),
      free(g.order), free(g.weight);
}
