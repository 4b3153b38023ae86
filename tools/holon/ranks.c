// Several processes: `mpirun -n K holon run MODEL --method components`. The message passing library
// is loaded only when mpirun started the command, so nothing else depends on it. The one file that
// knows it: Open MPI, whose types come from its header at build time and whose functions from the
// library at run time (HOLON_WITH_MPI; without it a start by mpirun is rejected).
//
// Processes have two roles. Those of `holon run` simulate together; those of `holon component
// serve` answer requests to a sealed component, one message for each request and one for each
// answer.
#include "ranks.h"

#include "patience.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Number of processes by the environment of mpirun; 1 without it.
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
#include <pthread.h>
#include <signal.h>
#include <time.h>

enum { name_size = 256, tag_request = 71, tag_answer = 72, tag_goodbye = 73 };

// Sent by each process to all others at the start.
typedef struct role {
  int serves;
  char name[name_size]; // of the component
} role;

typedef struct peer {
  int rank; // of all
  char name[name_size];
  int is_lost;
} peer;

typedef struct library {
  void *handle;
  int (*initialize)(int *, char ***);
  int (*finalize)(void);
  int (*rank)(MPI_Comm, int *);
  int (*size)(MPI_Comm, int *);
  int (*split)(MPI_Comm, int, int, MPI_Comm *);
  int (*gather)(const void *, int, MPI_Datatype, void *, const int *, const int *, MPI_Datatype,
                MPI_Comm, MPI_Request *);
  int (*send)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
  int (*receive)(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
  int (*probe)(int, int, MPI_Comm, int *, MPI_Status *);
  int (*count)(const MPI_Status *, MPI_Datatype, int *);
  int (*test)(MPI_Request *, int *, MPI_Status *);
  int (*set_handler)(MPI_Comm, MPI_Errhandler);
  MPI_Comm world, users;
  MPI_Datatype number, byte;
  MPI_Errhandler returns;
  int *counts; // (size)
  int is_begun, is_lost;
  hn_ranks ranks;
  int world_size, world_rank;
  int peer_count;
  peer *peers; // those that serve (peer_count)
  hn_component_channel *channels;
  pthread_mutex_t lock; // one message at a time
} library;

static library mpi = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int find(const char *name, void *target) {
  void *address = dlsym(mpi.handle, name);
  memcpy(target, &address, sizeof address);
  return address != NULL;
}

static int load_mpi(void) {
  static const char *const names[] = {"libmpi.so.40", "libmpi.so.12", "libmpi.so"};
  for (size_t k = 0; k < sizeof names / sizeof names[0] && mpi.handle == NULL; k++)
    mpi.handle = dlopen(names[k], RTLD_NOW | RTLD_GLOBAL);
  return mpi.handle != NULL && find("MPI_Init", &mpi.initialize) &&
         find("MPI_Finalize", &mpi.finalize) && find("MPI_Comm_rank", &mpi.rank) &&
         find("MPI_Comm_size", &mpi.size) && find("MPI_Comm_split", &mpi.split) &&
         find("MPI_Iallgatherv", &mpi.gather) && find("MPI_Isend", &mpi.send) &&
         find("MPI_Irecv", &mpi.receive) && find("MPI_Iprobe", &mpi.probe) &&
         find("MPI_Get_count", &mpi.count) && find("MPI_Test", &mpi.test) &&
         find("MPI_Comm_set_errhandler", &mpi.set_handler) &&
         find("ompi_mpi_comm_world", &mpi.world) && find("ompi_mpi_double", &mpi.number) &&
         find("ompi_mpi_byte", &mpi.byte) && find("ompi_mpi_errors_return", &mpi.returns);
}

// Until the run itself listens.
static atomic_int told_to_end; // set by a signal, read by any thread
static void on_end(int number) {
  (void)number;
  told_to_end = 1;
}

static void listen_for_end(void) {
  struct sigaction action = {.sa_handler = on_end};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

static double clock_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void rest(long looks) {
  if (looks > 2000) nanosleep(&(struct timespec){0, 50000}, NULL);
}

// A process that is lost never answers. mpirun informs the others by SIGTERM; until then this one
// polls, and sleeps a little when nothing comes. After SIGTERM it waits for `timeout` seconds more.
// silent (may be null) is a component whose process may hang without being lost.
static hn_status wait_for(MPI_Request *request, MPI_Status *status, double patience,
                          const char *silent) {
  double told = 0, began = 0;
  for (long looks = 0;; looks++) {
    int done = 0;
    if (mpi.test(request, &done, status) != MPI_SUCCESS) return HN_ERROR_INTERRUPTED;
    if (done) return HN_OK;
    if (told_to_end || hn_cli_is_interrupted()) {
      if (told <= 0) told = clock_now();
      if (clock_now() - told >= patience) return HN_ERROR_INTERRUPTED;
    }
    if (silent != NULL && looks % 1000 == 999) {
      double now = clock_now();
      if (began <= 0) began = now;
      if (now - began >= hn_cli_patience()) {
        hn_cli_patience_lost(silent);
        return HN_ERROR_INTERRUPTED;
      }
    }
    rest(looks);
  }
}

static hn_status gather(void *context, double *data, const int *start) {
  (void)context;
  MPI_Request request;
  if (mpi.is_lost) return HN_ERROR_INTERRUPTED;
  for (int k = 0; k < mpi.ranks.size; k++) mpi.counts[k] = start[k + 1] - start[k];
  hn_status status = HN_ERROR_INTERRUPTED;
  pthread_mutex_lock(&mpi.lock);
  if (mpi.gather(MPI_IN_PLACE, 0, mpi.number, data, mpi.counts, start, mpi.number, mpi.users,
                 &request) == MPI_SUCCESS)
    status = wait_for(&request, MPI_STATUS_IGNORE, 0, NULL);
  pthread_mutex_unlock(&mpi.lock);
  if (status != HN_OK) mpi.is_lost = 1;
  return status;
}

// ---- remote components --------------------------------------------------------------------------

static const double answer_patience = 0.2; // s, after which no answer is expected any more

static hn_status exchange(peer *p, const void *request, size_t size, void *answer, size_t room,
                          size_t *answer_size) {
  MPI_Request pending;
  MPI_Status info;
  int count = 0;
  size_t most = room < 0x7fffffff ? room : 0x7fffffff;
  if (size > 0x7fffffff) return HN_ERROR_LIMIT;
  if (mpi.send(request, (int)size, mpi.byte, p->rank, tag_request, mpi.world, &pending) !=
          MPI_SUCCESS ||
      wait_for(&pending, MPI_STATUS_IGNORE, answer_patience, p->name) != HN_OK)
    return HN_ERROR_INTERRUPTED;
  if (mpi.receive(answer, (int)most, mpi.byte, p->rank, tag_answer, mpi.world, &pending) !=
          MPI_SUCCESS ||
      wait_for(&pending, &info, answer_patience, p->name) != HN_OK)
    return HN_ERROR_INTERRUPTED;
  mpi.count(&info, mpi.byte, &count);
  *answer_size = count > 0 ? (size_t)count : 0;
  return HN_OK;
}

static hn_status call(void *context, const void *request, size_t size, void *answer, size_t room,
                      size_t *answer_size) {
  peer *p = context;
  pthread_mutex_lock(&mpi.lock);
  hn_status status = p->is_lost || mpi.is_lost
                         ? HN_ERROR_INTERRUPTED
                         : exchange(p, request, size, answer, room, answer_size);
  if (status == HN_ERROR_INTERRUPTED) p->is_lost = mpi.is_lost = 1;
  pthread_mutex_unlock(&mpi.lock);
  return status;
}

int hn_cli_served(const hn_component_channel **served) {
  *served = mpi.channels;
  return mpi.peer_count;
}

const char *hn_cli_served_lost(int ask) {
  for (int k = 0; k < mpi.peer_count; k++) {
    unsigned char byte[64];
    size_t size = 0;
    if (ask && !mpi.is_lost) call(&mpi.peers[k], "?", 1, byte, sizeof byte, &size);
    if (mpi.peers[k].is_lost) return mpi.peers[k].name;
  }
  return NULL;
}

// Lists all, so that all can be stopped; rejects those of equal names.
static int list_peers(const char *command, const role *roles) {
  mpi.peers = hn_cli_allocate((size_t)mpi.world_size, sizeof *mpi.peers);
  mpi.channels = hn_cli_allocate((size_t)mpi.world_size, sizeof *mpi.channels);
  for (int k = 0; k < mpi.world_size; k++) {
    if (!roles[k].serves) continue;
    peer *p = &mpi.peers[mpi.peer_count];
    *p = (peer){.rank = k};
    snprintf(p->name, sizeof p->name, "%.*s", name_size - 1, roles[k].name);
    mpi.channels[mpi.peer_count++] =
        (hn_component_channel){.name = p->name, .call = call, .context = p};
  }
  for (int k = 1; k < mpi.peer_count; k++)
    for (int i = 0; i < k; i++)
      if (strcmp(mpi.peers[i].name, mpi.peers[k].name) == 0)
        return hn_cli_wrong_call(command,
                                 "processes %d and %d both serve '%s'. Serve each component once",
                                 mpi.peers[i].rank, mpi.peers[k].rank, mpi.peers[k].name);
  return -1;
}

// ---- beginning and end --------------------------------------------------------------------------

// All processes exchange their roles; those that simulate get a group of their own.
static int meet(const char *command, const char *serves) {
  role *roles = NULL;
  if (!load_mpi() || mpi.initialize(NULL, NULL) != MPI_SUCCESS)
    return hn_cli_wrong_call(command,
                             "mpirun started %d processes, but libmpi cannot be loaded. Install "
                             "it, or run without mpirun",
                             announced());
  mpi.is_begun = 1;
  listen_for_end();
  mpi.rank(mpi.world, &mpi.world_rank);
  mpi.size(mpi.world, &mpi.world_size);
  mpi.set_handler(mpi.world, mpi.returns);
  size_t size = (size_t)mpi.world_size;
  roles = hn_cli_allocate(size, sizeof *roles);
  int *counts = hn_cli_allocate(size, sizeof *counts),
      *start = hn_cli_allocate(size, sizeof *start);
  for (int k = 0; k < mpi.world_size; k++) {
    counts[k] = (int)sizeof *roles;
    start[k] = k * (int)sizeof *roles;
  }
  role *own = &roles[mpi.world_rank];
  own->serves = serves != NULL;
  snprintf(own->name, sizeof own->name, "%s", serves != NULL ? serves : "");
  MPI_Request request;
  int code = -1;
  if (mpi.gather(MPI_IN_PLACE, 0, mpi.byte, roles, counts, start, mpi.byte, mpi.world, &request) !=
          MPI_SUCCESS ||
      wait_for(&request, MPI_STATUS_IGNORE, 0, NULL) != HN_OK ||
      mpi.split(mpi.world, own->serves, mpi.world_rank, &mpi.users) != MPI_SUCCESS) {
    mpi.is_lost = 1;
    code = hn_cli_wrong_call(
        command,
        "the processes started by mpirun cannot connect to each other. Check the mpirun call");
  }
  if (code < 0 && serves == NULL) code = list_peers(command, roles);
  mpi.ranks = (hn_ranks){.rank = 0, .size = 1, .gather = gather};
  if (code < 0) mpi.rank(mpi.users, &mpi.ranks.rank);
  if (code < 0) mpi.size(mpi.users, &mpi.ranks.size);
  if (code < 0) mpi.set_handler(mpi.users, mpi.returns);
  mpi.counts = hn_cli_allocate(size, sizeof(int));
  free(roles);
  free(counts);
  free(start);
  return code;
}

int hn_cli_ranks_begin(const char *command, const hn_ranks **ranks) {
  *ranks = NULL;
  if (announced() < 2) return -1;
  int code = meet(command, NULL);
  if (code < 0) *ranks = &mpi.ranks;
  return code;
}

int hn_cli_ranks_are_lost(void) { return mpi.is_lost; }

// Without the others there is no process to inform.
void hn_cli_ranks_end(void) {
  for (int k = 0; k < mpi.peer_count && !mpi.is_lost; k++) {
    MPI_Request request;
    if (mpi.send("", 0, mpi.byte, mpi.peers[k].rank, tag_goodbye, mpi.world, &request) !=
            MPI_SUCCESS ||
        wait_for(&request, MPI_STATUS_IGNORE, answer_patience, mpi.peers[k].name) != HN_OK)
      mpi.is_lost = 1;
  }
  if (mpi.is_begun && !mpi.is_lost) mpi.finalize();
  free(mpi.counts);
  free(mpi.peers);
  free(mpi.channels);
  mpi.counts = NULL;
  mpi.peers = NULL;
  mpi.channels = NULL;
  mpi.peer_count = 0;
}

// ---- serving ------------------------------------------------------------------------------------

// After SIGTERM a server continues for a while: the simulating processes have something to write
// first.
static const double serving_patience = 2; // s

static int receive_and_answer(hn_component_server *server, const MPI_Status *info, char **buffer,
                              int *room) {
  MPI_Request request;
  const void *out = NULL;
  size_t out_size = 0;
  int size = 0;
  mpi.count(info, mpi.byte, &size);
  if (size > *room) {
    free(*buffer);
    *buffer = hn_cli_allocate((size_t)size, 1);
    *room = size;
  }
  if (mpi.receive(*buffer, size, mpi.byte, info->MPI_SOURCE, info->MPI_TAG, mpi.world, &request) !=
          MPI_SUCCESS ||
      wait_for(&request, MPI_STATUS_IGNORE, serving_patience, NULL) != HN_OK)
    return 0;
  if (info->MPI_TAG != tag_request) return 1;
  return hn_component_server_answer(server, *buffer, (size_t)size, &out, &out_size) == HN_OK &&
         mpi.send(out, (int)out_size, mpi.byte, info->MPI_SOURCE, tag_answer, mpi.world,
                  &request) == MPI_SUCCESS &&
         wait_for(&request, MPI_STATUS_IGNORE, serving_patience, NULL) == HN_OK;
}

int hn_cli_ranks_serve(const char *command, const char *name, hn_component_server *server) {
  if (announced() < 2)
    return hn_cli_wrong_call(command,
                             "serve needs the run in the same mpirun call:\n"
                             "  mpirun -n 1 holon run MODEL : -n 1 holon component serve FILE.hnc");
  int code = meet(command, name), room = 0;
  char *buffer = NULL;
  double told = 0;
  int users = mpi.world_size - mpi.ranks.size; // those who serve are this process's own group
  for (long looks = 0; code < 0 && users > 0; looks++) {
    int is_there = 0;
    MPI_Status info;
    if (told_to_end && told <= 0) told = clock_now();
    if (mpi.probe(MPI_ANY_SOURCE, MPI_ANY_TAG, mpi.world, &is_there, &info) != MPI_SUCCESS ||
        (told > 0 && clock_now() - told > serving_patience)) {
      mpi.is_lost = 1;
      break;
    }
    rest(looks);
    if (!is_there) continue;
    looks = 0;
    if (!receive_and_answer(server, &info, &buffer, &room)) mpi.is_lost = 1;
    if (mpi.is_lost) break;
    users -= info.MPI_TAG == tag_goodbye;
  }
  free(buffer);
  if (code < 0) code = mpi.is_lost ? HN_CLI_FAILED : HN_CLI_DONE;
  hn_cli_ranks_end();
  return code;
}

#else

static int refuse(const char *command) {
  return hn_cli_wrong_call(
      command,
      "mpirun started %d processes, but this holon was built without MPI. Install libopenmpi-dev "
      "(Debian, Ubuntu) or openmpi-devel (Fedora) and build again",
      announced());
}

int hn_cli_ranks_begin(const char *command, const hn_ranks **ranks) {
  *ranks = NULL;
  return announced() < 2 ? -1 : refuse(command);
}

int hn_cli_served(const hn_component_channel **served) {
  *served = NULL;
  return 0;
}

const char *hn_cli_served_lost(int ask) {
  (void)ask;
  return NULL;
}

int hn_cli_ranks_serve(const char *command, const char *name, hn_component_server *server) {
  (void)name;
  (void)server;
  return hn_cli_wrong_call(
      command, "serve needs mpirun, and this holon was built without MPI. Install "
               "libopenmpi-dev (Debian, Ubuntu) or openmpi-devel (Fedora) and build again");
}

int hn_cli_ranks_are_lost(void) { return 0; }
void hn_cli_ranks_end(void) {}

#endif
