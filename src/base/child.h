// Work that may crash, loop or take all memory, in a process of its own: the one place where a
// process is forked. What the child writes comes back through a pipe; nothing else of it does.
#ifndef HN_BASE_CHILD_H
#define HN_BASE_CHILD_H

#include "holon/base.h"

// Files with these numbers are the process's alone (locks): a child, which may outlive it, closes them.
enum { HN_OWN_FILES = 192, HN_OWN_FILES_MOST = 64 };

typedef struct hn_child_limits {
  size_t memory; // bytes the child may allocate in addition to those of the process; 0: any
  size_t output; // bytes it may send
  int seconds;   // of computing, and twice that by the calendar
  int may_write; // files
} hn_child_limits;

typedef struct hn_child_pipe hn_child_pipe;
// For the child: sends data; 0 when the reader is gone.
int hn_child_send(hn_child_pipe *pipe, const void *data, size_t size);
typedef void (*hn_child_work)(void *context, hn_child_pipe *pipe);

// Runs the work in a child and returns all it has sent (*data by hn_release). HN_ERROR_FILE when the
// child crashed or went beyond a limit, and *reason (of static storage, or of `text`) says which;
// HN_ERROR_MEMORY; HN_ERROR_UNSUPPORTED where there are no processes. Standard input and output of
// the child are closed, no file can be written by it, and no handler of the program's end runs in it.
hn_status hn_child_run(const hn_child_limits *limits, hn_child_work work, void *context,
                       char **data, size_t *size, char text[64], const char **reason);

#endif
