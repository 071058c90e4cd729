#include "memory_locks.h"

#include <sqlite3.h>
#include <string.h>

int entity_locks_init(memory_locks *locks) {
  memset(locks, 0, sizeof *locks);
  return pthread_mutex_init(&locks->guard, NULL) == 0 ? SQLITE_OK : SQLITE_IOERR_NOMEM;
}

void entity_locks_destroy(memory_locks *locks) { pthread_mutex_destroy(&locks->guard); }

/// Whether another handle's RESERVED, PENDING or EXCLUSIVE excludes `level`.
static bool writer_excludes(const memory_locks *locks, const memory_lock_holder *holder, int level) {
  const memory_lock_holder *writer = locks->writer;
  if (writer == NULL || writer == holder) return false;
  return level > SQLITE_LOCK_SHARED || writer->level >= SQLITE_LOCK_PENDING;
}

static int raise_locked(memory_locks *locks, memory_lock_holder *holder, int level) {
  if (holder->level >= level) return SQLITE_OK;
  // Every lock starts as SHARED; SQLite never asks for another one first.
  if (holder->level == SQLITE_LOCK_NONE && level != SQLITE_LOCK_SHARED) return SQLITE_IOERR_LOCK;
  if (writer_excludes(locks, holder, level)) return SQLITE_BUSY;

  if (level == SQLITE_LOCK_SHARED) {
    locks->holders++;
  } else {
    locks->writer = holder;
  }
  if (level == SQLITE_LOCK_EXCLUSIVE && locks->holders > 1) {
    holder->level = SQLITE_LOCK_PENDING;
    return SQLITE_BUSY;
  }
  holder->level = level;
  return SQLITE_OK;
}

int entity_locks_raise(memory_locks *locks, memory_lock_holder *holder, int level) {
  pthread_mutex_lock(&locks->guard);
  int rc = raise_locked(locks, holder, level);
  pthread_mutex_unlock(&locks->guard);
  return rc;
}

void entity_locks_lower(memory_locks *locks, memory_lock_holder *holder, int level) {
  pthread_mutex_lock(&locks->guard);
  if (holder->level > level) {
    if (locks->writer == holder) locks->writer = NULL;
    if (level == SQLITE_LOCK_NONE) locks->holders--;
    holder->level = level;
  }
  pthread_mutex_unlock(&locks->guard);
}

bool entity_locks_reserved(memory_locks *locks) {
  pthread_mutex_lock(&locks->guard);
  bool reserved = locks->writer != NULL;
  pthread_mutex_unlock(&locks->guard);
  return reserved;
}
