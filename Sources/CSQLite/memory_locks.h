#ifndef ENTITY_MEMORY_LOCKS_H
#define ENTITY_MEMORY_LOCKS_H

#include <pthread.h>
#include <stdbool.h>

/// The level of a file's lock that one open handle holds: SQLITE_LOCK_NONE to SQLITE_LOCK_EXCLUSIVE.
typedef struct {
  int level;
} memory_lock_holder;

/// The lock of one file, as https://sqlite.org/lockingv3.html describes it: any number of SHARED holders, and one
/// of them may go on to RESERVED, PENDING and EXCLUSIVE.
typedef struct {
  pthread_mutex_t guard;
  int holders;
  /// The one that holds more than SHARED.
  memory_lock_holder *writer;
} memory_locks;

/// The functions below return SQLite result codes; SQLITE_BUSY says that another handle is in the way.
int entity_locks_init(memory_locks *locks);
void entity_locks_destroy(memory_locks *locks);

/// `level` is SHARED, RESERVED or EXCLUSIVE. EXCLUSIVE that fails for readers leaves the holder with PENDING, which
/// lets these readers finish and no new one begin, so that a writer that keeps trying gets its turn.
int entity_locks_raise(memory_locks *locks, memory_lock_holder *holder, int level);

/// `level` is SHARED or NONE.
void entity_locks_lower(memory_locks *locks, memory_lock_holder *holder, int level);

/// Whether any handle, this one included, holds RESERVED or more.
bool entity_locks_reserved(memory_locks *locks);

#endif
