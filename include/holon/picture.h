// Holon: stills and films of a scene, drawn by the library itself: depth-buffered, with shadows, no
// graphics processor needed.
//
//   hn_picture_options options = {.width = 1280, .height = 720};
//   hn_picture *picture = NULL;
//   hn_picture_create(scene, &options, &picture, &error);
//   hn_picture_draw(picture, 2.9, &error);
//   hn_png_encode(hn_picture_pixels(picture), 1280, 720, &bytes, &size);
//
// A picture is used by one thread at a time; the scene must outlive it.
#ifndef HOLON_PICTURE_H
#define HOLON_PICTURE_H

#include "holon/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

// Oblique from the front right and above, or along an axis. Up is against gravity. The front of a
// mechanism that moves in a plane is that plane.
typedef enum hn_picture_view {
  HN_VIEW_ISO,
  HN_VIEW_FRONT,
  HN_VIEW_SIDE,
  HN_VIEW_TOP
} hn_picture_view;

// Of a plane mechanism the front, of others the oblique one.
HN_API hn_picture_view hn_picture_usual_view(const hn_scene *scene);

typedef struct hn_picture_options {
  size_t size;       // of this struct; 0: the first version
  int width, height; // pixels, 16 to 8192; 0: 1280 x 720
  hn_picture_view view;
  int samples;    // of a pixel, along each side, 1 to 4; 0: 2
  int is_film;    // the view holds all of the motion, or follows a model that travels
  double time;    // otherwise: time of the still (s)
  int crops;      // the height is what the model needs, at most `height`
  int background; // 0xrrggbb; 0: light gray
  int moments;    // of a still: that many moments of the run, and the paths of the wheels, all in
                  // sight; 0: the model at `time`
} hn_picture_options;

typedef struct hn_picture hn_picture;

HN_API hn_status hn_picture_create(const hn_scene *scene, const hn_picture_options *options,
                                   hn_picture **picture, hn_error *error);
// The scene at a time, between two frames if need be.
HN_API hn_status hn_picture_draw(hn_picture *picture, double time, hn_error *error);
// Red, green, blue of every pixel, row after row from the top (3 * width * height).
HN_API const unsigned char *hn_picture_pixels(const hn_picture *picture);
HN_API void hn_picture_size(const hn_picture *picture, int *width, int *height);
HN_API void hn_picture_free(hn_picture *picture); // null is fine

// ---- files --------------------------------------------------------------------------------------

// The bytes of a PNG file of red, green, blue pixels; to be freed with hn_bytes_free.
HN_API hn_status hn_png_encode(const unsigned char *pixels, int width, int height,
                               unsigned char **bytes, size_t *size);
HN_API void hn_bytes_free(unsigned char *bytes);

// A GIF that repeats without end. Its colors are those of the first picture; each frame holds what
// changed. delay: between frames, hundredths of a second.
typedef struct hn_gif hn_gif;
HN_API hn_status hn_gif_create(int width, int height, int delay, hn_gif **gif);
HN_API hn_status hn_gif_add(hn_gif *gif, const unsigned char *pixels);
// Ends it. The bytes belong to the GIF until it is freed; null when it has no frame.
HN_API const unsigned char *hn_gif_finish(hn_gif *gif, size_t *size);
HN_API void hn_gif_free(hn_gif *gif); // null is fine

// ---- surfaces -----------------------------------------------------------------------------------

// Corners with normals, smooth where faces meet flatter than 40 degrees; edges stay edges.
typedef struct hn_surface {
  float *positions, *normals; // (3 * vertex_count)
  unsigned *indices;          // (3 * triangle_count)
  int vertex_count, triangle_count;
} hn_surface;
HN_API hn_status hn_surface_create(const hn_mesh *mesh, hn_surface *surface);
HN_API void hn_surface_free(hn_surface *surface);

#ifdef __cplusplus
}
#endif

#endif
