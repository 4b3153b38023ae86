// Result of Holon's time stepping at each contact point of its last step, which its public
// interface reports for a few pairs only.
#ifndef CONTACT_POINTS_H
#define CONTACT_POINTS_H
#ifdef __cplusplus
extern "C" {
#endif

struct hn_simulation;
typedef struct contact_point {
  int body[2];                  // 0: ground
  double impulse[3], normal[3]; // on body[1]
} contact_point;
// Residual to which steps are solved, instead of 1e-6.
void contact_residual(struct hn_simulation *simulation, double residual);
// Returns the number of points, and copies at most the capacity of `points`.
int contact_points(const struct hn_simulation *simulation, contact_point *points, int room);

#ifdef __cplusplus
}
#endif
#endif
