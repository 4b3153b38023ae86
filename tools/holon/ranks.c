// Several processes: `mpirun -n K holon run MODEL --method components`. The message passing library is
// loaded only when mpirun started the command, so nothing else depends on it. The one file that knows it:
// Open MPI, whose types come from its header at build time and whose functions from the library at run
// time (HOLON_WITH_MPI; without it a start by mpirun is refused).
#include "ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// How many processes the starter says there are; 1 when nobody says so.
static int announced(void) {
  static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_SIZE"};
  for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
    const char *text = getenv(names[k]);
    if (text != NULL && atoi(text) > 1) return atoi(text);
  }
  return 1;
}

#if HOLON_WITH_MPI

#include <dlfcn.h>
#include <mpi.h>
#include <time.h>

typedef struct library {
  void *handle;
  int (*initialize)(int *, char ***);
  int (*finalize)(void);
  int (*rank)(MPI_Comm, int *);
  int (*size)(MPI_Comm, int *);
  int (*gather)(const void *, int, MPI_Datatype, void *, const int *, const int *, MPI_Datatype,
                MPI_Comm, MPI_Request *);
  int (*test)(MPI_Request *, int *, MPI_Status *);
  int (*set_handler)(MPI_Comm, MPI_Errhandler);
  MPI_Comm world;
  MPI_Datatype number;
  MPI_Errhandler returns;
  int *counts; // (size)
  int is_lost;
  hn_ranks ranks;
} library;

static library mpi;

static int find(const char *name, void *target) {
  void *address = dlsym(mpi.handle, name);
  memcpy(target, &address, sizeof address);
  return address != NULL;
}

static int load(void) {
  static const char *const names[] = {"libmpi.so.40", "libmpi.so.12", "libmpi.so"};
  for (size_t k = 0; k < sizeof names / sizeof names[0] && mpi.handle == NULL; k++)
    mpi.handle = dlopen(names[k], RTLD_NOW | RTLD_GLOBAL);
  return mpi.handle != NULL && find("MPI_Init", &mpi.initialize) &&
         find("MPI_Finalize", &mpi.finalize) && find("MPI_Comm_rank", &mpi.rank) &&
         find("MPI_Comm_size", &mpi.size) && find("MPI_Iallgatherv", &mpi.gather) &&
         find("MPI_Test", &mpi.test) && find("MPI_Comm_set_errhandler", &mpi.set_handler) &&
         find("ompi_mpi_comm_world", &mpi.world) && find("ompi_mpi_double", &mpi.number) &&
         find("ompi_mpi_errors_return", &mpi.returns);
}

// A process that is lost never answers. mpirun tells the others by SIGTERM; until then this one looks
// again and again, and sleeps a little when nothing comes.
static hn_status wait_for(MPI_Request *request) {
  for (long looks = 0;; looks++) {
    int done = 0;
    if (mpi.is_lost || hn_cli_is_interrupted() ||
        mpi.test(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) {
      mpi.is_lost = 1;
      return HN_ERROR_INTERRUPTED;
    }
    if (done) return HN_OK;
    if (looks > 2000) nanosleep(&(struct timespec){0, 50000}, NULL);
  }
}

static hn_status gather(void *context, double *data, const int *start) {
  (void)context;
  MPI_Request request;
  if (mpi.is_lost) return HN_ERROR_INTERRUPTED;
  for (int k = 0; k < mpi.ranks.size; k++) mpi.counts[k] = start[k + 1] - start[k];
  if (mpi.gather(MPI_IN_PLACE, 0, mpi.number, data, mpi.counts, start, mpi.number, mpi.world,
                 &request) != MPI_SUCCESS) {
    mpi.is_lost = 1;
    return HN_ERROR_INTERRUPTED;
  }
  return wait_for(&request);
}

int hn_cli_ranks_begin(const char *command, const hn_ranks **ranks) {
  *ranks = NULL;
  if (announced() < 2) return -1;
  if (!load() || mpi.initialize(NULL, NULL) != MPI_SUCCESS)
    return hn_cli_wrong_call(command, "mpirun started %d processes, but libmpi cannot be loaded",
                             announced());
  mpi.ranks = (hn_ranks){.rank = 0, .size = 1, .gather = gather};
  mpi.rank(mpi.world, &mpi.ranks.rank);
  mpi.size(mpi.world, &mpi.ranks.size);
  mpi.set_handler(mpi.world, mpi.returns);
  mpi.counts = hn_cli_allocate((size_t)mpi.ranks.size, sizeof(int));
  *ranks = &mpi.ranks;
  return -1;
}

int hn_cli_ranks_are_lost(void) { return mpi.is_lost; }

// Without the others there is nobody to say goodbye to.
void hn_cli_ranks_end(void) {
  if (mpi.ranks.size > 0 && !mpi.is_lost) mpi.finalize();
  free(mpi.counts);
  mpi.counts = NULL;
}

#else

int hn_cli_ranks_begin(const char *command, const hn_ranks **ranks) {
  *ranks = NULL;
  if (announced() < 2) return -1;
  return hn_cli_wrong_call(
      command, "mpirun started %d processes, but this holon was built without MPI", announced());
}

int hn_cli_ranks_are_lost(void) { return 0; }
void hn_cli_ranks_end(void) {}

#endif
