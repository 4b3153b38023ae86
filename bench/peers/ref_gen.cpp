// Reference solutions with SUNDIALS CVODE: p1 scalar ODE, p3/p4 chain in absolute angles, p2 index-1 absolute coordinates.
#define NO_HARNESS_MAIN
#include "harness.hpp"
#include <cassert>
#include <cvode/cvode.h>
#include <functional>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
static bool lu_solve(std::vector<double> &A, std::vector<double> &b,
                     int n) { // partial pivoting, row major
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(A[i * n + k]) > fabs(A[p * n + k])) p = i;
    if (A[p * n + k] == 0) return false;
    if (p != k) {
      for (int j = 0; j < n; j++) std::swap(A[k * n + j], A[p * n + j]);
      std::swap(b[k], b[p]);
    }
    for (int i = k + 1; i < n; i++) {
      double f = A[i * n + k] / A[k * n + k];
      if (f == 0) continue;
      for (int j = k; j < n; j++) A[i * n + j] -= f * A[k * n + j];
      b[i] -= f * b[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) b[k] -= A[k * n + j] * b[j];
    b[k] /= A[k * n + k];
  }
  return true;
}
typedef std::function<void(double, const double *, double *)> F;
static int rhs(realtype t, N_Vector y, N_Vector yd, void *u) {
  (*(F *)u)(t, N_VGetArrayPointer(y), N_VGetArrayPointer(yd));
  return 0;
}
static void integrate(int n, std::vector<double> y0, F f, bool stiff, double tol, double tend,
                      double dts, std::function<void(double, const double *)> out) {
  SUNContext c;
  SUNContext_Create(NULL, &c);
  N_Vector y = N_VNew_Serial(n, c);
  memcpy(N_VGetArrayPointer(y), y0.data(), n * sizeof(double));
  void *m = CVodeCreate(stiff ? CV_BDF : CV_ADAMS, c);
  CVodeInit(m, rhs, 0, y);
  CVodeSStolerances(m, tol, tol);
  CVodeSetUserData(m, &f);
  CVodeSetMaxNumSteps(m, 100000000);
  SUNMatrix A = NULL;
  SUNLinearSolver L = NULL;
  SUNNonlinearSolver NL = NULL;
  if (stiff) {
    A = SUNDenseMatrix(n, n, c);
    L = SUNLinSol_Dense(y, A, c);
    CVodeSetLinearSolver(m, L, A);
  } else {
    NL = SUNNonlinSol_FixedPoint(y, 0, c);
    CVodeSetNonlinearSolver(m, NL);
  }
  double t = 0;
  out(0, y0.data());
  for (int k = 1; k * dts <= tend + 1e-9; k++) {
    double T = k * dts;
    CVodeSetStopTime(m, T);
    int r = CVode(m, T, y, &t, CV_NORMAL);
    if (r < 0) {
      fprintf(stderr, "cvode %d\n", r);
      exit(1);
    }
    out(T, N_VGetArrayPointer(y));
  }
  long ns;
  CVodeGetNumSteps(m, &ns);
  fprintf(stderr, "steps %ld\n", ns);
}
int main(int ac, char **av) {
  std::string p = av[1];
  int N = atoi(av[2]);
  double tol = ac > 3 ? atof(av[3]) : 1e-13;
  Model M = make_model(p, N);
  auto pr = [](double t, double x, double y) { printf("%.12g %.16g %.16g\n", t, x, y); };
  if (p == "p1") {
    double J = (N + 1) / 3.0 + N, G = ((N + 1) / 2.0 + N) * M.g;
    integrate(
        2, {M_PI / 2, -1},
        [=](double, const double *y, double *d) {
          d[0] = y[1];
          d[1] = -G / J * cos(y[0]);
        },
        false, tol, M.tend, M.tsample,
        [&](double t, const double *y) { pr(t, cos(y[0]), sin(y[0])); });
  } else if (p == "p3" || p == "p4") {
    int n = M.b.size();
    std::vector<double> L(n), a(n), y0(2 * n);
    for (int i = 0; i < n; i++) {
      a[i] = -M.j[i].bx;
      L[i] = 2 * a[i];
      y0[i] = M.b[i].th;
      y0[n + i] = M.b[i].w;
    }
    F f = [=](double, const double *y, double *d) {
      std::vector<double> A(n * n), b(n);
      std::vector<double> ms(n); // ms[i]: mass beyond link i
      double s = 0;
      for (int i = n - 1; i >= 0; i--) {
        ms[i] = s;
        s += M.b[i].m;
      }
      auto coef = [&](int i, int k) {
        int lo = std::min(i, k), hi = std::max(i, k);
        return i == k ? M.b[i].I + M.b[i].m * a[i] * a[i] + ms[i] * L[i] * L[i]
                      : L[lo] * (M.b[hi].m * a[hi] + ms[hi] * L[hi]);
      };
      for (int i = 0; i < n; i++) {
        b[i] = -M.g * cos(y[i]) * (M.b[i].m * a[i] + ms[i] * L[i]);
        for (int k = 0; k < n; k++) {
          double cf = coef(i, k);
          A[i * n + k] = cf * (i == k ? 1 : cos(y[i] - y[k]));
          if (i != k) b[i] -= cf * sin(y[i] - y[k]) * y[n + k] * y[n + k];
        }
      }
      for (int i = 0; i < n; i++)
        if (M.j[i].k || M.j[i].c) {
          double ta = i ? y[i - 1] : 0, wa = i ? y[n + i - 1] : 0,
                 T = -M.j[i].k * (y[i] - ta - M.j[i].th0) - M.j[i].c * (y[n + i] - wa);
          b[i] += T;
          if (i) b[i - 1] -= T;
        }
      lu_solve(A, b, n);
      for (int i = 0; i < n; i++) {
        d[i] = y[n + i];
        d[n + i] = b[i];
      }
    };
    integrate(2 * n, y0, f, p == "p4", tol, std::min(M.tend, M.terr),
              p == "p4" && ac > 4 ? atof(av[4]) : M.tsample, [&](double t, const double *y) {
                double x = 0, z = 0;
                if (p == "p4") {
                  if (ac > 4)
                    printf("%g %.8g %.8g\n", t, y[0] + 2 * M_PI, y[1]);
                  else
                    pr(t, cos(y[0]), sin(y[0]));
                  return;
                }
                for (int i = 0; i < n; i++) {
                  x += L[i] * cos(y[i]);
                  z += L[i] * sin(y[i]);
                }
                pr(t, x, z);
              });
  } else if (p == "p2") {
    int n = M.b.size(), nc = 2 * M.j.size(), nt = 3 * n + nc;
    std::vector<double> y0(6 * n);
    for (int i = 0; i < n; i++) {
      const Body &b = M.b[i];
      double q[6] = {b.x, b.y, b.th, b.vx, b.vy, b.w};
      for (int k = 0; k < 3; k++) {
        y0[3 * i + k] = q[k];
        y0[3 * n + 3 * i + k] = q[3 + k];
      }
    }
    F f = [=](double, const double *y, double *d) {
      std::vector<double> A(nt * nt), b(nt);
      const double *v = y + 3 * n;
      for (int i = 0; i < n; i++) {
        A[(3 * i) * nt + 3 * i] = A[(3 * i + 1) * nt + 3 * i + 1] = M.b[i].m;
        A[(3 * i + 2) * nt + 3 * i + 2] = M.b[i].I;
        b[3 * i + 1] = -M.b[i].m * M.g;
      }
      if (M.torqueBody >= 0) b[3 * M.torqueBody + 2] += M.torque;
      for (auto &s : M.s) {
        double c = cos(y[3 * s.b + 2]), sn = sin(y[3 * s.b + 2]), rx = c * s.bx - sn * s.by,
               ry = sn * s.bx + c * s.by, dx = y[3 * s.b] + rx - s.gx,
               dy = y[3 * s.b + 1] + ry - s.gy, l = hypot(dx, dy), fo = -s.k * (l - s.l0) / l;
        b[3 * s.b] += fo * dx;
        b[3 * s.b + 1] += fo * dy;
        b[3 * s.b + 2] += fo * (rx * dy - ry * dx);
      }
      for (size_t k = 0; k < M.j.size(); k++) {
        const Joint &j = M.j[k];
        int r = 3 * n + 2 * k;
        auto put = [&](int B, double X, double Y, double sg) {
          if (B < 0) return;
          double c = cos(y[3 * B + 2]), s = sin(y[3 * B + 2]), rx = c * X - s * Y,
                 ry = s * X + c * Y, w = v[3 * B + 2];
          auto set = [&](int i, int jj, double val) {
            A[i * nt + jj] += val;
            A[jj * nt + i] += val;
          };
          set(r, 3 * B, sg);
          set(r + 1, 3 * B + 1, sg);
          set(r, 3 * B + 2, -sg * ry);
          set(r + 1, 3 * B + 2, sg * rx);
          b[r] += sg * rx * w * w;
          b[r + 1] += sg * ry * w * w;
        };
        put(j.a, j.ax, j.ay, 1);
        put(j.b, j.bx, j.by, -1);
      }
      lu_solve(A, b, nt);
      for (int i = 0; i < 3 * n; i++) {
        d[i] = v[i];
        d[3 * n + i] = b[i];
      }
    };
    integrate(6 * n, y0, f, false, tol, M.tend, M.tsample, [&](double t, const double *y) {
      double c = cos(y[2]), s = sin(y[2]);
      pr(t, y[0] + c * M.ox, y[1] + s * M.ox);
      if (fabs(t - 0.03) < 1e-9) fprintf(stderr, "beta(0.03)=%.12g\n", y[2]);
    });
  }
}
const char *PEER = "ref";
