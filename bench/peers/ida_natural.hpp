// SUNDIALS IDA on a system in natural coordinates (natural.hpp): stabilised index 2 (Gear, Gupta,
// Leimkuhler) with an exact Jacobian, sparse by KLU, or dense (method "ggl-dense").
#pragma once
#include "harness.hpp"
#include "natural.hpp"
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>
struct IdaNatural : Sim {
  Natural N;
  double tend, t = 0;
  int n, m, nt;
  bool dense;
  SUNContext ctx;
  void *mem;
  N_Vector y, yp;
  SUNMatrix A;
  SUNLinearSolver LS;
  struct Entry {
    int i, j, slot;
  };
  std::vector<Entry> pattern; // in the order of jacobian()
  std::vector<int> start, row;
  std::vector<double> value;
  size_t at = 0;
  bool recording = false;
  double *data = nullptr;

  void put(int i, int j, double x) {
    if (recording)
      pattern.push_back({i, j, 0});
    else
      data[pattern[at++].slot] += x;
  }
  static double dot(const Linear &l, const double *q, bool with_constant = true) {
    double s = with_constant ? l.constant : 0;
    for (auto &t : l.term) s += t.second * q[t.first];
    return s;
  }
  void residual(const double *Y, const double *D, double *R) {
    const double *q = Y, *v = Y + n, *lam = v + n, *mu = lam + m;
    for (int i = 0; i < n; i++) {
      R[i] = D[i] - v[i];
      R[n + i] = -N.force[i];
    }
    for (auto &e : N.mass) R[n + e.i] += e.c * D[n + e.j];
    for (auto &s : N.spring) {
      double d[3], w[3], l = 0, rate = 0;
      for (int k = 0; k < 3; k++) {
        d[k] = dot(s.d[k], q);
        w[k] = dot(s.d[k], v, false);
        l += d[k] * d[k];
        rate += d[k] * w[k];
      }
      l = sqrt(l);
      double f = (s.k * (l - s.l0) + s.c * rate / l) / l;
      for (int k = 0; k < 3; k++)
        for (auto &t : s.d[k].term) R[n + t.first] += f * d[k] * t.second;
    }
    for (int r = 0; r < m; r++) {
      auto &f = N.phi[r];
      double p = f.rest.constant, pv = 0;
      for (auto &e : f.square) {
        p += e.c * q[e.i] * q[e.j];
        pv += e.c * (v[e.i] * q[e.j] + q[e.i] * v[e.j]);
        R[n + e.i] += e.c * q[e.j] * lam[r];
        R[n + e.j] += e.c * q[e.i] * lam[r];
        R[e.i] += e.c * q[e.j] * mu[r];
        R[e.j] += e.c * q[e.i] * mu[r];
      }
      for (auto &t : f.rest.term) {
        p += t.second * q[t.first];
        pv += t.second * v[t.first];
        R[n + t.first] += t.second * lam[r];
        R[t.first] += t.second * mu[r];
      }
      R[2 * n + r] = pv;
      R[2 * n + m + r] = p;
    }
  }
  void jacobian(double al, const double *Y) {
    const double *q = Y, *v = Y + n, *lam = v + n, *mu = lam + m;
    for (int i = 0; i < n; i++) {
      put(i, i, al);
      put(i, n + i, -1);
    }
    for (auto &e : N.mass) put(n + e.i, n + e.j, al * e.c);
    for (auto &s : N.spring) spring_blocks(s, q, v);
    for (int r = 0; r < m; r++) {
      auto &f = N.phi[r];
      int l = 2 * n + r, p = l + m;
      for (auto &e : f.square) {
        put(n + e.i, e.j, e.c * lam[r]);
        put(n + e.j, e.i, e.c * lam[r]);
        put(e.i, e.j, e.c * mu[r]);
        put(e.j, e.i, e.c * mu[r]);
        const int ij[2][2] = {{e.i, e.j}, {e.j, e.i}};
        for (auto &k : ij) { // derivative to k[0] is c q[k[1]]
          double c = e.c * q[k[1]];
          put(n + k[0], l, c);
          put(k[0], p, c);
          put(l, n + k[0], c);
          put(l, k[0], e.c * v[k[1]]);
          put(p, k[0], c);
        }
      }
      for (auto &u : f.rest.term) {
        put(n + u.first, l, u.second);
        put(u.first, p, u.second);
        put(l, n + u.first, u.second);
        put(p, u.first, u.second);
      }
    }
  }
  // F = f(l, rate) d; F_d and F_w by the chain rule
  void spring_blocks(const NaturalSpring &s, const double *q, const double *v) {
    double d[3], w[3], l = 0, g = 0;
    for (int k = 0; k < 3; k++) {
      d[k] = dot(s.d[k], q);
      w[k] = dot(s.d[k], v, false);
      l += d[k] * d[k];
      g += d[k] * w[k];
    }
    double l2 = l;
    l = sqrt(l);
    double f = s.k * (1 - s.l0 / l) + s.c * g / l2;
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++) {
        double of_d =
            d[a] * (s.k * s.l0 * d[b] / (l2 * l) + s.c * (w[b] / l2 - 2 * g * d[b] / (l2 * l2))) +
            (a == b ? f : 0);
        double of_w = d[a] * s.c * d[b] / l2;
        for (auto &x : s.d[a].term)
          for (auto &z : s.d[b].term) {
            put(n + x.first, z.first, of_d * x.second * z.second);
            put(n + x.first, n + z.first, of_w * x.second * z.second);
          }
      }
  }
  void find_pattern(const double *Y) {
    recording = true;
    jacobian(1, Y);
    recording = false;
    std::vector<size_t> order(pattern.size());
    for (size_t k = 0; k < order.size(); k++) order[k] = k;
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return pattern[a].j != pattern[b].j ? pattern[a].j < pattern[b].j
                                          : pattern[a].i < pattern[b].i;
    });
    start.assign(nt + 1, 0);
    int i = -1, j = -1;
    for (size_t k : order) {
      Entry &e = pattern[k];
      if (e.i != i || e.j != j) row.push_back(e.i);
      i = e.i;
      j = e.j;
      start[j + 1] = int(row.size());
      e.slot = dense ? e.j * nt + e.i : int(row.size()) - 1;
    }
    for (int k = 1; k <= nt; k++) start[k] = std::max(start[k], start[k - 1]);
  }
  static int fres(realtype, N_Vector a, N_Vector b, N_Vector r, void *u) {
    ((IdaNatural *)u)
        ->residual(N_VGetArrayPointer(a), N_VGetArrayPointer(b), N_VGetArrayPointer(r));
    return 0;
  }
  static int fjac(realtype, realtype al, N_Vector a, N_Vector, N_Vector, SUNMatrix J, void *u,
                  N_Vector, N_Vector, N_Vector) {
    IdaNatural *s = (IdaNatural *)u;
    SUNMatZero(J);
    if (s->dense) {
      s->data = SM_DATA_D(J);
    } else {
      for (int j = 0; j <= s->nt; j++) SM_INDEXPTRS_S(J)[j] = s->start[j];
      for (size_t k = 0; k < s->row.size(); k++) SM_INDEXVALS_S(J)[k] = s->row[k];
      s->data = SM_DATA_S(J);
    }
    s->at = 0;
    s->jacobian(al, N_VGetArrayPointer(a));
    return 0;
  }
  IdaNatural(const Model &M, const std::string &method, double tol)
      : N(M.name == "a04" ? natural_bricard() : natural_governor()), tend(M.tend),
        n(int(N.q.size())), m(int(N.phi.size())), nt(2 * (n + m)),
        dense(method.find("dense") != std::string::npos) {
    SUNContext_Create(NULL, &ctx);
    y = N_VNew_Serial(nt, ctx);
    yp = N_VNew_Serial(nt, ctx);
    N_Vector id = N_VNew_Serial(nt, ctx), absolute = N_VNew_Serial(nt, ctx);
    N_VConst(0, y);
    N_VConst(0, yp);
    double *Y = N_VGetArrayPointer(y), *D = N_VGetArrayPointer(yp);
    for (int i = 0; i < n; i++) {
      Y[i] = N.q[i];
      Y[n + i] = D[i] = N.v[i];
    }
    for (int i = 0; i < nt; i++) {
      N_VGetArrayPointer(id)[i] = i < 2 * n;
      N_VGetArrayPointer(absolute)[i] = i < 2 * n ? tol : 1e10; // multipliers are not controlled
    }
    find_pattern(Y);
    mem = IDACreate(ctx);
    IDAInit(mem, fres, 0, y, yp);
    IDASetUserData(mem, this);
    IDASVtolerances(mem, tol, absolute);
    IDASetId(mem, id);
    IDASetSuppressAlg(mem, SUNTRUE);
    IDASetMaxNumSteps(mem, 10000000);
    IDASetInitStep(mem, 1e-6 * tend);
    IDASetMaxErrTestFails(mem, 40);
    IDASetMaxConvFails(mem, 60);
    A = dense ? SUNDenseMatrix(nt, nt, ctx)
              : SUNSparseMatrix(nt, nt, (sunindextype)row.size(), CSC_MAT, ctx);
    if (!dense) {
      for (int j = 0; j <= nt; j++) SM_INDEXPTRS_S(A)[j] = start[j];
      for (size_t k = 0; k < row.size(); k++) SM_INDEXVALS_S(A)[k] = row[k];
    }
    LS = dense ? SUNLinSol_Dense(y, A, ctx) : SUNLinSol_KLU(y, A, ctx);
    IDASetLinearSolver(mem, LS, A);
    IDASetJacFn(mem, fjac);
    N_VDestroy(id);
    N_VDestroy(absolute);
  }
  ~IdaNatural() override {
    IDAFree(&mem);
    SUNLinSolFree(LS);
    SUNMatDestroy(A);
    N_VDestroy(y);
    N_VDestroy(yp);
    SUNContext_Free(&ctx);
  }
  const char *parameter() const override { return "tol"; }
  bool advance(double T) override {
    IDASetStopTime(mem, tend);
    int r = IDASolve(mem, T, &t, y, yp, IDA_NORMAL);
    IDAGetNumSteps(mem, &steps);
    if (r < 0) note = "IDA flag " + std::to_string(r);
    return r >= 0;
  }
  void observe(double x[3]) override {
    for (int k = 0; k < 3; k++) x[k] = dot(N.observed[k], N_VGetArrayPointer(y));
  }
  void poses(std::vector<Pose> &) override {}
};
