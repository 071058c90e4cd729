#ifndef ENTITY_MEMORY_WAL_INDEX_H
#define ENTITY_MEMORY_WAL_INDEX_H

#include <pthread.h>
#include <sqlite3.h>
#include <stdbool.h>

/// One handle's part in a WAL-index. A bit per lock slot says whether the handle holds the slot.
typedef struct {
  bool attached;
  unsigned shared;
  unsigned exclusive;
} memory_wal_user;

/// The memory through which connections in WAL mode find frames, and its lock slots
/// (https://sqlite.org/walformat.html, section 2). SQLite itself reads and writes the regions, without any lock of
/// ours: a region stays where it is from its first mapping until the last user detaches.
typedef struct {
  pthread_mutex_t guard;
  void **regions;
  int region_count;
  int region_bytes;
  int users;
  /// The number of SHARED holders, or -1 for an EXCLUSIVE one.
  int slots[SQLITE_SHM_NLOCK];
} memory_wal_index;

/// The functions below return SQLite result codes.
int entity_wal_index_init(memory_wal_index *index);
void entity_wal_index_destroy(memory_wal_index *index);

/// Attaches the user, if it is not, and finds a region. Where there is none, `extend` makes it, and without
/// `extend` the result is SQLITE_OK and NULL.
int entity_wal_index_map(
  memory_wal_index *index, memory_wal_user *user, int region, int bytes, bool extend, void volatile **address);

/// Takes or gives back `count` slots from `first` on: all of them, or none and SQLITE_BUSY.
/// `flags` are those of sqlite3_io_methods.xShmLock.
int entity_wal_index_lock(memory_wal_index *index, memory_wal_user *user, int first, int count, int flags);

/// Gives back the locks that the user still holds. The last one to leave frees the regions: like a process that opens a
/// -shm file which nobody else has open, the next user starts from zeros and recovers from the WAL.
void entity_wal_index_detach(memory_wal_index *index, memory_wal_user *user);

#endif
