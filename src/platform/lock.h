// One writer a folder: a lock that the system gives back however the process ends.
#ifndef HN_PLATFORM_LOCK_H
#define HN_PLATFORM_LOCK_H

#include "holon/base.h"

typedef struct hn_lock hn_lock;

// Takes run.lock of the folder, in which stands who has it. HN_ERROR_LIMIT where another one has it;
// where there are no locks, everyone gets one.
hn_status hn_lock_take(const char *folder, hn_lock **lock, hn_error *error);
// 0 if run.lock is no longer at its path: its folder was moved, deleted or replaced, as by a link.
int hn_lock_is_in_place(const hn_lock *lock);
void hn_lock_release(hn_lock *lock); // null is fine

#endif
