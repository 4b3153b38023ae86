// The lengths of a loop that does not close: in a simple loop each body is one link, from joint
// point to joint point.
#include <math.h>
#include <string.h>

#include "analysis/assembly_failure.h"
#include "base/error.h"
#include "elements/joint_graph.h"
#include "model/joint_types.h"

enum { LINKS = 6 }; // a longer list is not readable

// The two joint points of a body in the part as a link; 0 when it has not exactly two.
typedef struct link {
  hn_vec3 point[2];
  int joint[2];
} link;

static int find_link(const hn_elements *elements, const hn_joint_graph *graph, int part, int body,
                     link *out) {
  int count = 0;
  for (int k = graph->row_start[part]; k < graph->row_start[part + 1]; k++) {
    const hn_row *row = &elements->rows[graph->rows[k]];
    if (row->is_driver || row->place != 0) continue;
    const hn_joint_def *joint = &elements->model->joints[row->owner];
    if (joint->coupled_count > 0) continue;
    for (int end = 0; end < 2; end++) {
      const hn_frame_on_body *frame = end ? &joint->frame2 : &joint->frame1;
      if (frame->body != body) continue;
      if (count == 2) return 0;
      out->joint[count] = row->owner;
      out->point[count++] = frame->position;
    }
  }
  return count == 2;
}

// Slides and distances have no fixed length between their points.
static int has_open_joint(const hn_elements *elements, const hn_joint_graph *graph, int part) {
  for (int k = graph->row_start[part]; k < graph->row_start[part + 1]; k++) {
    const hn_row *row = &elements->rows[graph->rows[k]];
    if (row->is_driver) continue;
    if (!hn_joint_shares_point(elements->model->joints[row->owner].type)) return 1;
  }
  return 0;
}

void hn_assembly_describe_loop(const hn_assembly *a, const hn_assembly_rows *rows, int row,
                               hn_arena *arena, char *text, size_t size, int *impossible) {
  const hn_elements *elements = a->elements;
  hn_joint_graph graph;
  double longest = 0, sum = 0;
  text[0] = 0;
  *impossible = 0;
  if (row >= rows->row_count || hn_joint_graph_create(arena, elements, &graph) != HN_OK) return;
  int part = graph.part_of_row[row];
  int first = graph.body_start[part], end = graph.body_start[part + 1];
  if (end - first < 3 || end - first > LINKS) return;
  for (int k = first; k < end; k++) {
    link l;
    if (!find_link(elements, &graph, part, graph.bodies[k], &l)) {
      text[0] = 0;
      return;
    }
    double length = vec3_norm(vec3_sub(l.point[1], l.point[0]));
    size_t used = strlen(text);
    hn_text(text + used, size - used, "%s%s %.4g m (%s to %s)", used ? ", " : "",
            a->model->bodies[graph.bodies[k]].name, length, a->model->joints[l.joint[0]].name,
            a->model->joints[l.joint[1]].name);
    sum += length;
    longest = fmax(longest, length);
  }
  *impossible = 2 * longest > (1 + 1e-9) * sum && !has_open_joint(elements, &graph, part);
}
