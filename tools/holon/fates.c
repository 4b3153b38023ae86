#include "fates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *hn_cli_fate_word(hn_import_fate fate) {
  static const char *const words[] = {"used", "harmless", "approximated", "lost"};
  return words[fate];
}

int hn_cli_fate_count(const hn_cli_fates *fates, hn_import_fate fate) {
  return fates->import ? hn_import_count(fates->import, fate) : hn_export_count(fates->made, fate);
}

hn_import_item hn_cli_fate_at(const hn_cli_fates *fates, hn_import_fate fate, int index) {
  return fates->import ? hn_import_item_at(fates->import, fate, index)
                       : hn_export_item_at(fates->made, fate, index);
}

// ---- groups -------------------------------------------------------------------------------------

// Items of one kind with the same reason.
typedef struct group {
  hn_import_item first;
  int count;
} group;

static int count_inside(const hn_cli_fates *fates, hn_import_fate fate) {
  int count = 0;
  for (int k = 0; k < hn_cli_fate_count(fates, fate); k++)
    count += hn_cli_fate_at(fates, fate, k).is_inside;
  return count;
}

static int compare_items(const void *a, const void *b) {
  const hn_import_item *x = a, *y = b;
  int order = strcmp(x->kind, y->kind);
  if (order == 0) order = strcmp(x->why, y->why);
  if (order == 0) order = x->line - y->line;
  return order;
}

static int compare_groups(const void *a, const void *b) {
  const group *x = a, *y = b;
  int order = x->first.line - y->first.line;
  return order != 0 ? order : strcmp(x->first.kind, y->first.kind);
}

// The groups of one import status by their first lines, without the content of lost elements; to be
// freed.
static group *group_items(const hn_cli_fates *fates, hn_import_fate fate, int *count) {
  int total = hn_cli_fate_count(fates, fate);
  hn_import_item *items = hn_cli_allocate((size_t)total + 1, sizeof *items);
  group *groups = hn_cli_allocate((size_t)total + 1, sizeof *groups);
  int outside = 0;
  for (int k = 0; k < total; k++) {
    items[outside] = hn_cli_fate_at(fates, fate, k);
    if (!items[outside].is_inside) outside++;
  }
  total = outside;
  qsort(items, (size_t)total, sizeof *items, compare_items);
  *count = 0;
  for (int k = 0; k < total; k++) {
    group *last = *count > 0 ? &groups[*count - 1] : NULL;
    if (last && strcmp(last->first.kind, items[k].kind) == 0 &&
        strcmp(last->first.why, items[k].why) == 0)
      last->count++;
    else
      groups[(*count)++] = (group){items[k], 1};
  }
  free(items);
  qsort(groups, (size_t)*count, sizeof *groups, compare_groups);
  return groups;
}

// ---- telling ------------------------------------------------------------------------------------

void hn_cli_print_fates(const hn_cli_fates *fates) {
  for (int fate = HN_IMPORT_HARMLESS; fate < HN_IMPORT_FATES; fate++) {
    int count = 0;
    group *groups = group_items(fates, (hn_import_fate)fate, &count);
    if (count > 0) printf("\n%s\n", hn_cli_fate_word((hn_import_fate)fate));
    for (int k = 0; k < count; k++) {
      // parts of a model are known by their names, tags of a file by their lines
      if (fates->made && groups[k].count == 1)
        printf("  %s: %s\n", groups[k].first.what, groups[k].first.why);
      else if (fates->made)
        printf("  %s and %d more like it: %s\n", groups[k].first.what, groups[k].count - 1,
               groups[k].first.why);
      else
        printf("  %5d x %-34s line %-6d %s\n", groups[k].count, groups[k].first.kind,
               groups[k].first.line, groups[k].first.why);
    }
    free(groups);
    int inside = count_inside(fates, (hn_import_fate)fate);
    if (inside > 0) printf("  %5d   tags and attributes inside these\n", inside);
  }
}

static void add_list(hn_cli_json *json, const hn_cli_fates *fates, hn_import_fate fate) {
  hn_json_open(json, hn_cli_fate_word(fate), '[');
  for (int k = 0; k < hn_cli_fate_count(fates, fate); k++) {
    hn_import_item item = hn_cli_fate_at(fates, fate, k);
    hn_json_open(json, NULL, '{');
    hn_json_integer(json, "line", item.line);
    hn_json_integer(json, "column", item.column);
    hn_json_string(json, "what", item.what);
    hn_json_string(json, "kind", item.kind);
    hn_json_string(json, "why", item.why);
    hn_json_close(json, '}');
  }
  hn_json_close(json, ']');
}

void hn_cli_json_fates(hn_cli_json *json, const hn_cli_fates *fates) {
  hn_json_integer(json, "used", hn_cli_fate_count(fates, HN_IMPORT_USED));
  for (int fate = HN_IMPORT_HARMLESS; fate < HN_IMPORT_FATES; fate++)
    add_list(json, fates, (hn_import_fate)fate);
}

int hn_cli_refuse_losses(const hn_cli_fates *fates, int as_json, const char *advice) {
  int lost = hn_cli_fate_count(fates, HN_IMPORT_LOST);
  if (lost == 0) return -1;
  hn_import_item item = hn_cli_fate_at(fates, HN_IMPORT_LOST, 0);
  hn_error error = {.status = HN_ERROR_MODEL, .line = item.line, .column = item.column};
  snprintf(error.file, sizeof error.file, "%s", item.file);
  snprintf(error.message, sizeof error.message, "%s is lost: %s (%d lost in all)", item.what,
           item.why, lost);
  snprintf(error.hint, sizeof error.hint, "%s", advice);
  return hn_cli_report_failure(as_json, 0, &error);
}
