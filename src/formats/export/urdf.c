#include "formats/export/export.h"
void hn_write_urdf(hn_plan *plan, hn_writer *w) { (void)plan, (void)w; }
void hn_write_sdf(hn_plan *plan, hn_writer *w) { (void)plan, (void)w; }
