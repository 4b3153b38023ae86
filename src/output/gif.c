// Animated GIF: 255 colors by median cut of the first picture, frames of the changed pixels.
//
// Colors are found by a table of 32 levels each. Index 255 means "as before". Compressed by the LZW
// of the format.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "holon/picture.h"

enum { LEVELS = 32, CELLS = LEVELS * LEVELS * LEVELS, COLORS = 255, AS_BEFORE = 255 };
enum { MOST = 4096, SLOTS = 8192 };

struct hn_gif {
  int width, height, delay, frames, has_failed;
  unsigned char *data;
  size_t count, room;
  unsigned char palette[256][3];
  short nearest[CELLS]; // color of a cell, -1: not looked for yet
  unsigned char *shown; // indices of the picture so far (width * height)
  unsigned char *index; // of the new one
  int key[SLOTS];       // of LZW: a code and the byte after it, -1: free; the code of both
  short code[SLOTS];
  unsigned bits; // not yet a byte
  int bit_count;
  unsigned char block[255];
  int block_count;
};

static void put(hn_gif *g, unsigned value) {
  if (g->count == g->room) {
    size_t room = g->room ? 2 * g->room : 65536;
    unsigned char *data = g->has_failed ? NULL : hn_reallocate(NULL, g->data, g->room, room);
    if (!data) {
      g->has_failed = 1;
      return;
    }
    g->data = data;
    g->room = room;
  }
  g->data[g->count++] = (unsigned char)value;
}

static void put_two(hn_gif *g, int value) {
  put(g, (unsigned)value & 255);
  put(g, (unsigned)value >> 8 & 255);
}

// ---- colors ------------------------------------------------------------------------------------

typedef struct cell {
  unsigned char at[3]; // level of red, green, blue
  long count;          // pixels
} cell;

typedef struct box {
  int begin, end; // of the cells
} box;

#define COMPARE(axis)                                                                              \
  static int compare_##axis(const void *a, const void *b) {                                        \
    return (int)((const cell *)a)->at[axis] - (int)((const cell *)b)->at[axis];                    \
  }
COMPARE(0)
COMPARE(1)
COMPARE(2)
#undef COMPARE
static int (*const compare[3])(const void *, const void *) = {compare_0, compare_1, compare_2};

static int widest(const cell *cells, box b, int *axis) {
  int most = -1;
  for (int k = 0; k < 3; k++) {
    int low = LEVELS, high = -1;
    for (int i = b.begin; i < b.end; i++) {
      if (cells[i].at[k] < low) low = cells[i].at[k];
      if (cells[i].at[k] > high) high = cells[i].at[k];
    }
    if (high - low <= most) continue;
    most = high - low;
    *axis = k;
  }
  return most;
}

static long weight_of(const cell *cells, box b) {
  long count = 0;
  for (int i = b.begin; i < b.end; i++) count += cells[i].count;
  return count;
}

// Where half of the pixels lie on either side.
static int middle_of(const cell *cells, box b) {
  long half = weight_of(cells, b) / 2, sum = 0;
  int at = b.begin;
  while (at < b.end - 1 && sum + cells[at].count <= half) sum += cells[at++].count;
  return at > b.begin ? at : b.begin + 1;
}

static int split(cell *cells, int count, box *boxes) {
  int made = 1;
  boxes[0] = (box){0, count};
  while (made < COLORS) {
    int best = -1, axis = 0, best_axis = 0;
    double most = 0;
    for (int k = 0; k < made; k++) {
      int width = widest(cells, boxes[k], &axis);
      double gain = width * (double)weight_of(cells, boxes[k]);
      if (boxes[k].end - boxes[k].begin < 2 || !(gain > most)) continue;
      most = gain;
      best = k;
      best_axis = axis;
    }
    if (best < 0) break;
    box b = boxes[best];
    qsort(cells + b.begin, (size_t)(b.end - b.begin), sizeof *cells, compare[best_axis]);
    int middle = middle_of(cells, b);
    boxes[best] = (box){b.begin, middle};
    boxes[made++] = (box){middle, b.end};
  }
  return made;
}

static size_t cell_of(const unsigned char *pixel) {
  return ((size_t)(pixel[0] >> 3) * LEVELS + (size_t)(pixel[1] >> 3)) * LEVELS +
         (size_t)(pixel[2] >> 3);
}

static int collect(const hn_gif *g, const unsigned char *pixels, cell *cells) {
  int count = 0, *place = hn_allocate(NULL, CELLS * sizeof *place);
  if (!place) return -1;
  memset(place, 0, CELLS * sizeof *place);
  for (size_t k = 0; k < (size_t)g->width * (size_t)g->height; k++) {
    const unsigned char *p = pixels + 3 * k;
    int *at = &place[cell_of(p)];
    if (*at == 0) {
      cells[count] = (cell){{p[0] >> 3, p[1] >> 3, p[2] >> 3}, 0};
      *at = ++count;
    }
    cells[*at - 1].count++;
  }
  hn_release(NULL, place);
  return count;
}

static int choose_palette(hn_gif *g, const unsigned char *pixels) {
  box boxes[COLORS];
  cell *cells = hn_allocate(NULL, CELLS * sizeof *cells);
  int count = cells ? collect(g, pixels, cells) : -1;
  int made = count > 0 ? split(cells, count, boxes) : 0;
  for (int k = 0; k < made; k++)
    for (int c = 0; c < 3; c++) {
      double sum = 0, all = (double)weight_of(cells, boxes[k]);
      for (int i = boxes[k].begin; i < boxes[k].end; i++)
        sum += (double)cells[i].count * (8 * cells[i].at[c] + 4);
      g->palette[k][c] = (unsigned char)(sum / all + 0.5);
    }
  hn_release(NULL, cells);
  for (int k = 0; k < CELLS; k++) g->nearest[k] = -1;
  return count > 0;
}

static unsigned char color_of(hn_gif *g, const unsigned char *pixel) {
  short *known = &g->nearest[cell_of(pixel)];
  if (*known < 0) {
    long least = -1;
    for (int k = 0; k < COLORS; k++) {
      long d = 0;
      for (int c = 0; c < 3; c++) {
        long e = (long)((pixel[c] & 0xf8) + 4) - g->palette[k][c];
        d += e * e;
      }
      if (least >= 0 && d >= least) continue;
      least = d;
      *known = (short)k;
    }
  }
  return (unsigned char)*known;
}

// ---- LZW ----------------------------------------------------------------------------------------

static void flush_block(hn_gif *g) {
  if (g->block_count == 0) return;
  put(g, (unsigned)g->block_count);
  for (int k = 0; k < g->block_count; k++) put(g, g->block[k]);
  g->block_count = 0;
}

static void put_code(hn_gif *g, unsigned code, int width) {
  g->bits |= code << g->bit_count;
  g->bit_count += width;
  while (g->bit_count >= 8) {
    g->block[g->block_count++] = (unsigned char)(g->bits & 255);
    if (g->block_count == 255) flush_block(g);
    g->bits >>= 8;
    g->bit_count -= 8;
  }
}

// Where a code and a byte after it stand, or would.
static int slot_of(const hn_gif *g, int key) {
  int slot = (int)((unsigned)key * 2654435761u >> 19); // 13 bits
  while (g->key[slot] >= 0 && g->key[slot] != key) slot = (slot + 1) % SLOTS;
  return slot;
}

static void forget(hn_gif *g) {
  for (int k = 0; k < SLOTS; k++) g->key[k] = -1;
}

static void compress(hn_gif *g, size_t count) {
  const unsigned clear = 256, end = 257;
  unsigned next = 258;
  int width = 9, code = g->index[0];
  forget(g);
  put(g, 8);
  put_code(g, clear, width);
  for (size_t k = 1; k < count; k++) {
    int slot = slot_of(g, code << 8 | g->index[k]);
    if (g->key[slot] >= 0) {
      code = g->code[slot];
      continue;
    }
    put_code(g, (unsigned)code, width);
    g->key[slot] = code << 8 | g->index[k];
    g->code[slot] = (short)next;
    if (next == 1u << width && width < 12) width++;
    next++;
    if (next == MOST) {
      put_code(g, clear, width);
      forget(g);
      next = 258;
      width = 9;
    }
    code = g->index[k];
  }
  put_code(g, (unsigned)code, width);
  if (next == 1u << width && width < 12) width++; // the reader has one more by now
  put_code(g, end, width);
  if (g->bit_count > 0) put_code(g, 0, 8 - g->bit_count);
  flush_block(g);
  put(g, 0);
}

// ---- the file -----------------------------------------------------------------------------------

hn_status hn_gif_create(int width, int height, int delay, hn_gif **result) {
  if (!result || width < 1 || height < 1 || width > 8192 || height > 8192 || delay < 1 ||
      delay > 6000)
    return HN_ERROR_ARGUMENT;
  *result = NULL;
  hn_gif *g = hn_allocate(NULL, sizeof *g);
  if (!g) return HN_ERROR_MEMORY;
  memset(g, 0, sizeof *g);
  g->width = width;
  g->height = height;
  g->delay = delay;
  size_t count = (size_t)width * (size_t)height;
  g->shown = hn_allocate(NULL, count);
  g->index = hn_allocate(NULL, count);
  if (!g->shown || !g->index) {
    hn_gif_free(g);
    return HN_ERROR_MEMORY;
  }
  *result = g;
  return HN_OK;
}

static void put_head(hn_gif *g) {
  for (const char *c = "GIF89a"; *c; c++) put(g, (unsigned char)*c);
  put_two(g, g->width);
  put_two(g, g->height);
  put(g, 0xf7); // 256 colors for all frames
  put(g, 0);
  put(g, 0);
  for (int k = 0; k < 256; k++)
    for (int c = 0; c < 3; c++) put(g, g->palette[k][c]);
  put(g, 0x21);
  put(g, 0xff);
  put(g, 11);
  for (const char *c = "NETSCAPE2.0"; *c; c++) put(g, (unsigned char)*c);
  put(g, 3);
  put(g, 1);
  put_two(g, 0); // repeats without end
  put(g, 0);
}

hn_status hn_gif_add(hn_gif *g, const unsigned char *pixels) {
  if (!g || !pixels) return HN_ERROR_ARGUMENT;
  size_t count = (size_t)g->width * (size_t)g->height;
  if (g->frames == 0) {
    if (!choose_palette(g, pixels)) return HN_ERROR_MEMORY;
    put_head(g);
  }
  for (size_t k = 0; k < count; k++) {
    unsigned char color = color_of(g, pixels + 3 * k);
    int is_same = g->frames > 0 && g->shown[k] == color;
    g->index[k] = is_same ? AS_BEFORE : color;
    g->shown[k] = color;
  }
  put(g, 0x21);
  put(g, 0xf9);
  put(g, 4);
  put(g, 0x05); // stays in place; one index is transparent
  put_two(g, g->delay);
  put(g, AS_BEFORE);
  put(g, 0);
  put(g, 0x2c);
  for (int k = 0; k < 2; k++) put_two(g, 0);
  put_two(g, g->width);
  put_two(g, g->height);
  put(g, 0);
  compress(g, count);
  g->frames++;
  return g->has_failed ? HN_ERROR_MEMORY : HN_OK;
}

const unsigned char *hn_gif_finish(hn_gif *g, size_t *size) {
  if (!g || !size || g->frames == 0) return NULL;
  put(g, 0x3b);
  *size = g->count;
  return g->has_failed ? NULL : g->data;
}

void hn_gif_free(hn_gif *g) {
  if (!g) return;
  hn_release(NULL, g->data);
  hn_release(NULL, g->shown);
  hn_release(NULL, g->index);
  hn_release(NULL, g);
}
