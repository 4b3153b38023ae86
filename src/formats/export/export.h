// Common declarations of the writers; the public interface is holon/export.h.
#ifndef HN_FORMATS_EXPORT_EXPORT_H
#define HN_FORMATS_EXPORT_EXPORT_H

#include "formats/export/plan.h"
#include "formats/export/writer.h"

void hn_write_mjcf(hn_plan *plan, hn_writer *w);
void hn_write_urdf(hn_plan *plan, hn_writer *w);
void hn_write_sdf(hn_plan *plan, hn_writer *w);

// mjcf_shapes.c
void hn_mjcf_write_meshes(hn_plan *plan, hn_writer *w);
void hn_mjcf_write_looks(hn_plan *plan, hn_writer *w, const hn_place *place); // shapes and markers
// mjcf_equality.c, mjcf_forces.c: sites that forces and loops need, tendons, actuators, equalities
void hn_mjcf_write_site(hn_plan *plan, hn_writer *w, const hn_place *place,
                        const hn_frame_on_body *frame, const char *name);
// Sites and geoms of the way of a tendon on one body, and the way itself (mjcf_way.c).
void hn_mjcf_write_way_places(hn_plan *plan, hn_writer *w, const hn_place *place,
                              const hn_force_def *def);
void hn_mjcf_write_way(hn_plan *plan, hn_writer *w, const hn_force_def *def);
void hn_mjcf_write_sites(hn_plan *plan, hn_writer *w, const hn_place *place);
void hn_mjcf_write_equalities(hn_plan *plan, hn_writer *w);
void hn_mjcf_write_held_tendons(hn_plan *plan, hn_writer *w);
void hn_mjcf_write_tendons(hn_plan *plan, hn_writer *w);
void hn_mjcf_write_actuators(hn_plan *plan, hn_writer *w);

#endif
