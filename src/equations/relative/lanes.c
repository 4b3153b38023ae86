// Loop-closure constraints of four joints of the same kind at once, one in each vector lane
// (relative/cuts_kernel.h).
#define HN_WIDTH 4
#include "equations/relative/cuts_kernel.h"

HN_WIDE void hn_relative_move_group(hn_relative_set *self, const struct hn_cut_group *group) {
  cut_move_group(self, group, 0);
}
