#include "memory_vfs.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "memory_content.h"
#include "memory_locks.h"
#include "memory_wal_index.h"

// MARK: Files

/// `handles`, `linked` and `next` are guarded by `directory_guard`; the rest guards itself or never changes.
typedef struct memory_file {
  /// NULL for a temporary file, which only its one handle can reach.
  char *name;
  bool is_database;
  /// A journal or WAL: it outlives its handles, as SQLite deletes it after closing it, but not its database.
  bool is_companion;
  /// Whether the directory lists the file: a deleted file lives on, unlisted, while it is open.
  bool linked;
  int handles;
  struct memory_file *next;
  memory_content content;
  memory_locks locks;
  memory_wal_index wal_index;
} memory_file;

/// SQLite's handle of an open file. SQLite allocates it, and finds the methods in its first member.
typedef struct {
  sqlite3_file base;
  memory_file *file;
  memory_lock_holder holder;
  memory_wal_user wal_user;
  bool deletes_on_close;
} memory_handle;

static void free_file(memory_file *file) {
  entity_content_destroy(&file->content);
  entity_locks_destroy(&file->locks);
  entity_wal_index_destroy(&file->wal_index);
  free(file->name);
  free(file);
}

static int init_parts(memory_file *file) {
  int rc = entity_content_init(&file->content);
  if (rc != SQLITE_OK) return rc;
  rc = entity_locks_init(&file->locks);
  if (rc == SQLITE_OK) {
    rc = entity_wal_index_init(&file->wal_index);
    if (rc == SQLITE_OK) return SQLITE_OK;
    entity_locks_destroy(&file->locks);
  }
  entity_content_destroy(&file->content);
  return rc;
}

static int make_file(const char *name, int flags, memory_file **result) {
  const int companions = SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL | SQLITE_OPEN_SUPER_JOURNAL;
  memory_file *file = calloc(1, sizeof *file);
  if (file == NULL) return SQLITE_IOERR_NOMEM;
  file->is_database = (flags & SQLITE_OPEN_MAIN_DB) != 0;
  file->is_companion = (flags & companions) != 0;
  int rc = SQLITE_IOERR_NOMEM;
  if (name == NULL || (file->name = strdup(name)) != NULL) rc = init_parts(file);
  if (rc != SQLITE_OK) {
    free(file->name);
    free(file);
    return rc;
  }
  *result = file;
  return SQLITE_OK;
}

// MARK: Directory

/// Held only to open, close, delete and look up names, never while a file is read, written or locked.
static pthread_mutex_t directory_guard = PTHREAD_MUTEX_INITIALIZER;

/// A plain list: a process has few in-memory databases open at once, each with one or two companions.
static memory_file *directory;

static memory_file *find_file(const char *name) {
  memory_file *file = directory;
  while (file != NULL && strcmp(file->name, name) != 0) file = file->next;
  return file;
}

static void link_file(memory_file *file) {
  file->linked = true;
  file->next = directory;
  directory = file;
}

static void unlink_file(memory_file *file) {
  if (!file->linked) return;
  memory_file **place = &directory;
  while (*place != file) place = &(*place)->next;
  *place = file->next;
  file->next = NULL;
  file->linked = false;
}

/// Puts the file on `doomed` if nothing can reach it. The files on that list are freed after the directory is unlocked,
/// because freeing a large database takes a while.
static void doom_if_unreachable(memory_file *file, memory_file **doomed) {
  if (file->linked || file->handles > 0) return;
  file->next = *doomed;
  *doomed = file;
}

static void free_doomed(memory_file *doomed) {
  while (doomed != NULL) {
    memory_file *next = doomed->next;
    free_file(doomed);
    doomed = next;
  }
}

/// SQLite names every companion after its database: "NAME-journal", "NAME-wal", "NAME-mj0123456789".
static bool belongs_to(const memory_file *companion, const char *database) {
  if (!companion->is_companion) return false;
  const char *dash = strrchr(companion->name, '-');
  if (dash == NULL) return false;
  size_t length = (size_t)(dash - companion->name);
  return strlen(database) == length && memcmp(companion->name, database, length) == 0;
}

static void unlink_companions(const char *database, memory_file **doomed) {
  memory_file *file = directory;
  while (file != NULL) {
    memory_file *next = file->next;
    if (belongs_to(file, database)) {
      unlink_file(file);
      doom_if_unreachable(file, doomed);
    }
    file = next;
  }
}

/// A database with no handle left is gone, and with it the files that a last connection may have left beside it.
static void forget_database(memory_file *file, memory_file **doomed) {
  unlink_file(file);
  // The name may be another database's by now, if this one was deleted while it was open.
  if (find_file(file->name) == NULL) unlink_companions(file->name, doomed);
}

static int open_locked(const char *name, int flags, memory_file **result) {
  memory_file *file = name == NULL ? NULL : find_file(name);
  if (file != NULL) {
    if ((flags & SQLITE_OPEN_CREATE) && (flags & SQLITE_OPEN_EXCLUSIVE)) return SQLITE_CANTOPEN;
  } else {
    if (!(flags & SQLITE_OPEN_CREATE)) return SQLITE_CANTOPEN;
    int rc = make_file(name, flags, &file);
    if (rc != SQLITE_OK) return rc;
    if (name != NULL) link_file(file);
  }
  file->handles++;
  *result = file;
  return SQLITE_OK;
}

static void close_locked(memory_handle *handle, memory_file **doomed) {
  memory_file *file = handle->file;
  file->handles--;
  if (handle->deletes_on_close) unlink_file(file);
  if (file->is_database && file->name != NULL && file->handles == 0) forget_database(file, doomed);
  doom_if_unreachable(file, doomed);
}

// MARK: Methods of an open file

static memory_handle *handle_of(sqlite3_file *file) { return (memory_handle *)file; }

static memory_file *file_of(sqlite3_file *file) { return handle_of(file)->file; }

static int io_close(sqlite3_file *base) {
  memory_handle *handle = handle_of(base);
  entity_wal_index_detach(&handle->file->wal_index, &handle->wal_user);
  entity_locks_lower(&handle->file->locks, &handle->holder, SQLITE_LOCK_NONE);
  memory_file *doomed = NULL;
  pthread_mutex_lock(&directory_guard);
  close_locked(handle, &doomed);
  pthread_mutex_unlock(&directory_guard);
  free_doomed(doomed);
  return SQLITE_OK;
}

static int io_read(sqlite3_file *base, void *bytes, int count, sqlite3_int64 offset) {
  return entity_content_read(&file_of(base)->content, bytes, count, offset);
}

static int io_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
  return entity_content_write(&file_of(base)->content, bytes, count, offset);
}

static int io_truncate(sqlite3_file *base, sqlite3_int64 size) {
  return entity_content_truncate(&file_of(base)->content, size);
}

static int io_sync(sqlite3_file *base, int flags) {
  (void)base, (void)flags;
  return SQLITE_OK;
}

static int io_file_size(sqlite3_file *base, sqlite3_int64 *size) {
  *size = entity_content_size(&file_of(base)->content);
  return SQLITE_OK;
}

static int io_lock(sqlite3_file *base, int level) {
  return entity_locks_raise(&file_of(base)->locks, &handle_of(base)->holder, level);
}

static int io_unlock(sqlite3_file *base, int level) {
  entity_locks_lower(&file_of(base)->locks, &handle_of(base)->holder, level);
  return SQLITE_OK;
}

static int io_check_reserved_lock(sqlite3_file *base, int *reserved) {
  *reserved = entity_locks_reserved(&file_of(base)->locks);
  return SQLITE_OK;
}

/// SQLite refuses to write to a database whose name is no longer its own.
static bool has_moved(const memory_file *file) {
  pthread_mutex_lock(&directory_guard);
  bool moved = file->name != NULL && !file->linked;
  pthread_mutex_unlock(&directory_guard);
  return moved;
}

static int io_file_control(sqlite3_file *base, int operation, void *argument) {
  switch (operation) {
    case SQLITE_FCNTL_SIZE_HINT:
      return entity_content_reserve(&file_of(base)->content, *(sqlite3_int64 *)argument);
    case SQLITE_FCNTL_HAS_MOVED:
      *(int *)argument = has_moved(file_of(base));
      return SQLITE_OK;
    default:
      return SQLITE_NOTFOUND;
  }
}

static int io_sector_size(sqlite3_file *base) {
  (void)base;
  return 4096;
}

/// No power failure can be survived, so none needs to be prepared for: these spare SQLite the work.
static int io_device_characteristics(sqlite3_file *base) {
  (void)base;
  return SQLITE_IOCAP_ATOMIC | SQLITE_IOCAP_SAFE_APPEND | SQLITE_IOCAP_SEQUENTIAL | SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static int io_shm_map(sqlite3_file *base, int region, int bytes, int extend, void volatile **address) {
  memory_handle *handle = handle_of(base);
  return entity_wal_index_map(&handle->file->wal_index, &handle->wal_user, region, bytes, extend != 0, address);
}

static int io_shm_lock(sqlite3_file *base, int first, int count, int flags) {
  memory_handle *handle = handle_of(base);
  return entity_wal_index_lock(&handle->file->wal_index, &handle->wal_user, first, count, flags);
}

static void io_shm_barrier(sqlite3_file *base) {
  (void)base;
  atomic_thread_fence(memory_order_seq_cst);
}

/// `deletes` asks to remove the index. The index goes anyway when the last handle leaves.
static int io_shm_unmap(sqlite3_file *base, int deletes) {
  (void)deletes;
  memory_handle *handle = handle_of(base);
  entity_wal_index_detach(&handle->file->wal_index, &handle->wal_user);
  return SQLITE_OK;
}

static const sqlite3_io_methods io_methods = {
  .iVersion = 2,
  .xClose = io_close,
  .xRead = io_read,
  .xWrite = io_write,
  .xTruncate = io_truncate,
  .xSync = io_sync,
  .xFileSize = io_file_size,
  .xLock = io_lock,
  .xUnlock = io_unlock,
  .xCheckReservedLock = io_check_reserved_lock,
  .xFileControl = io_file_control,
  .xSectorSize = io_sector_size,
  .xDeviceCharacteristics = io_device_characteristics,
  .xShmMap = io_shm_map,
  .xShmLock = io_shm_lock,
  .xShmBarrier = io_shm_barrier,
  .xShmUnmap = io_shm_unmap,
};

// MARK: Methods of the VFS that name files

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *out_flags) {
  (void)vfs;
  memory_handle *handle = handle_of(base);
  // Without methods SQLite does not close the handle, which is right for one that failed to open.
  memset(handle, 0, sizeof *handle);
  pthread_mutex_lock(&directory_guard);
  int rc = open_locked(name, flags, &handle->file);
  pthread_mutex_unlock(&directory_guard);
  if (rc != SQLITE_OK) return rc;
  handle->deletes_on_close = (flags & SQLITE_OPEN_DELETEONCLOSE) != 0;
  handle->base.pMethods = &io_methods;
  if (out_flags != NULL) *out_flags = flags;
  return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync_directory) {
  (void)vfs, (void)sync_directory;
  memory_file *doomed = NULL;
  pthread_mutex_lock(&directory_guard);
  memory_file *file = find_file(name);
  if (file != NULL) {
    unlink_file(file);
    doom_if_unreachable(file, &doomed);
  }
  pthread_mutex_unlock(&directory_guard);
  free_doomed(doomed);
  return file != NULL ? SQLITE_OK : SQLITE_IOERR_DELETE_NOENT;
}

/// An empty file does not exist for SQLITE_ACCESS_EXISTS, as in SQLite's own VFS for Unix: an empty journal left
/// beside a database asks for no recovery.
static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
  (void)vfs;
  pthread_mutex_lock(&directory_guard);
  memory_file *file = find_file(name);
  *result = file != NULL && (flags != SQLITE_ACCESS_EXISTS || entity_content_size(&file->content) > 0);
  pthread_mutex_unlock(&directory_guard);
  return SQLITE_OK;
}

/// A name is a key and not a path: it is taken as it is, and refused rather than cut where it does not fit.
static int vfs_full_pathname(sqlite3_vfs *vfs, const char *name, int capacity, char *result) {
  (void)vfs;
  size_t length = strlen(name);
  if (capacity <= 0 || length >= (size_t)capacity) return SQLITE_CANTOPEN;
  memcpy(result, name, length + 1);
  return SQLITE_OK;
}

// MARK: Methods of the VFS that the default VFS answers

static sqlite3_vfs *default_of(sqlite3_vfs *vfs) { return vfs->pAppData; }

static void *vfs_dl_open(sqlite3_vfs *vfs, const char *path) {
  return default_of(vfs)->xDlOpen(default_of(vfs), path);
}

static void vfs_dl_error(sqlite3_vfs *vfs, int capacity, char *message) {
  default_of(vfs)->xDlError(default_of(vfs), capacity, message);
}

static void (*vfs_dl_sym(sqlite3_vfs *vfs, void *library, const char *symbol))(void) {
  return default_of(vfs)->xDlSym(default_of(vfs), library, symbol);
}

static void vfs_dl_close(sqlite3_vfs *vfs, void *library) {
  default_of(vfs)->xDlClose(default_of(vfs), library);
}

static int vfs_randomness(sqlite3_vfs *vfs, int count, char *bytes) {
  return default_of(vfs)->xRandomness(default_of(vfs), count, bytes);
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
  return default_of(vfs)->xSleep(default_of(vfs), microseconds);
}

static int vfs_current_time(sqlite3_vfs *vfs, double *julian_day) {
  return default_of(vfs)->xCurrentTime(default_of(vfs), julian_day);
}

static int vfs_current_time_int64(sqlite3_vfs *vfs, sqlite3_int64 *milliseconds) {
  sqlite3_vfs *original = default_of(vfs);
  if (original->iVersion >= 2 && original->xCurrentTimeInt64 != NULL) {
    return original->xCurrentTimeInt64(original, milliseconds);
  }
  double julian_day = 0;
  int rc = original->xCurrentTime(original, &julian_day);
  *milliseconds = (sqlite3_int64)(julian_day * 86400000.0);
  return rc;
}

static int vfs_get_last_error(sqlite3_vfs *vfs, int capacity, char *message) {
  (void)vfs, (void)capacity, (void)message;
  return 0;
}

// MARK: Registration

/// Not const: SQLite links the registered VFSs through it.
static sqlite3_vfs memory_vfs = {
  .iVersion = 2,
  .szOsFile = sizeof(memory_handle),
  .mxPathname = 512,
  .zName = ENTITY_MEMORY_VFS_NAME,
  .xOpen = vfs_open,
  .xDelete = vfs_delete,
  .xAccess = vfs_access,
  .xFullPathname = vfs_full_pathname,
  .xDlOpen = vfs_dl_open,
  .xDlError = vfs_dl_error,
  .xDlSym = vfs_dl_sym,
  .xDlClose = vfs_dl_close,
  .xRandomness = vfs_randomness,
  .xSleep = vfs_sleep,
  .xCurrentTime = vfs_current_time,
  .xGetLastError = vfs_get_last_error,
  .xCurrentTimeInt64 = vfs_current_time_int64,
};

static int register_locked(void) {
  if (sqlite3_vfs_find(ENTITY_MEMORY_VFS_NAME) == &memory_vfs) return SQLITE_OK;
  sqlite3_vfs *original = sqlite3_vfs_find(NULL);
  if (original == NULL) return SQLITE_ERROR;
  memory_vfs.pAppData = original;
  return sqlite3_vfs_register(&memory_vfs, 0);
}

int entity_memory_vfs_register(void) {
  static pthread_mutex_t registration_guard = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&registration_guard);
  int rc = register_locked();
  pthread_mutex_unlock(&registration_guard);
  return rc;
}
