// Numbers, vectors and turns from the text of attributes.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/import/machine.h"
#include "math/elementary.h"

const char *hn_xml_element(hn_machine *machine, const hn_xml *node) {
  const char *name = hn_xml_peek(node, "name");
  if (!node) return "the file";
  if (name && *name) return hn_machine_text(machine, "<%.40s> '%.60s'", node->name, name);
  const hn_xml *up = node->parent;
  const char *of = hn_xml_peek(up, "name");
  if (!of && up) {
    of = hn_xml_peek(up->parent, "name");
    if (of) up = up->parent;
  }
  if (of && *of)
    return hn_machine_text(machine, "<%.30s> of %.30s '%.50s'", node->name, up->name, of);
  return hn_machine_text(machine, "<%.60s>", node->name);
}

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static void refuse_number(hn_machine *machine, const hn_xml *node, const char *what,
                          const char *text) {
  size_t n = strcspn(text, " \t\r\n");
  hn_machine_fail(machine, node, hn_xml_element(machine, node), "Write a finite decimal number.",
                  "has %s '%.*s', which is not a finite number", what, n < 60 ? (int)n : 60, text);
}

int hn_numbers_some(hn_machine *machine, const hn_xml *node, const char *what, const char *text,
                    int most, double *numbers) {
  int count = 0;
  for (;;) {
    while (is_blank(*text)) text++;
    if (!*text) return count;
    char *end;
    double number = strtod(text, &end);
    if (end == text || (*end && !is_blank(*end)) || !isfinite(number)) {
      refuse_number(machine, node, what, text);
      return -1;
    }
    if (count < most) numbers[count] = number;
    count++;
    text = end;
  }
}

int hn_numbers_of(hn_machine *machine, const hn_xml *node, const char *what, const char *text,
                  int count, double *numbers) {
  int found = hn_numbers_some(machine, node, what, text, count, numbers);
  if (found == count) return 1;
  if (found >= 0)
    hn_machine_fail(machine, node, hn_xml_element(machine, node), "Separate numbers by spaces.",
                    "expects %d number%s in %s, got %d: '%.60s'", count, count == 1 ? "" : "s",
                    what, found, text);
  for (int k = 0; k < count; k++) numbers[k] = 0;
  return 0;
}

double hn_xml_number(hn_machine *machine, hn_xml *node, const char *name, double other) {
  const char *text = hn_xml_get(node, name);
  double number = other;
  return text && hn_numbers_of(machine, node, name, text, 1, &number) ? number : other;
}

hn_vec3 hn_xml_vector(hn_machine *machine, hn_xml *node, const char *name, hn_vec3 other) {
  const char *text = hn_xml_get(node, name);
  double numbers[3];
  return text && hn_numbers_of(machine, node, name, text, 3, numbers) ? vec3_load(numbers) : other;
}

hn_mat3 hn_rotation_rpy(double roll, double pitch, double yaw) {
  double cr = hn_cos(roll), sr = hn_sin(roll), cp = hn_cos(pitch), sp = hn_sin(pitch);
  double cy = hn_cos(yaw), sy = hn_sin(yaw);
  return (hn_mat3){{{cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr},
                    {sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr},
                    {-sp, cp * sr, cp * cr}}};
}

hn_mat3 hn_rotation_z_to(hn_vec3 z) {
  hn_vec3 u = vec3_unit(z), axis = vec3_cross(vec3(0, 0, 1), u);
  double s = vec3_norm(axis);
  if (s < 1e-10) { // along z, or against it
    if (u.z > 0) return mat3_identity();
    return (hn_mat3){{{1, 0, 0}, {0, -1, 0}, {0, 0, -1}}};
  }
  return quat_matrix(quat_from_axis_angle(axis, hn_atan2(s, u.z)));
}

int hn_whole_of(double number) {
  if (number > 0x7fffffff) return 0x7fffffff;
  return number > -0x7fffffff ? (int)number : -0x7fffffff;
}

int hn_color_of_parts(const double *rgb) {
  int color = 0;
  for (int k = 0; k < 3; k++) {
    double part = rgb[k] > 0 ? (rgb[k] < 1 ? rgb[k] : 1) : 0;
    color = 256 * color + (int)(255 * part + 0.5);
  }
  return color;
}
