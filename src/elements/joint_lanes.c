// Rows of four joints at once: elements/joint_kernel.h, four wide.
#define HN_WIDTH 4
#include <string.h>

#include "elements/joint_kernel.h"

int hn_joints_alike(const hn_joint_shape *four) {
  if (four[0].rows == 0) return 0;
  for (int l = 0; l < HN_JOINT_LANES; l++) {
    const hn_joint_shape *s = &four[l];
    if (s->rows != four[0].rows || s->length > 0 || s->body[0] == HN_GROUND ||
        s->body[1] == HN_GROUND || memcmp(s->axis1, four[0].axis1, sizeof s->axis1) != 0 ||
        memcmp(s->axis2, four[0].axis2, sizeof s->axis2) != 0)
      return 0;
  }
  return 1;
}

HN_WIDE void hn_joints_in_speeds(const hn_joint_shape *four, const hn_frame *frames, double *value,
                                 double *rate, double *tau, double *block) {
  joint_in_speeds(four, frames, value, rate, tau, block);
}
