// A still of a scene as SVG.
#ifndef HN_CLI_PICTURE_H
#define HN_CLI_PICTURE_H

#include "cli.h"

// Adds an <svg> of this frame, so many pixels wide. 0 when there is nothing to see: no shapes, no
// such frame, or a pose that is not a finite number.
int hn_cli_add_picture(hn_cli_text *text, const hn_scene *scene, int frame, double width);

#endif
