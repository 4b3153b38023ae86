// A driver in the loop: pedal and steering go in by name, speed and steering torque come out, a hundred
// times a second. The driver here is a few lines of code that has to reach 4 m/s and hold it; in a
// simulator it is a person. When he errs, the last two seconds are taken back and driven again.
//
//   realtime_loop [MODEL]       default: models/examples/inputs.yaml
//
// A program of a simulator would wait for its clock between steps, as `holon run --realtime` does.
#include <holon/holon.h>

#include <math.h>
#include <stdio.h>
#include <time.h>

static const double period = 1e-2, wanted = 4;

// The library knows no clock: this one is handed to it. A simulator takes a monotonic one.
static double seconds(void *context) {
  (void)context;
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Names are looked up once.
typedef struct controls {
  int pedal, brake, steering; // inputs
  int speed, angle, torque;   // outputs
} controls;

static int find_controls(const hn_realtime *loop, controls *c) {
  *c = (controls){.pedal = hn_realtime_find_input(loop, "pedal"),
                  .brake = hn_realtime_find_input(loop, "brake"),
                  .steering = hn_realtime_find_input(loop, "steering"),
                  .speed = hn_realtime_find_output(loop, "speed"),
                  .angle = hn_realtime_find_output(loop, "steering"),
                  .torque = hn_realtime_find_output(loop, "torque")};
  return c->pedal >= 0 && c->brake >= 0 && c->steering >= 0 && c->speed >= 0 && c->angle >= 0 &&
         c->torque >= 0;
}

// Action of the driver at each step, from the outputs.
static void drive(hn_realtime *loop, const controls *c) {
  double time = hn_realtime_time(loop), error = wanted - hn_realtime_output(loop, c->speed);
  double pedal = fmin(1, fmax(0, 0.05 + 2 * error));
  hn_realtime_set_input(loop, c->pedal, pedal);
  hn_realtime_set_input(loop, c->brake, error < -0.5 ? 1000 : 0);
  hn_realtime_set_input(loop, c->steering, 0.2 * sin(2 * time)); // rad; filtered by the model
}

static hn_status run_until(hn_realtime *loop, const controls *c, double end) {
  hn_status status = HN_OK;
  for (int k = 0; status == HN_OK && hn_realtime_time(loop) < end - period / 2; k++) {
    drive(loop, c);
    status = hn_realtime_step(loop, NULL);
    if (k % 50 == 0)
      printf("t %5.2f s  speed %5.2f m/s  steering %6.2f deg  torque %7.3f N m\n",
             hn_realtime_time(loop), hn_realtime_output(loop, c->speed),
             hn_realtime_output(loop, c->angle), hn_realtime_output(loop, c->torque));
  }
  return status;
}

int main(int count, char **arguments) {
  hn_model *model = NULL;
  hn_realtime *loop = NULL;
  hn_error error = {0};
  controls c = {0};
  double speed = 0;
  const char *path = count > 1 ? arguments[1] : "models/examples/inputs.yaml";

  hn_realtime_options options = hn_default_realtime_options();
  options.simulation.step = period;
  options.simulation.max_iterations = 4; // a bound on what a step may cost
  options.clock = seconds;
  hn_status status = hn_model_load(path, NULL, &model, &error);
  if (status == HN_OK) status = hn_realtime_create(model, &options, &loop, &error);
  if (status == HN_OK && !find_controls(loop, &c)) {
    fprintf(stderr, "%s has no pedal, brake and steering\n", path);
    status = HN_ERROR_MODEL;
  }
  if (status == HN_OK) status = run_until(loop, &c, 4);
  if (status == HN_OK) status = hn_realtime_save(loop, 0);
  if (status == HN_OK) status = run_until(loop, &c, 6);
  puts("taken back to 4 s, and again:");
  if (status == HN_OK) status = hn_realtime_restore(loop, 0);
  if (status == HN_OK) status = run_until(loop, &c, 8);
  if (status != HN_OK && loop) error = *hn_realtime_error(loop);

  if (status == HN_OK) {
    hn_timing t = hn_realtime_timing(loop);
    hn_certificate certificate = hn_simulation_certificate(hn_realtime_simulation(loop));
    speed = hn_realtime_output(loop, c.speed);
    printf("%ld steps, mean %.1f us, 99 %% %.1f us, worst %.1f us at t = %.2f s, %ld overruns, "
           "%ld stages unconverged\n",
           t.steps, 1e6 * t.mean, 1e6 * t.p99, 1e6 * t.worst, t.worst_at, t.overruns,
           certificate.newton_unconverged_accepted);
  }
  hn_realtime_free(loop);
  hn_model_free(model);
  if (status != HN_OK) {
    char text[4096];
    hn_error_format(&error, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    return 1;
  }
  return fabs(speed - wanted) < 0.1 ? 0 : 1;
}
