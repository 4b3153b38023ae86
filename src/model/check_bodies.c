// Checks of bodies: mass, numbers, and inertia that some distribution of mass can have.
//
// A tensor of inertia J = integral of (s.s I - s s') dm has principal moments J1 <= J2 <= J3 with
// J1 >= 0 (positive semidefinite) and J3 <= J1 + J2 (triangle inequality, equal for flat bodies).
// The first is needed for a kinetic energy that is not negative and is an error; the second is
// broken by many published machines on purpose (planar ones), so it is a warning.
#include <math.h>

#include "math/vec.h"
#include "model/storage.h"

// Eigenvalues of a symmetric matrix by cyclic Jacobi rotations, ascending.
static void principal_moments(const double inertia[6], double moments[3]) {
  hn_mat3 a = mat3_symmetric(inertia);
  for (int sweep = 0; sweep < 30; sweep++) {
    double off = fabs(a.m[0][1]) + fabs(a.m[0][2]) + fabs(a.m[1][2]);
    double diagonal = fabs(a.m[0][0]) + fabs(a.m[1][1]) + fabs(a.m[2][2]);
    if (off <= 1e-17 * diagonal) break;
    for (int p = 0; p < 2; p++)
      for (int q = p + 1; q < 3; q++) {
        if (a.m[p][q] == 0) continue;
        double theta = (a.m[q][q] - a.m[p][p]) / (2 * a.m[p][q]);
        double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
        double c = 1 / sqrt(t * t + 1), s = t * c;
        hn_mat3 g = mat3_identity();
        g.m[p][p] = g.m[q][q] = c;
        g.m[p][q] = s;
        g.m[q][p] = -s;
        a = mat3_multiply(mat3_transpose(g), mat3_multiply(a, g));
        a.m[p][q] = a.m[q][p] = 0;
      }
  }
  for (int k = 0; k < 3; k++) moments[k] = a.m[k][k];
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 2 - k; i++)
      if (moments[i] > moments[i + 1]) {
        double larger = moments[i];
        moments[i] = moments[i + 1];
        moments[i + 1] = larger;
      }
}

static hn_status check_inertia(const hn_subject *subject, const hn_body_def *body) {
  hn_status status = hn_subject_check_finite(subject, "tensor of inertia", body->inertia, 6);
  if (status) return status;
  double j[3];
  principal_moments(body->inertia, j);
  double largest = fmax(fabs(j[0]), fabs(j[2]));
  if (j[0] < -1e-10 * largest) // less is rounding of a rod's or a point's zero
    return hn_subject_fail(
        subject,
        "Check the products of inertia: xy, xz, yz are tensor entries (minus the integral of x y "
        "dm), about the centre of mass in body axes.",
        "has the principal moments of inertia %.6g, %.6g, %.6g kg m2; none may be negative", j[0],
        j[1], j[2]);
  double excess = j[2] - j[0] - j[1];
  if (excess <= 1e-6 * largest) return HN_OK;
  return hn_subject_warn(
      subject,
      "has the principal moments of inertia %.6g, %.6g, %.6g kg m2: the largest, %.6g, exceeds the "
      "sum of the other two by %.6g, which no distribution of mass does. Check the units and about "
      "which point they are given (the centre of mass); a planar machine may keep them.",
      j[0], j[1], j[2], j[2], excess);
}

static hn_status check_body(hn_model *model, const hn_body_def *body) {
  hn_subject subject = {model, HN_NAME_BODY, body->name, &body->source};
  hn_status status = hn_subject_check_component(&subject, body->component);
  if (status) return status;
  if (!(body->mass > 0) || !isfinite(body->mass))
    return hn_subject_fail(
        &subject,
        body->mass == 0 ? "Give it a mass, or join its neighbours directly without it."
                        : "Give the mass in kg, greater than zero.",
        "has the mass %g kg; it must be greater than zero and finite", body->mass);
  status = hn_subject_check_finite(&subject, "position", &body->position.x, 3);
  if (!status) status = hn_subject_check_finite(&subject, "velocity", &body->velocity.x, 3);
  if (!status)
    status = hn_subject_check_finite(&subject, "angular velocity", &body->angular_velocity.x, 3);
  if (!status) status = hn_subject_check_finite(&subject, "orientation", &body->orientation.w, 4);
  if (status) return status;
  hn_quat p = body->orientation;
  double n = sqrt(p.w * p.w + p.x * p.x + p.y * p.y + p.z * p.z);
  if (!(fabs(n - 1) < 1e-9))
    return hn_subject_fail(&subject, "Give {1, 0, 0, 0} for a body that is not turned.",
                           "has a quaternion of length %g as orientation", n);
  return check_inertia(&subject, body);
}

hn_status hn_model_check_bodies(hn_model *model) {
  for (int k = 1; k < model->body_count; k++) {
    hn_status status = check_body(model, &model->bodies[k]);
    if (status) return status;
  }
  return HN_OK;
}
