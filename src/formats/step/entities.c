// Entities of a STEP file: found in its text, so that the report counts every one with its line, and
// marked with what becomes of their kinds.
#include <ctype.h>
#include <string.h>

#include "formats/step/step.h"

typedef struct scanner {
  const char *at, *end;
  int line, column;
} scanner;

static void advance(scanner *s) {
  if (*s->at == '\n') {
    s->line++;
    s->column = 0;
  }
  s->column++;
  s->at++;
}

// A string or a comment that starts here, as a whole; 0 if there is no such token here.
static int skip_quoted(scanner *s) {
  if (*s->at == '\'') {
    advance(s);
    while (s->at < s->end && *s->at != '\'') advance(s);
    if (s->at < s->end) advance(s);
    return 1;
  }
  if (*s->at != '/' || s->at + 1 >= s->end || s->at[1] != '*') return 0;
  advance(s);
  advance(s);
  while (s->at < s->end && !(*s->at == '*' && s->at + 1 < s->end && s->at[1] == '/')) advance(s);
  for (int k = 0; k < 2 && s->at < s->end; k++) advance(s);
  return 1;
}

static void skip_blanks(scanner *s) {
  while (s->at < s->end) {
    if (isspace((unsigned char)*s->at))
      advance(s);
    else if (*s->at != '/' || !skip_quoted(s))
      return;
  }
}

// ---- kinds --------------------------------------------------------------------------------------

typedef struct kind {
  const char *begin; // of its name; a name ends with '$'
  hn_fate fate;
  const char *why;
} kind;

#define WHO "author, date and purpose"
#define GEOMETRY(name)                                                                             \
  { name, HN_FATE_USED, NULL }

static const kind kinds[] = {
    {"FILE_", HN_FATE_HARMLESS, WHO},
    {"APPLICATION_", HN_FATE_HARMLESS, WHO},
    {"APPLIED_", HN_FATE_HARMLESS, WHO},
    {"APPROVAL", HN_FATE_HARMLESS, WHO},
    {"CC_DESIGN_", HN_FATE_HARMLESS, WHO},
    {"PERSON", HN_FATE_HARMLESS, WHO},
    {"ORGANIZATION", HN_FATE_HARMLESS, WHO},
    {"DATE_", HN_FATE_HARMLESS, WHO},
    {"CALENDAR_DATE", HN_FATE_HARMLESS, WHO},
    {"LOCAL_TIME", HN_FATE_HARMLESS, WHO},
    {"COORDINATED_", HN_FATE_HARMLESS, WHO},
    {"SECURITY_", HN_FATE_HARMLESS, WHO},
    {"DESIGN_CONTEXT", HN_FATE_HARMLESS, WHO},
    {"MECHANICAL_CONTEXT", HN_FATE_HARMLESS, WHO},
    {"PRODUCT_CATEGORY", HN_FATE_HARMLESS, WHO},
    {"PRODUCT_RELATED_", HN_FATE_HARMLESS, WHO},
    {"PRESENTATION_LAYER_", HN_FATE_HARMLESS, "layers of a drawing"},
    {"CURVE_STYLE", HN_FATE_HARMLESS, "line styles"},
    {"DRAUGHTING_PRE_DEFINED_", HN_FATE_HARMLESS, "line styles"},
    {"GEOMETRIC_SET", HN_FATE_HARMLESS, "lines and sheets in addition to the solids"},
    {"GEOMETRIC_CURVE_SET", HN_FATE_HARMLESS, "lines and sheets in addition to the solids"},
    {"GEOMETRICALLY_BOUNDED_", HN_FATE_HARMLESS, "lines and sheets in addition to the solids"},
    {"PROPERTY_DEFINITION", HN_FATE_HARMLESS, "validation properties"},
    {"DESCRIPTIVE_REPRESENTATION_ITEM", HN_FATE_HARMLESS, "texts in addition to the solids"},
    {"DERIVED_UNIT", HN_FATE_HARMLESS, "validation properties"},
    {"MEASURE_REPRESENTATION_ITEM", HN_FATE_HARMLESS, "validation properties"},
    {"SHAPE_ASPECT", HN_FATE_HARMLESS, "face names for annotations"},
    GEOMETRY("PRODUCT"),
    GEOMETRY("NEXT_ASSEMBLY_"),
    GEOMETRY("SHAPE_"),
    GEOMETRY("CONTEXT_DEPENDENT_SHAPE_"),
    GEOMETRY("CONTEXT_DEPENDENT_OVER_"),
    GEOMETRY("ITEM_DEFINED_"),
    GEOMETRY("MAPPED_ITEM"),
    GEOMETRY("REPRESENTATION"),
    GEOMETRY("DEFINITIONAL_REPRESENTATION"),
    GEOMETRY("ADVANCED_"),
    GEOMETRY("FACETED_"),
    GEOMETRY("MANIFOLD_"),
    GEOMETRY("BREP_"),
    GEOMETRY("CLOSED_SHELL"),
    GEOMETRY("OPEN_SHELL"),
    GEOMETRY("ORIENTED_"),
    GEOMETRY("SHELL_BASED_"),
    GEOMETRY("FACE_"),
    GEOMETRY("EDGE_"),
    GEOMETRY("VERTEX_"),
    GEOMETRY("POLY_LOOP"),
    GEOMETRY("POLYLINE"),
    GEOMETRY("CARTESIAN_"),
    GEOMETRY("DIRECTION"),
    GEOMETRY("VECTOR"),
    GEOMETRY("AXIS1_"),
    GEOMETRY("AXIS2_"),
    GEOMETRY("LINE$"),
    GEOMETRY("CIRCLE"),
    GEOMETRY("ELLIPSE"),
    GEOMETRY("HYPERBOLA"),
    GEOMETRY("PARABOLA"),
    GEOMETRY("PLANE$"),
    GEOMETRY("PCURVE"),
    GEOMETRY("SURFACE_CURVE"),
    GEOMETRY("SEAM_CURVE"),
    GEOMETRY("INTERSECTION_CURVE"),
    GEOMETRY("TRIMMED_CURVE"),
    GEOMETRY("COMPOSITE_CURVE"),
    GEOMETRY("OFFSET_"),
    GEOMETRY("B_SPLINE_"),
    GEOMETRY("BEZIER_"),
    GEOMETRY("UNIFORM_"),
    GEOMETRY("QUASI_UNIFORM_"),
    GEOMETRY("RATIONAL_"),
    GEOMETRY("BOUNDED_"),
    GEOMETRY("CYLINDRICAL_SURFACE"),
    GEOMETRY("CONICAL_SURFACE"),
    GEOMETRY("SPHERICAL_SURFACE"),
    GEOMETRY("TOROIDAL_SURFACE"),
    GEOMETRY("DEGENERATE_TOROIDAL_"),
    GEOMETRY("SURFACE_OF_"),
    GEOMETRY("RECTANGULAR_"),
    GEOMETRY("CURVE_BOUNDED_"),
    GEOMETRY("SWEPT_"),
    GEOMETRY("EXTRUDED_"),
    GEOMETRY("REVOLVED_"),
    GEOMETRY("GEOMETRIC_REPRESENTATION_"),
    GEOMETRY("GLOBAL_UNIT_"),
    GEOMETRY("LENGTH_"),
    GEOMETRY("NAMED_UNIT"),
    GEOMETRY("SI_UNIT"),
    GEOMETRY("CONVERSION_BASED_"),
    GEOMETRY("DIMENSIONAL_EXPONENTS"),
    GEOMETRY("PLANE_ANGLE_"),
    GEOMETRY("SOLID_ANGLE_"),
    GEOMETRY("UNCERTAINTY_"),
    GEOMETRY("PARAMETRIC_REPRESENTATION_"),
    GEOMETRY("STYLED_ITEM"),
    GEOMETRY("OVER_RIDING_STYLED_"),
    GEOMETRY("PRESENTATION_STYLE_"),
    GEOMETRY("SURFACE_STYLE_"),
    GEOMETRY("SURFACE_SIDE_"),
    GEOMETRY("FILL_AREA_"),
    GEOMETRY("COLOUR_"),
    GEOMETRY("MECHANICAL_DESIGN_"),
    GEOMETRY("CONSTRUCTIVE_"),
};

static void mark(hn_xml *node) {
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    size_t length = strlen(kinds[k].begin);
    int is_whole = kinds[k].begin[length - 1] == '$';
    if (is_whole ? strncmp(node->name, kinds[k].begin, length - 1) == 0 &&
                       strlen(node->name) == length - 1
                 : strncmp(node->name, kinds[k].begin, length) == 0) {
      hn_xml_mark(node, kinds[k].fate, kinds[k].why);
      return;
    }
  }
  hn_xml_mark(node, HN_FATE_LOST,
              "not parts, placements, faces or colors; define joints by an overlay");
}

// ---- the file -----------------------------------------------------------------------------------

static const char *word(hn_machine *machine, scanner *s) {
  const char *begin = s->at;
  while (s->at < s->end && (isalnum((unsigned char)*s->at) || *s->at == '_')) advance(s);
  size_t length = (size_t)(s->at - begin);
  return hn_machine_text(machine, "%.*s", length < 100 ? (int)length : 100, begin);
}

// The first text of an entity, which of a product is its name.
static const char *first_text(hn_machine *machine, scanner s) {
  while (s.at < s.end && *s.at != '\'' && *s.at != ';') advance(&s);
  if (s.at >= s.end || *s.at != '\'') return "";
  const char *begin = ++s.at;
  while (s.at < s.end && *s.at != '\'' && *s.at != '\n') s.at++;
  size_t length = (size_t)(s.at - begin);
  return hn_machine_text(machine, "%.*s", length < 60 ? (int)length : 60, begin);
}

static void append(hn_xml *root, hn_xml *node) {
  node->parent = root;
  if (root->last)
    root->last->next = node;
  else
    root->first = node;
  root->last = node;
}

static void add_entity(hn_machine *machine, scanner *s) {
  hn_xml *node = HN_MACHINE_TAKE(machine, hn_xml, 1);
  if (!node) return;
  *node = (hn_xml){.file = machine->path, .line = s->line, .column = s->column, .text = ""};
  if (*s->at == '#') {
    while (s->at < s->end && *s->at != '=' && *s->at != ';') advance(s);
    if (s->at < s->end && *s->at == '=') advance(s);
    skip_blanks(s);
    if (s->at < s->end && *s->at == '(') advance(s); // of several kinds at once: the first
    skip_blanks(s);
  }
  node->name = word(machine, s);
  node->text = first_text(machine, *s);
  mark(node);
  append(machine->root, node);
}

// Words of the file's own structure, which are no entities.
static int is_frame(const scanner *s) {
  static const char *const words[] = {"ISO-10303-21", "HEADER", "DATA", "ENDSEC",
                                      "END-ISO-10303-21"};
  size_t left = (size_t)(s->end - s->at);
  for (size_t k = 0; k < sizeof words / sizeof *words; k++)
    if (left > strlen(words[k]) && strncmp(s->at, words[k], strlen(words[k])) == 0) return 1;
  return 0;
}

void hn_step_entities(hn_machine *machine, const char *text, size_t size) {
  scanner s = {text, text + size, 1, 1};
  int count = 0;
  for (skip_blanks(&s); s.at < s.end && hn_machine_ok(machine); skip_blanks(&s)) {
    if (*s.at != ';' && !is_frame(&s)) {
      if (++count > HN_XML_ELEMENTS)
        hn_machine_fail(machine, machine->root, "the file", "Export parts of the assembly.",
                        "has more than %d entities", HN_XML_ELEMENTS);
      else
        add_entity(machine, &s);
    }
    while (s.at < s.end && *s.at != ';')
      if (!skip_quoted(&s)) advance(&s);
    if (s.at < s.end) advance(&s);
  }
}
