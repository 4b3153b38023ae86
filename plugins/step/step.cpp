// STEP assemblies for Holon, read by OpenCASCADE: products with their exact mass properties, triangles
// and faces that joints may have, and the tree of what is placed where.
//
// One function, called in a child process with limits (src/formats/step). It sends XML text; lengths are
// in metres, masses those of a density of one:
//
//   <step>
//     <product name="rod" volume="" center="x y z" inertia="xx yy zz xy xz yz" color="r g b" solids="1">
//       <cylinder at="" axis="" radius="" from="" to="" turn="" hole="0"/>
//       <plane at="" normal="" low="" high=""/>  <sphere at="" radius="" hole="0"/>
//       <mesh>v 0 0 0 ... f 1 2 3 ...</mesh>
//     </product>
//     <assembly name="" pose=""> <part product="0" name="" pose="nine of a rotation, three of a place"/>
//   </step>
#include <BRepAdaptor_Surface.hxx>
#include <BRepBndLib.hxx>
#include <BRepGProp.hxx>
#include <BRepMesh_IncrementalMesh.hxx>
#include <BRepTools.hxx>
#include <BRep_Builder.hxx>
#include <BRep_Tool.hxx>
#include <Bnd_Box.hxx>
#include <GProp_GProps.hxx>
#include <IFSelect_ReturnStatus.hxx>
#include <Interface_Static.hxx>
#include <Poly_Triangulation.hxx>
#include <Quantity_Color.hxx>
#include <STEPCAFControl_Reader.hxx>
#include <Standard_Failure.hxx>
#include <TDF_ChildIterator.hxx>
#include <TDF_Label.hxx>
#include <TDF_LabelSequence.hxx>
#include <TDF_Tool.hxx>
#include <TDataStd_Name.hxx>
#include <TDocStd_Document.hxx>
#include <TopExp_Explorer.hxx>
#include <TopoDS.hxx>
#include <TopoDS_Compound.hxx>
#include <TopoDS_Face.hxx>
#include <XCAFApp_Application.hxx>
#include <XCAFDoc_ColorTool.hxx>
#include <XCAFDoc_DocumentTool.hxx>
#include <XCAFDoc_ShapeTool.hxx>
#include <gp_Cylinder.hxx>
#include <gp_Pln.hxx>
#include <gp_Sphere.hxx>

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace {

const double metre = 1e-3; // OpenCASCADE works in mm
const int most_depth = 100;
const int most_parts = 20000;
const double chord = 2e-3;      // of the size of a part, between a curved face and its triangles
const double bend = 0.35;       // rad between two of them
const double precision = 1e-10; // of the integrals over a solid

typedef void (*send_function)(void *context, const char *text, size_t size);

struct reader {
  Handle(XCAFDoc_ShapeTool) shapes;
  Handle(XCAFDoc_ColorTool) colors;
  std::map<std::string, int> products; // by the entry of the label
  std::string head, tree;
  int parts = 0;
};

// ---- text ---------------------------------------------------------------------------------------

void add(std::string &to, const char *format, ...) {
  char text[600];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  to += text;
}

// Bytes of one character of UTF-8 at `at`; 0: none.
int character(const std::string &text, size_t at) {
  unsigned char c = (unsigned char)text[at];
  int count = c < 0x80 ? 1 : c >= 0xC2 && c < 0xE0 ? 2 : c >= 0xE0 && c < 0xF0 ? 3 : 0;
  for (int k = 1; k < count; k++)
    if (at + k >= text.size() || ((unsigned char)text[at + k] & 0xC0) != 0x80) return 0;
  return count;
}

// A name as the value of an attribute.
std::string plain_text(const std::string &text) {
  std::string out;
  for (size_t at = 0; at < text.size() && out.size() < 400;) {
    int count = character(text, at);
    char c = text[at];
    if (count == 0 || (count == 1 && ((unsigned char)c < 32 || c == 127)))
      out += '_';
    else if (c == '<' || c == '>' || c == '&' || c == '"')
      out += '_';
    else
      out.append(text, at, (size_t)count);
    at += count > 0 ? (size_t)count : 1;
  }
  return out;
}

std::string name_of(const TDF_Label &label) {
  Handle(TDataStd_Name) name;
  if (!label.FindAttribute(TDataStd_Name::GetID(), name)) return "";
  TCollection_AsciiString text(name->Get()); // UTF-8
  return text.ToCString();
}

std::string entry_of(const TDF_Label &label) {
  TCollection_AsciiString text;
  TDF_Tool::Entry(label, text);
  return text.ToCString();
}

void add_vector(std::string &to, const char *key, double scale, const gp_XYZ &v) {
  add(to, " %s=\"%.17g %.17g %.17g\"", key, scale * v.X(), scale * v.Y(), scale * v.Z());
}

void add_pose(std::string &to, const TopLoc_Location &location) {
  gp_Trsf t = location.Transformation();
  gp_Mat r = t.VectorialPart();
  to += " pose=\"";
  for (int i = 1; i <= 3; i++)
    for (int j = 1; j <= 3; j++) add(to, "%.17g ", r(i, j));
  gp_XYZ p = t.TranslationPart();
  add(to, "%.17g %.17g %.17g\"", metre * p.X(), metre * p.Y(), metre * p.Z());
}

// ---- colours ------------------------------------------------------------------------------------

bool color_of(reader &r, const TDF_Label &label, const TopoDS_Shape &shape, Quantity_Color &color) {
  static const XCAFDoc_ColorType kinds[] = {XCAFDoc_ColorSurf, XCAFDoc_ColorGen};
  for (XCAFDoc_ColorType kind : kinds)
    if (!label.IsNull() && r.colors->GetColor(label, kind, color)) return true;
  for (XCAFDoc_ColorType kind : kinds)
    if (r.colors->GetColor(shape, kind, color)) return true;
  for (TopExp_Explorer solid(shape, TopAbs_SOLID); solid.More(); solid.Next())
    for (XCAFDoc_ColorType kind : kinds)
      if (r.colors->GetColor(solid.Current(), kind, color)) return true;
  for (TopExp_Explorer face(shape, TopAbs_FACE); face.More(); face.Next())
    for (XCAFDoc_ColorType kind : kinds)
      if (r.colors->GetColor(face.Current(), kind, color)) return true;
  return false;
}

void add_color(std::string &to, const Quantity_Color &color) {
  double red, green, blue;
  color.Values(red, green, blue, Quantity_TOC_sRGB);
  add(to, " color=\"%.4g %.4g %.4g\"", red, green, blue);
}

// ---- mass ---------------------------------------------------------------------------------------

// Solids of the part together; how many there are.
int add_mass(std::string &to, const TopoDS_Shape &shape) {
  BRep_Builder builder;
  TopoDS_Compound solids;
  builder.MakeCompound(solids);
  int count = 0;
  for (TopExp_Explorer at(shape, TopAbs_SOLID); at.More(); at.Next(), count++)
    builder.Add(solids, at.Current());
  if (count > 0) {
    GProp_GProps p;
    BRepGProp::VolumeProperties(solids, p, precision, Standard_False, Standard_False);
    double v = metre * metre * metre, i5 = v * metre * metre, sign = p.Mass() < 0 ? -1 : 1;
    gp_Mat i = p.MatrixOfInertia();
    add(to, " volume=\"%.17g\"", sign * v * p.Mass());
    add_vector(to, "center", metre, p.CentreOfMass().XYZ());
    add(to, " inertia=\"%.17g %.17g %.17g %.17g %.17g %.17g\"", sign * i5 * i(1, 1),
        sign * i5 * i(2, 2), sign * i5 * i(3, 3), sign * i5 * i(1, 2), sign * i5 * i(1, 3),
        sign * i5 * i(2, 3));
  }
  add(to, " solids=\"%d\">\n", count);
  return count;
}

// ---- faces --------------------------------------------------------------------------------------

struct cylinder {
  gp_XYZ at, axis;
  double radius, from, to, turn;
  bool is_hole;
};

void write_cylinder(std::string &to, const cylinder &c) {
  to += "<cylinder";
  add_vector(to, "at", metre, c.at);
  add_vector(to, "axis", 1, c.axis);
  add(to, " radius=\"%.17g\" from=\"%.17g\" to=\"%.17g\" turn=\"%.17g\" hole=\"%d\"/>\n",
      metre * c.radius, metre * c.from, metre * c.to, c.turn, c.is_hole ? 1 : 0);
}

void add_cylinder(std::string &to, const TopoDS_Face &face, const BRepAdaptor_Surface &surface) {
  gp_Cylinder c = surface.Cylinder();
  double u0, u1, v0, v1;
  BRepTools::UVBounds(face, u0, u1, v0, v1);
  bool is_reversed = face.Orientation() == TopAbs_REVERSED;
  write_cylinder(to, {c.Location().XYZ(), c.Axis().Direction().XYZ(), c.Radius(), v0, v1, u1 - u0,
                      bool(c.Direct()) == is_reversed});
}

// A surface by splines that is a cylinder: its normals are all perpendicular to one axis and meet in it.
// Points and normals over a grid of its parameters; the axis from two normals that differ most.
bool fit_cylinder(const TopoDS_Face &face, const BRepAdaptor_Surface &surface, cylinder &c) {
  const int n = 9;
  double u0, u1, v0, v1;
  gp_XYZ p[n][n], normal[n][n];
  BRepTools::UVBounds(face, u0, u1, v0, v1);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      gp_Pnt point;
      gp_Vec du, dv;
      surface.D1(u0 + (u1 - u0) * i / (n - 1), v0 + (v1 - v0) * j / (n - 1), point, du, dv);
      gp_XYZ across = du.XYZ().Crossed(dv.XYZ());
      if (across.Modulus() < 1e-12) return false;
      p[i][j] = point.XYZ();
      normal[i][j] = across / across.Modulus();
    }
  gp_XYZ axis(0, 0, 0), other;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      gp_XYZ candidate = normal[0][0].Crossed(normal[i][j]);
      if (candidate.Modulus() > axis.Modulus()) {
        axis = candidate;
        other = normal[i][j];
        c.at = p[i][j];
      }
    }
  if (axis.Modulus() < 0.1) return false;
  axis /= axis.Modulus();
  // where the two normals meet, seen along the axis: p0 + s n0 = p1 + t n1
  gp_XYZ gap = c.at - p[0][0];
  double sine = axis.Dot(normal[0][0].Crossed(other));
  double s = axis.Dot(gap.Crossed(other)) / sine;
  c.at = p[0][0] + s * normal[0][0];
  c.axis = axis;
  c.radius = std::fabs(s);
  c.from = c.to = 0;
  c.turn = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      gp_XYZ arm = p[i][j] - c.at;
      double along = arm.Dot(axis), away = (arm - along * axis).Modulus();
      if (std::fabs(normal[i][j].Dot(axis)) > 1e-4 || std::fabs(away - c.radius) > 2e-4 * c.radius)
        return false;
      c.from = std::min(c.from, along);
      c.to = std::max(c.to, along);
    }
  for (int i = 1; i < n; i++) { // one of the two parameters goes round
    double by_u = std::acos(std::max(-1., std::min(1., normal[i - 1][0].Dot(normal[i][0]))));
    double by_v = std::acos(std::max(-1., std::min(1., normal[0][i - 1].Dot(normal[0][i]))));
    c.turn += by_u + by_v;
  }
  bool outward = s < 0; // from the surface along its normal away from the axis
  c.is_hole = outward == (face.Orientation() == TopAbs_REVERSED);
  return c.radius > 0;
}

void add_plane(std::string &to, const TopoDS_Face &face, const BRepAdaptor_Surface &surface) {
  gp_Pln plane = surface.Plane();
  gp_XYZ normal = plane.Position().XDirection().XYZ().Crossed(plane.Position().YDirection().XYZ());
  if (face.Orientation() == TopAbs_REVERSED) normal.Reverse();
  Bnd_Box box;
  BRepBndLib::Add(face, box, Standard_False);
  if (box.IsVoid() || box.IsOpen()) return;
  GProp_GProps p;
  BRepGProp::SurfaceProperties(face, p);
  box.SetGap(0);
  to += "<plane";
  add_vector(to, "at", metre, p.CentreOfMass().XYZ());
  add_vector(to, "normal", 1, normal);
  add_vector(to, "low", metre, box.CornerMin().XYZ());
  add_vector(to, "high", metre, box.CornerMax().XYZ());
  add(to, " area=\"%.9g\"/>\n", metre * metre * std::fabs(p.Mass()));
}

void add_sphere(std::string &to, const TopoDS_Face &face, const BRepAdaptor_Surface &surface) {
  gp_Sphere s = surface.Sphere();
  bool outward = s.Direct() != (face.Orientation() == TopAbs_REVERSED);
  to += "<sphere";
  add_vector(to, "at", metre, s.Location().XYZ());
  add(to, " radius=\"%.17g\" hole=\"%d\"/>\n", metre * s.Radius(), outward ? 0 : 1);
}

void add_faces(std::string &to, const TopoDS_Shape &shape) {
  for (TopExp_Explorer at(shape, TopAbs_FACE); at.More(); at.Next()) {
    TopoDS_Face face = TopoDS::Face(at.Current());
    BRepAdaptor_Surface surface(face);
    switch (surface.GetType()) {
    case GeomAbs_Cylinder: add_cylinder(to, face, surface); break;
    case GeomAbs_Plane: add_plane(to, face, surface); break;
    case GeomAbs_Sphere: add_sphere(to, face, surface); break;
    case GeomAbs_BSplineSurface:
    case GeomAbs_BezierSurface:
    case GeomAbs_SurfaceOfExtrusion:
    case GeomAbs_SurfaceOfRevolution: {
      cylinder c;
      if (fit_cylinder(face, surface, c)) write_cylinder(to, c);
      break;
    }
    default: break;
    }
  }
}

// ---- triangles ----------------------------------------------------------------------------------

void add_triangles(std::string &to, const TopoDS_Shape &shape) {
  Bnd_Box box;
  BRepBndLib::Add(shape, box, Standard_False);
  if (box.IsVoid()) return;
  double size = std::sqrt(box.SquareExtent());
  if (!(size > 0)) return;
  BRepMesh_IncrementalMesh mesh(shape, chord * size, Standard_False, bend, Standard_False);
  int first = 1;
  to += "<mesh>\n";
  for (TopExp_Explorer at(shape, TopAbs_FACE); at.More(); at.Next()) {
    TopLoc_Location location;
    TopoDS_Face face = TopoDS::Face(at.Current());
    Handle(Poly_Triangulation) t = BRep_Tool::Triangulation(face, location);
    if (t.IsNull()) continue;
    for (int k = 1; k <= t->NbNodes(); k++) {
      gp_Pnt p = t->Node(k).Transformed(location.Transformation());
      add(to, "v %.9g %.9g %.9g\n", metre * p.X(), metre * p.Y(), metre * p.Z());
    }
    for (int k = 1; k <= t->NbTriangles(); k++) {
      int a, b, c;
      t->Triangle(k).Get(a, b, c);
      if (face.Orientation() == TopAbs_REVERSED) std::swap(b, c);
      add(to, "f %d %d %d\n", first + a - 1, first + b - 1, first + c - 1);
    }
    first += t->NbNodes();
  }
  to += "</mesh>\n";
}

// ---- the tree -----------------------------------------------------------------------------------

int product_of(reader &r, const TDF_Label &label) {
  std::string entry = entry_of(label);
  auto known = r.products.find(entry);
  if (known != r.products.end()) return known->second;
  int number = (int)r.products.size();
  r.products[entry] = number;
  TopoDS_Shape shape = XCAFDoc_ShapeTool::GetShape(label);
  Quantity_Color color;
  r.head += "<product name=\"" + plain_text(name_of(label)) + "\"";
  if (color_of(r, label, shape, color)) add_color(r.head, color);
  if (add_mass(r.head, shape) > 0) {
    add_faces(r.head, shape);
    add_triangles(r.head, shape);
  }
  r.head += "</product>\n";
  return number;
}

// A label where it stands: `own` is its component, with a location and perhaps a colour of its own.
bool walk(reader &r, const TDF_Label &label, const TDF_Label &own, const TopLoc_Location &location,
          int depth) {
  if (depth > most_depth || r.parts > most_parts) return false;
  std::string name = name_of(label);
  if (!XCAFDoc_ShapeTool::IsAssembly(label)) {
    Quantity_Color color;
    int product = product_of(r, label);
    add(r.tree, "<part product=\"%d\"", product);
    r.tree += " name=\"" + plain_text(name) + "\"";
    if (!own.IsNull() && color_of(r, own, XCAFDoc_ShapeTool::GetShape(own), color))
      add_color(r.tree, color);
    add_pose(r.tree, location);
    r.tree += "/>\n";
    r.parts++;
    return true;
  }
  r.tree += "<assembly name=\"" + plain_text(name) + "\"";
  add_pose(r.tree, location);
  r.tree += ">\n";
  TDF_LabelSequence components;
  XCAFDoc_ShapeTool::GetComponents(label, components);
  for (int k = 1; k <= components.Length(); k++) {
    TDF_Label component = components.Value(k), referred;
    if (!XCAFDoc_ShapeTool::GetReferredShape(component, referred)) continue;
    TopLoc_Location place = location * XCAFDoc_ShapeTool::GetLocation(component);
    if (!walk(r, referred, component, place, depth + 1)) return false;
  }
  r.tree += "</assembly>\n";
  return true;
}

const char *read_file(const char *path, send_function send, void *context) {
  Handle(TDocStd_Document) document;
  Handle(XCAFApp_Application) application = XCAFApp_Application::GetApplication();
  application->NewDocument("BinXCAF", document);
  STEPCAFControl_Reader file;
  file.SetColorMode(Standard_True);
  file.SetNameMode(Standard_True);
  if (file.ReadFile(path) != IFSelect_RetDone) return "is no STEP file that can be read";
  if (!file.Transfer(document)) return "has no shapes";
  reader r;
  r.shapes = XCAFDoc_DocumentTool::ShapeTool(document->Main());
  r.colors = XCAFDoc_DocumentTool::ColorTool(document->Main());
  TDF_LabelSequence roots;
  r.shapes->GetFreeShapes(roots);
  for (int k = 1; k <= roots.Length(); k++) {
    TopLoc_Location place = XCAFDoc_ShapeTool::GetLocation(roots.Value(k));
    if (!walk(r, roots.Value(k), TDF_Label(), place, 0)) return "has too many parts, or too deep";
  }
  std::string text = "<step>\n" + r.head + r.tree + "</step>\n";
  send(context, text.data(), text.size());
  return r.parts > 0 ? NULL : "has no parts";
}

} // namespace

// Null, or what is wrong with the file.
extern "C" __attribute__((visibility("default"))) const char *
holon_step_read(const char *path, send_function send, void *context) {
  try {
    return read_file(path, send, context);
  } catch (const Standard_Failure &) {
    return "cannot be read: OpenCASCADE gave up";
  } catch (...) {
    return "cannot be read: something went wrong in OpenCASCADE";
  }
}
