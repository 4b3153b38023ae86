// SUNDIALS IDA as a generic DAE solver on planar absolute coordinates with KLU and an analytic sparse Jacobian.
// method "ggl": stabilised index-2 (Gear-Gupta-Leimkuhler); "ind2": plain index-2 (velocity constraints).  param = rtol = atol.
#include "harness.hpp"
#include "ida_natural.hpp"
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>
const char *PEER = "sundials-ida-6.4.1";
struct Trip {
  int i, j;
  double v;
};
struct Ida : Sim {
  Model M;
  bool ggl;
  int n, nj, nq, nc, nt;
  SUNContext ctx;
  void *mem = 0;
  N_Vector y, yp, id;
  SUNMatrix A;
  SUNLinearSolver LS;
  double t = 0;
  std::vector<Trip> tr;
  std::vector<long> cp;
  std::vector<int> perm;
  // unknowns: q (3n), v (3n), lambda (nc), mu (nc, ggl only)
  void resid(const double *Y, const double *D, double *R) {
    const double *q = Y, *v = Y + nq, *lam = Y + 2 * nq, *mu = ggl ? lam + nc : 0;
    for (int i = 0; i < nq; i++) R[i] = D[i] - v[i];
    for (int i = 0; i < n; i++) {
      const Body &b = M.b[i];
      R[nq + 3 * i] = b.m * D[nq + 3 * i];
      R[nq + 3 * i + 1] = b.m * D[nq + 3 * i + 1] + b.m * M.g;
      R[nq + 3 * i + 2] = b.I * D[nq + 3 * i + 2];
    }
    if (M.torqueBody >= 0) R[nq + 3 * M.torqueBody + 2] -= M.torque;
    for (auto &s : M.s) {
      double c = cos(q[3 * s.b + 2]), sn = sin(q[3 * s.b + 2]), rx = c * s.bx - sn * s.by,
             ry = sn * s.bx + c * s.by, dx = q[3 * s.b] + rx - s.gx,
             dy = q[3 * s.b + 1] + ry - s.gy, l = hypot(dx, dy), fo = -s.k * (l - s.l0) / l;
      double *r = R + nq + 3 * s.b;
      r[0] -= fo * dx;
      r[1] -= fo * dy;
      r[2] -= fo * (rx * dy - ry * dx);
    }
    double *rv = R + 2 * nq, *rp = rv + nc;
    for (int k = 0; k < nc; k++) rv[k] = 0;
    if (ggl)
      for (int k = 0; k < nc; k++) rp[k] = 0;
    for (int k = 0; k < nj; k++) {
      const Joint &j = M.j[k];
      if (j.a < 0 && ggl) {
        rp[2 * k] += j.ax;
        rp[2 * k + 1] += j.ay;
      }
      for (int e = 0; e < 2; e++) {
        int B = e ? j.b : j.a;
        if (B < 0) continue;
        double sg = e ? -1 : 1, X = e ? j.bx : j.ax, Yl = e ? j.by : j.ay, c = cos(q[3 * B + 2]),
               s = sin(q[3 * B + 2]), rx = c * X - s * Yl, ry = s * X + c * Yl, w = v[3 * B + 2];
        R[nq + 3 * B] += sg * lam[2 * k];
        R[nq + 3 * B + 1] += sg * lam[2 * k + 1];
        R[nq + 3 * B + 2] += sg * (-ry * lam[2 * k] + rx * lam[2 * k + 1]);
        if (ggl) {
          R[3 * B] += sg * mu[2 * k];
          R[3 * B + 1] += sg * mu[2 * k + 1];
          R[3 * B + 2] += sg * (-ry * mu[2 * k] + rx * mu[2 * k + 1]);
          rp[2 * k] += sg * (q[3 * B] + rx);
          rp[2 * k + 1] += sg * (q[3 * B + 1] + ry);
        }
        rv[2 * k] += sg * (v[3 * B] - ry * w);
        rv[2 * k + 1] += sg * (v[3 * B + 1] + rx * w);
      }
      if (j.k || j.c) {
        double tha = j.a < 0 ? 0 : q[3 * j.a + 2], wa = j.a < 0 ? 0 : v[3 * j.a + 2],
               T = -j.k * (q[3 * j.b + 2] - tha - j.th0) - j.c * (v[3 * j.b + 2] - wa);
        R[nq + 3 * j.b + 2] -= T;
        if (j.a >= 0) R[nq + 3 * j.a + 2] += T;
      }
    }
  }
  void jac(double al, const double *Y) {
    const double *q = Y, *v = Y + nq, *lam = Y + 2 * nq, *mu = ggl ? lam + nc : 0;
    tr.clear();
    auto P = [&](int i, int j, double x) { tr.push_back({i, j, x}); };
    for (int i = 0; i < nq; i++) {
      P(i, i, al);
      P(i, nq + i, -1);
      const Body &b = M.b[i / 3];
      P(nq + i, nq + i, al * (i % 3 == 2 ? b.I : b.m));
    }
    for (auto &s : M.s) {
      int b = 3 * s.b;
      double c = cos(q[b + 2]), sn = sin(q[b + 2]), rx = c * s.bx - sn * s.by,
             ry = sn * s.bx + c * s.by, dx = q[b] + rx - s.gx, dy = q[b + 1] + ry - s.gy,
             l = hypot(dx, dy), fo = -s.k * (l - s.l0) / l, df = -s.k * s.l0 / (l * l * l);
      double ddx[3] = {1, 0, -ry}, ddy[3] = {0, 1, rx};
      for (int k = 0; k < 3; k++) {
        double dl = dx * ddx[k] + dy * ddy[k], dfo = df * dl; // d(fo)/dq = -k l0 / l^3 * (d . dd)
        double Fx = dfo * dx + fo * ddx[k], Fy = dfo * dy + fo * ddy[k], drx = k == 2 ? -ry : 0,
               dry = k == 2 ? rx : 0;
        P(nq + b, b + k, -Fx);
        P(nq + b + 1, b + k, -Fy);
        P(nq + b + 2, b + k,
          -(dfo * (rx * dy - ry * dx) + fo * (drx * dy + rx * ddy[k] - dry * dx - ry * ddx[k])));
      }
    }
    for (int k = 0; k < nj; k++) {
      const Joint &j = M.j[k];
      int l = 2 * nq + 2 * k, m = l + nc;
      for (int e = 0; e < 2; e++) {
        int B = e ? j.b : j.a;
        if (B < 0) continue;
        double sg = e ? -1 : 1, X = e ? j.bx : j.ax, Yl = e ? j.by : j.ay, c = cos(q[3 * B + 2]),
               s = sin(q[3 * B + 2]), rx = c * X - s * Yl, ry = s * X + c * Yl, w = v[3 * B + 2];
        int b = 3 * B;
        P(nq + b, l, sg);
        P(nq + b + 1, l + 1, sg);
        P(nq + b + 2, l, -sg * ry);
        P(nq + b + 2, l + 1, sg * rx);
        P(nq + b + 2, b + 2, sg * (-rx * lam[2 * k] - ry * lam[2 * k + 1]));
        P(l, nq + b, sg);
        P(l + 1, nq + b + 1, sg);
        P(l, nq + b + 2, -sg * ry);
        P(l + 1, nq + b + 2, sg * rx);
        P(l, b + 2, -sg * rx * w);
        P(l + 1, b + 2, -sg * ry * w);
        if (ggl) {
          P(b, m, sg);
          P(b + 1, m + 1, sg);
          P(b + 2, m, -sg * ry);
          P(b + 2, m + 1, sg * rx);
          P(b + 2, b + 2, sg * (-rx * mu[2 * k] - ry * mu[2 * k + 1]));
          P(m, b, sg);
          P(m + 1, b + 1, sg);
          P(m, b + 2, -sg * ry);
          P(m + 1, b + 2, sg * rx);
        }
      }
      if (j.k || j.c) {
        int B = j.b * 3 + 2, a = j.a * 3 + 2;
        P(nq + B, B, j.k);
        P(nq + B, nq + B, j.c);
        if (j.a >= 0) {
          P(nq + B, a, -j.k);
          P(nq + B, nq + a, -j.c);
          P(nq + a, B, -j.k);
          P(nq + a, nq + B, -j.c);
          P(nq + a, a, j.k);
          P(nq + a, nq + a, j.c);
        }
      }
    }
  }
  void pattern() { // compressed columns, duplicates summed; perm maps triplet -> slot
    std::vector<int> o(tr.size());
    for (size_t i = 0; i < o.size(); i++) o[i] = i;
    std::sort(o.begin(), o.end(), [&](int a, int b) {
      return tr[a].j != tr[b].j ? tr[a].j < tr[b].j : tr[a].i < tr[b].i;
    });
    perm.assign(tr.size(), 0);
    cp.assign(nt + 1, 0);
    std::vector<long> ri;
    int pi = -1, pj = -1;
    for (int k : o) {
      if (tr[k].i != pi || tr[k].j != pj) {
        ri.push_back(tr[k].i);
        pi = tr[k].i;
        pj = tr[k].j;
        cp[pj + 1] = ri.size();
      }
      perm[k] = ri.size() - 1;
    }
    for (int j = 1; j <= nt; j++) cp[j] = std::max(cp[j], cp[j - 1]);
    A = SUNSparseMatrix(nt, nt, ri.size(), CSC_MAT, ctx);
    for (int j = 0; j <= nt; j++) SM_INDEXPTRS_S(A)[j] = cp[j];
    for (size_t k = 0; k < ri.size(); k++) SM_INDEXVALS_S(A)[k] = ri[k];
    rii = ri;
  }
  std::vector<long> rii;
  static int fres(realtype, N_Vector a, N_Vector b, N_Vector r, void *u) {
    ((Ida *)u)->resid(N_VGetArrayPointer(a), N_VGetArrayPointer(b), N_VGetArrayPointer(r));
    return 0;
  }
  static int fjac(realtype, realtype al, N_Vector a, N_Vector, N_Vector, SUNMatrix J, void *u,
                  N_Vector, N_Vector, N_Vector) {
    Ida *s = (Ida *)u;
    s->jac(al, N_VGetArrayPointer(a));
    for (int j = 0; j <= s->nt; j++) SM_INDEXPTRS_S(J)[j] = s->cp[j];
    double *d = SM_DATA_S(J);
    for (size_t k = 0; k < s->rii.size(); k++) {
      SM_INDEXVALS_S(J)[k] = s->rii[k];
      d[k] = 0;
    }
    for (size_t k = 0; k < s->tr.size(); k++) d[s->perm[k]] += s->tr[k].v;
    return 0;
  }
  Ida(const Model &m, const std::string &meth, double tol) : M(m), ggl(meth == "ggl") {
    n = M.b.size();
    nj = M.j.size();
    nq = 3 * n;
    nc = 2 * nj;
    nt = 2 * nq + nc * (ggl ? 2 : 1);
    SUNContext_Create(NULL, &ctx);
    y = N_VNew_Serial(nt, ctx);
    yp = N_VNew_Serial(nt, ctx);
    id = N_VNew_Serial(nt, ctx);
    N_VConst(0, y);
    N_VConst(0, yp);
    N_VConst(0, id);
    double *Y = N_VGetArrayPointer(y);
    for (int i = 0; i < n; i++) {
      const Body &b = M.b[i];
      double s[6] = {b.x, b.y, b.th, b.vx, b.vy, b.w};
      for (int k = 0; k < 3; k++) {
        Y[3 * i + k] = s[k];
        Y[nq + 3 * i + k] = s[3 + k];
        N_VGetArrayPointer(yp)[3 * i + k] = s[3 + k];
      }
    }
    for (int i = 0; i < 2 * nq; i++) N_VGetArrayPointer(id)[i] = 1;
    mem = IDACreate(ctx);
    IDAInit(mem, fres, 0, y, yp);
    IDASetUserData(mem, this);
    // multipliers are not error-controlled: huge absolute tolerance for them
    N_Vector at = N_VNew_Serial(nt, ctx);
    for (int i = 0; i < nt; i++) N_VGetArrayPointer(at)[i] = i < 2 * nq ? tol : 1e10;
    IDASVtolerances(mem, tol, at);
    N_VDestroy(at);
    IDASetId(mem, id);
    IDASetSuppressAlg(mem, SUNTRUE);
    IDASetMaxNumSteps(mem, 10000000);
    IDASetInitStep(mem, 1e-6 * M.tend);
    IDASetMaxErrTestFails(mem, 40);
    IDASetMaxConvFails(mem, 60);
    jac(1.0, Y);
    pattern();
    LS = SUNLinSol_KLU(y, A, ctx);
    IDASetLinearSolver(mem, LS, A);
    IDASetJacFn(mem, fjac);
  }
  ~Ida() {
    IDAFree(&mem);
    SUNLinSolFree(LS);
    SUNMatDestroy(A);
    N_VDestroy(y);
    N_VDestroy(yp);
    N_VDestroy(id);
    SUNContext_Free(&ctx);
  }
  const char *parameter() const override { return "tol"; }
  bool advance(double T) override {
    int r = 0;
    for (int tries = 0; tries < 1; tries++) {
      IDASetStopTime(mem, M.tend);
      r = IDASolve(mem, T, &t, y, yp, IDA_NORMAL);
    }
    IDAGetNumSteps(mem, &steps);
    if (r < 0) note = "IDA flag " + std::to_string(r);
    return r >= 0;
  }
  void poses(std::vector<Pose> &P) override {
    double *Y = N_VGetArrayPointer(y);
    for (int i = 0; i < n; i++)
      P[i] = {Y[3 * i],      Y[3 * i + 1],      cos(Y[3 * i + 2]), sin(Y[3 * i + 2]),
              Y[nq + 3 * i], Y[nq + 3 * i + 1], Y[nq + 3 * i + 2]};
  }
};
std::unique_ptr<Sim> make_sim(const Model &M, const std::string &m, double p) {
  if (M.space) return std::make_unique<IdaNatural>(M, m, p);
  return std::make_unique<Ida>(M, m, p);
}
