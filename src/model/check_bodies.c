// Checks of bodies: mass, numbers, and inertia without negative moments.
//
// A tensor of inertia has principal moments J1 <= J2 <= J3 with J1 >= 0: without that the kinetic
// energy could be negative, which is an error. Out of scope: the triangle inequality J3 <= J1 + J2,
// which needs the joints (check_inertia.c).
#include <math.h>

#include "math/vec.h"
#include "model/storage.h"

static hn_status check_inertia(const hn_subject *subject, const hn_body_def *body) {
  hn_status status = hn_subject_check_finite(subject, "tensor of inertia", body->inertia, 6);
  if (status) return status;
  double j[3];
  hn_vec3 axis;
  hn_principal_moments(body->inertia, j, &axis);
  double largest = fmax(fabs(j[0]), fabs(j[2]));
  if (j[0] < -1e-10 * largest) // less is rounding of a rod's or a point's zero
    return hn_subject_fail(
        subject,
        "Check units and the order xx, yy, zz, xy, xz, yz (about the center of mass); xy "
        "is minus the integral of x y dm.",
        "has principal moments of inertia %.6g, %.6g, %.6g kg m^2; none may be negative", j[0],
        j[1], j[2]);
  return HN_OK;
}

// Whether joints carry a body: a massless one then moves with its neighbors.
static int is_joined(const hn_model *model, int body) {
  for (int j = 0; j < model->joint_count; j++) {
    const hn_joint_def *joint = &model->joints[j];
    if (!hn_joint_holds(joint->type)) continue;
    if (joint->frame1.body == body || joint->frame2.body == body) return 1;
  }
  return 0;
}

static hn_status check_body(hn_model *model, const hn_body_def *body) {
  hn_subject subject = {model, HN_NAME_BODY, body->name, &body->source};
  hn_status status = hn_subject_check_component(&subject, body->component);
  if (status) return status;
  if (!(body->mass >= 0) || !isfinite(body->mass))
    return hn_subject_fail(&subject, "Give the mass in kg, or zero for a body that joints hold.",
                           "has the mass %g kg; it must be finite and not negative", body->mass);
  if (body->mass == 0 && !is_joined(model, (int)(body - model->bodies)))
    return hn_subject_fail(&subject,
                           "Give it a mass, or hold it by joints to ground or to bodies with mass.",
                           "has no mass and undetermined motion");
  status = hn_subject_check_finite(&subject, "position", &body->position.x, 3);
  if (!status) status = hn_subject_check_finite(&subject, "velocity", &body->velocity.x, 3);
  if (!status)
    status = hn_subject_check_finite(&subject, "angular velocity", &body->angular_velocity.x, 3);
  if (!status) status = hn_subject_check_finite(&subject, "orientation", &body->orientation.w, 4);
  if (status) return status;
  hn_quat p = body->orientation;
  double n = sqrt(p.w * p.w + p.x * p.x + p.y * p.y + p.z * p.z);
  if (!(fabs(n - 1) < 1e-9))
    return hn_subject_fail(&subject, "Give {1, 0, 0, 0} for no rotation.",
                           "has an orientation quaternion of length %g", n);
  return check_inertia(&subject, body);
}

hn_status hn_model_check_bodies(hn_model *model) {
  for (int k = 1; k < model->body_count; k++) {
    hn_status status = check_body(model, &model->bodies[k]);
    if (status) return status;
  }
  return HN_OK;
}
