// The one table of all benchmark programs: a head that is the same everywhere, further columns
// after it if a section needs them. A cell that was not measured is empty; text with a comma is
// quoted. Also read by C++ (bench/peers).
//
//   section      which benchmark (bench/README.md)
//   model      the model that is simulated, or solved
//   program      holon, or the engine or library it is compared with
//   coordinates, method, formula     how; other engines: their own words in `method`
//   setting      tol=1e-4, step=1e-3, n=40 ...
//   quantity     what `error` is an error of, with its unit and its reference
//   error        the largest
//   cpu_s        CPU seconds of the run, or of one call; the least of several
//   steps        of the run
//   ratio        how many times faster than what `to` names (or as many times its error), in this run
//   paper_ratio  the same ratio, from the paper
//   note         everything else a reader must know
#ifndef HN_BENCH_TABLE_H
#define HN_BENCH_TABLE_H

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define HN_BENCH_HEAD                                                                              \
  "section,machine,program,coordinates,method,formula,setting,quantity,error,cpu_s,steps,ratio,"   \
  "to,paper_ratio,note"

// Zero and null: not measured.
typedef struct hn_bench_row {
  const char *machine, *program, *coordinates, *method, *formula, *setting, *quantity;
  double error, cpu_s;
  long steps;
  double ratio;
  const char *to;
  double paper_ratio;
  const char *note;
} hn_bench_row;

static const char *hn_bench_section = "";

// Prints the head; further: names of the columns behind it, between commas, or null.
static inline void hn_bench_begin(const char *section, const char *further) {
  hn_bench_section = section;
  printf("%s%s%s\n", HN_BENCH_HEAD, further ? "," : "", further ? further : "");
  fflush(stdout);
}

static inline void hn_bench_text(const char *text, int is_last) {
  if (text && strpbrk(text, ",\"\n")) {
    putchar('"');
    for (const char *c = text; *c; c++) {
      if (*c == '"') putchar('"');
      putchar(*c == '\n' ? ' ' : *c);
    }
    putchar('"');
  } else if (text) {
    fputs(text, stdout);
  }
  if (!is_last) putchar(',');
}

static inline void hn_bench_number(double value, const char *format) {
  if (value != 0 && isfinite(value)) printf(format, value);
  putchar(',');
}

// One line; format and what follows: the further columns, or null.
static inline void hn_bench_print(const hn_bench_row *row, const char *format, ...) {
  const char *const words[] = {hn_bench_section, row->machine, row->program, row->coordinates,
                               row->method,      row->formula, row->setting, row->quantity};
  for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) hn_bench_text(words[k], 0);
  hn_bench_number(row->error, "%.3g");
  hn_bench_number(row->cpu_s, "%.4g");
  hn_bench_number((double)row->steps, "%.0f");
  hn_bench_number(row->ratio, "%.3g");
  hn_bench_text(row->to, 0);
  hn_bench_number(row->paper_ratio, "%.3g");
  hn_bench_text(row->note, 1);
  if (format) {
    va_list values;
    va_start(values, format);
    putchar(',');
    vprintf(format, values);
    va_end(values);
  }
  putchar('\n');
  fflush(stdout);
}

// "tol=0.0001" into a buffer of the caller, who keeps it until the line is printed.
static inline const char *hn_bench_setting(char *to, size_t size, const char *name, double value) {
  snprintf(to, size, "%s=%g", name, value);
  return to;
}

#endif
