#include "memory_wal_index.h"

#include <stdlib.h>
#include <string.h>

int entity_wal_index_init(memory_wal_index *index) {
  memset(index, 0, sizeof *index);
  return pthread_mutex_init(&index->guard, NULL) == 0 ? SQLITE_OK : SQLITE_IOERR_NOMEM;
}

static void free_regions(memory_wal_index *index) {
  for (int i = 0; i < index->region_count; i++) free(index->regions[i]);
  free(index->regions);
  index->regions = NULL;
  index->region_count = 0;
}

void entity_wal_index_destroy(memory_wal_index *index) {
  free_regions(index);
  pthread_mutex_destroy(&index->guard);
}

/// Adds zeroed regions up to `region`. SQLite asks for one after the other, and each covers thousands of frames, so the
/// table of regions stays short and grows by the requested regions.
static int extend_to(memory_wal_index *index, int region) {
  void **regions = realloc(index->regions, ((size_t)region + 1) * sizeof *regions);
  if (regions == NULL) return SQLITE_IOERR_NOMEM;
  index->regions = regions;
  while (index->region_count <= region) {
    void *memory = calloc(1, (size_t)index->region_bytes);
    if (memory == NULL) return SQLITE_IOERR_NOMEM;
    regions[index->region_count++] = memory;
  }
  return SQLITE_OK;
}

static int map_locked(memory_wal_index *index, memory_wal_user *user, int region, int bytes, bool extend) {
  if (region < 0 || bytes <= 0) return SQLITE_IOERR_SHMMAP;
  if (!user->attached) {
    user->attached = true;
    index->users++;
  }
  if (index->region_count == 0) index->region_bytes = bytes;
  if (index->region_bytes != bytes) return SQLITE_IOERR_SHMMAP;
  return region >= index->region_count && extend ? extend_to(index, region) : SQLITE_OK;
}

int entity_wal_index_map(
  memory_wal_index *index, memory_wal_user *user, int region, int bytes, bool extend, void volatile **address) {
  pthread_mutex_lock(&index->guard);
  int rc = map_locked(index, user, region, bytes, extend);
  *address = rc == SQLITE_OK && region < index->region_count ? index->regions[region] : NULL;
  pthread_mutex_unlock(&index->guard);
  return rc;
}

static int take_shared(memory_wal_index *index, memory_wal_user *user, int slot) {
  unsigned bit = 1u << slot;
  if (user->shared & bit) return SQLITE_OK;
  if (index->slots[slot] < 0) return SQLITE_BUSY;
  index->slots[slot]++;
  user->shared |= bit;
  return SQLITE_OK;
}

/// A SHARED slot of the user itself is in the way too: there is no transition between SHARED and EXCLUSIVE.
static int take_exclusive(memory_wal_index *index, memory_wal_user *user, int first, int count) {
  for (int slot = first; slot < first + count; slot++) {
    bool own = user->exclusive & (1u << slot);
    if (!own && index->slots[slot] != 0) return SQLITE_BUSY;
  }
  for (int slot = first; slot < first + count; slot++) {
    index->slots[slot] = -1;
    user->exclusive |= 1u << slot;
  }
  return SQLITE_OK;
}

static void give_back_shared(memory_wal_index *index, memory_wal_user *user, int slot) {
  unsigned bit = 1u << slot;
  if (!(user->shared & bit)) return;
  index->slots[slot]--;
  user->shared &= ~bit;
}

static void give_back_exclusive(memory_wal_index *index, memory_wal_user *user, int slot) {
  unsigned bit = 1u << slot;
  if (!(user->exclusive & bit)) return;
  index->slots[slot] = 0;
  user->exclusive &= ~bit;
}

static int lock_locked(memory_wal_index *index, memory_wal_user *user, int first, int count, int flags) {
  switch (flags) {
    case SQLITE_SHM_LOCK | SQLITE_SHM_SHARED:
      return take_shared(index, user, first);
    case SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE:
      return take_exclusive(index, user, first, count);
    case SQLITE_SHM_UNLOCK | SQLITE_SHM_SHARED:
      give_back_shared(index, user, first);
      return SQLITE_OK;
    case SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE:
      for (int slot = first; slot < first + count; slot++) give_back_exclusive(index, user, slot);
      return SQLITE_OK;
    default:
      return SQLITE_IOERR_SHMLOCK;
  }
}

int entity_wal_index_lock(memory_wal_index *index, memory_wal_user *user, int first, int count, int flags) {
  if (!user->attached || first < 0 || count < 1 || count > SQLITE_SHM_NLOCK - first) return SQLITE_IOERR_SHMLOCK;
  if ((flags & SQLITE_SHM_SHARED) && count != 1) return SQLITE_IOERR_SHMLOCK;
  pthread_mutex_lock(&index->guard);
  int rc = lock_locked(index, user, first, count, flags);
  pthread_mutex_unlock(&index->guard);
  return rc;
}

void entity_wal_index_detach(memory_wal_index *index, memory_wal_user *user) {
  if (!user->attached) return;
  pthread_mutex_lock(&index->guard);
  for (int slot = 0; slot < SQLITE_SHM_NLOCK; slot++) {
    give_back_shared(index, user, slot);
    give_back_exclusive(index, user, slot);
  }
  user->attached = false;
  if (--index->users == 0) free_regions(index);
  pthread_mutex_unlock(&index->guard);
}
