// What Holon's time stepping did at each contact point of its last step, which its public interface
// tells of few pairs only.
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
// What steps are solved to, in place of 1e-6.
void contact_residual(struct hn_simulation *simulation, double residual);
// How many there are, at most `room` of them into points.
int contact_points(const struct hn_simulation *simulation, contact_point *points, int room);

#ifdef __cplusplus
}
#endif
#endif
