#include "faulty_vfs.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unsynced_file.h"

/// A file that was opened by its name. `next` and `unsynced` are guarded by the VFS's guard.
typedef struct known_file {
  char *path;
  unsynced_file *unsynced;
  struct known_file *next;
} known_file;

struct faulty_vfs {
  sqlite3_vfs base;
  sqlite3_vfs *real;
  char name[32];
  faulty_hook hook;
  void *context;
  bool keeps_unsynced;
  atomic_int open_files;
  /// Held while a change is made and noted, so that a cut sees both or none.
  pthread_mutex_t guard;
  known_file *files;
};

/// SQLite's handle of an open file; that of the default VFS follows it in memory.
typedef struct {
  sqlite3_file base;
  faulty_vfs *vfs;
  const char *name;
  /// NULL where nothing is remembered.
  known_file *known;
} faulty_file;

static faulty_vfs *owner(sqlite3_vfs *base) { return (faulty_vfs *)base; }
static faulty_file *as_faulty(sqlite3_file *base) { return (faulty_file *)base; }
static sqlite3_file *real_file(faulty_file *file) { return (sqlite3_file *)(file + 1); }

static int ask(faulty_file *file, faulty_operation operation) {
  return file->vfs->hook(file->vfs->context, operation, file->name);
}

// MARK: What was not synced

static known_file *find(faulty_vfs *vfs, const char *path) {
  known_file *file = vfs->files;
  while (file != NULL && strcmp(file->path, path) != 0) file = file->next;
  return file;
}

/// The caller holds the guard. NULL where memory is lacking.
static known_file *know(faulty_vfs *vfs, const char *path) {
  known_file *file = find(vfs, path);
  if (file != NULL) return file;
  file = calloc(1, sizeof *file);
  if (file == NULL) return NULL;
  file->path = strdup(path);
  file->unsynced = file->path == NULL ? NULL : unsynced_file_create(path);
  if (file->unsynced == NULL) {
    free(file->path);
    free(file);
    return NULL;
  }
  file->next = vfs->files;
  vfs->files = file;
  return file;
}

// MARK: The methods of a file

static int faulty_close(sqlite3_file *base) {
  faulty_file *file = as_faulty(base);
  int code = real_file(file)->pMethods->xClose(real_file(file));
  atomic_fetch_sub(&file->vfs->open_files, 1);
  return code;
}

static int faulty_read(sqlite3_file *base, void *bytes, int count, sqlite3_int64 offset) {
  faulty_file *file = as_faulty(base);
  int code = ask(file, FAULTY_READ);
  return code != SQLITE_OK ? code : real_file(file)->pMethods->xRead(real_file(file), bytes, count, offset);
}

static int write_and_note(faulty_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  if (file->known == NULL) return real_file(file)->pMethods->xWrite(real_file(file), bytes, count, offset);
  pthread_mutex_lock(&file->vfs->guard);
  int code = SQLITE_IOERR_NOMEM;
  if (unsynced_file_write(file->known->unsynced, bytes, count, offset)) {
    code = real_file(file)->pMethods->xWrite(real_file(file), bytes, count, offset);
  }
  pthread_mutex_unlock(&file->vfs->guard);
  return code;
}

static int faulty_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
  faulty_file *file = as_faulty(base);
  int code = ask(file, FAULTY_WRITE);
  if (code == SQLITE_OK) return write_and_note(file, bytes, count, offset);
  if (count > 1) (void)write_and_note(file, bytes, count / 2, offset);
  return code;
}

static int faulty_truncate(sqlite3_file *base, sqlite3_int64 size) {
  faulty_file *file = as_faulty(base);
  int code = ask(file, FAULTY_TRUNCATE);
  if (code != SQLITE_OK) return code;
  if (file->known == NULL) return real_file(file)->pMethods->xTruncate(real_file(file), size);
  pthread_mutex_lock(&file->vfs->guard);
  code = SQLITE_IOERR_NOMEM;
  if (unsynced_file_truncate(file->known->unsynced, size)) {
    code = real_file(file)->pMethods->xTruncate(real_file(file), size);
  }
  pthread_mutex_unlock(&file->vfs->guard);
  return code;
}

/// SQLite syncs the folder of a new journal or log with the file's first sync, and with the folder what was done in it before.
static bool sync_folder(faulty_file *file) {
  if (!unsynced_file_is_new(file->known->unsynced)) return true;
  for (known_file *other = file->vfs->files; other != NULL; other = other->next) {
    if (!unsynced_file_sync_folder(other->unsynced)) return false;
  }
  return true;
}

static int faulty_sync(sqlite3_file *base, int flags) {
  faulty_file *file = as_faulty(base);
  int code = ask(file, FAULTY_SYNC);
  if (code != SQLITE_OK) return code;
  if (file->known == NULL) return real_file(file)->pMethods->xSync(real_file(file), flags);
  pthread_mutex_lock(&file->vfs->guard);
  const bool is_synced = sync_folder(file) && unsynced_file_sync(file->known->unsynced);
  code = is_synced ? SQLITE_OK : SQLITE_IOERR_NOMEM;
  pthread_mutex_unlock(&file->vfs->guard);
  return code;
}

static int faulty_file_size(sqlite3_file *base, sqlite3_int64 *size) {
  faulty_file *file = as_faulty(base);
  int code = ask(file, FAULTY_FILE_SIZE);
  return code != SQLITE_OK ? code : real_file(file)->pMethods->xFileSize(real_file(file), size);
}

static int faulty_lock(sqlite3_file *base, int level) {
  faulty_file *file = as_faulty(base);
  int code = ask(file, FAULTY_LOCK);
  return code != SQLITE_OK ? code : real_file(file)->pMethods->xLock(real_file(file), level);
}

static int faulty_unlock(sqlite3_file *base, int level) {
  sqlite3_file *real = real_file(as_faulty(base));
  return real->pMethods->xUnlock(real, level);
}

static int faulty_is_reserved(sqlite3_file *base, int *result) {
  sqlite3_file *real = real_file(as_faulty(base));
  return real->pMethods->xCheckReservedLock(real, result);
}

static int faulty_control(sqlite3_file *base, int operation, void *argument) {
  sqlite3_file *real = real_file(as_faulty(base));
  return real->pMethods->xFileControl(real, operation, argument);
}

static int faulty_sector_size(sqlite3_file *base) {
  sqlite3_file *real = real_file(as_faulty(base));
  return real->pMethods->xSectorSize(real);
}

static int faulty_characteristics(sqlite3_file *base) {
  sqlite3_file *real = real_file(as_faulty(base));
  return real->pMethods->xDeviceCharacteristics(real);
}

static int faulty_shm_map(sqlite3_file *base, int region, int size, int extends, void volatile **address) {
  faulty_file *file = as_faulty(base);
  int code = ask(file, FAULTY_SHM_MAP);
  if (code != SQLITE_OK) {
    *address = NULL;
    return code;
  }
  return real_file(file)->pMethods->xShmMap(real_file(file), region, size, extends, address);
}

static int faulty_shm_lock(sqlite3_file *base, int first, int count, int flags) {
  faulty_file *file = as_faulty(base);
  // A lock that is given back never fails.
  int code = (flags & SQLITE_SHM_LOCK) != 0 ? ask(file, FAULTY_SHM_LOCK) : SQLITE_OK;
  return code != SQLITE_OK ? code : real_file(file)->pMethods->xShmLock(real_file(file), first, count, flags);
}

static void faulty_shm_barrier(sqlite3_file *base) {
  sqlite3_file *real = real_file(as_faulty(base));
  real->pMethods->xShmBarrier(real);
}

static int faulty_shm_unmap(sqlite3_file *base, int deletes) {
  sqlite3_file *real = real_file(as_faulty(base));
  return real->pMethods->xShmUnmap(real, deletes);
}

/// The methods of version 2: pages are read, not mapped, so that each read is asked for.
static const sqlite3_io_methods methods = {
  .iVersion = 2,
  .xClose = faulty_close,
  .xRead = faulty_read,
  .xWrite = faulty_write,
  .xTruncate = faulty_truncate,
  .xSync = faulty_sync,
  .xFileSize = faulty_file_size,
  .xLock = faulty_lock,
  .xUnlock = faulty_unlock,
  .xCheckReservedLock = faulty_is_reserved,
  .xFileControl = faulty_control,
  .xSectorSize = faulty_sector_size,
  .xDeviceCharacteristics = faulty_characteristics,
  .xShmMap = faulty_shm_map,
  .xShmLock = faulty_shm_lock,
  .xShmBarrier = faulty_shm_barrier,
  .xShmUnmap = faulty_shm_unmap,
};

// MARK: The methods of the VFS

static int is_there(faulty_vfs *vfs, const char *name) {
  int result = 0;
  return vfs->real->xAccess(vfs->real, name, SQLITE_ACCESS_EXISTS, &result) == SQLITE_OK && result;
}

static int open_and_note(faulty_vfs *vfs, const char *name, faulty_file *file, int flags, int *out_flags) {
  const bool remembers = vfs->keeps_unsynced && name != NULL && (flags & SQLITE_OPEN_DELETEONCLOSE) == 0;
  if (!remembers) return vfs->real->xOpen(vfs->real, name, real_file(file), flags, out_flags);
  pthread_mutex_lock(&vfs->guard);
  const bool is_new = !is_there(vfs, name);
  int code = SQLITE_IOERR_NOMEM;
  file->known = know(vfs, name);
  if (file->known != NULL) {
    code = vfs->real->xOpen(vfs->real, name, real_file(file), flags, out_flags);
    if (code == SQLITE_OK && is_new) (void)unsynced_file_make(file->known->unsynced);
  }
  pthread_mutex_unlock(&vfs->guard);
  return code;
}

static int faulty_open(sqlite3_vfs *base, const char *name, sqlite3_file *handle, int flags, int *out_flags) {
  faulty_vfs *vfs = owner(base);
  faulty_file *file = as_faulty(handle);
  memset(file, 0, (size_t)base->szOsFile);
  file->vfs = vfs;
  // SQLite keeps the name as long as the file is open.
  file->name = name;
  int code = vfs->hook(vfs->context, FAULTY_OPEN, name);
  if (code == SQLITE_OK) code = open_and_note(vfs, name, file, flags, out_flags);
  if (code != SQLITE_OK) {
    // SQLite closes what has methods.
    if (real_file(file)->pMethods != NULL) real_file(file)->pMethods->xClose(real_file(file));
    return code;
  }
  file->base.pMethods = &methods;
  atomic_fetch_add(&vfs->open_files, 1);
  return SQLITE_OK;
}

static int faulty_delete(sqlite3_vfs *base, const char *name, int syncs) {
  faulty_vfs *vfs = owner(base);
  int code = vfs->hook(vfs->context, FAULTY_DELETE, name);
  if (code != SQLITE_OK) return code;
  if (!vfs->keeps_unsynced) return vfs->real->xDelete(vfs->real, name, syncs);
  pthread_mutex_lock(&vfs->guard);
  known_file *file = find(vfs, name);
  code = vfs->real->xDelete(vfs->real, name, 0);
  if (code == SQLITE_OK && file != NULL) {
    bool is_noted = unsynced_file_delete(file->unsynced);
    if (!is_noted || (syncs && !unsynced_file_sync(file->unsynced))) code = SQLITE_IOERR_NOMEM;
  }
  pthread_mutex_unlock(&vfs->guard);
  return code;
}

static int faulty_access(sqlite3_vfs *base, const char *name, int flags, int *result) {
  faulty_vfs *vfs = owner(base);
  int code = vfs->hook(vfs->context, FAULTY_ACCESS, name);
  return code != SQLITE_OK ? code : vfs->real->xAccess(vfs->real, name, flags, result);
}

static int faulty_full_path(sqlite3_vfs *base, const char *name, int size, char *path) {
  return owner(base)->real->xFullPathname(owner(base)->real, name, size, path);
}

static int faulty_random(sqlite3_vfs *base, int count, char *bytes) {
  return owner(base)->real->xRandomness(owner(base)->real, count, bytes);
}

static int faulty_sleep(sqlite3_vfs *base, int microseconds) {
  return owner(base)->real->xSleep(owner(base)->real, microseconds);
}

static int faulty_time(sqlite3_vfs *base, double *time) {
  return owner(base)->real->xCurrentTime(owner(base)->real, time);
}

static int faulty_last_error(sqlite3_vfs *base, int size, char *text) {
  return owner(base)->real->xGetLastError(owner(base)->real, size, text);
}

// MARK: Its life

faulty_vfs *faulty_vfs_create(faulty_hook hook, void *context, int keeps_unsynced) {
  static atomic_int last_number;
  sqlite3_vfs *real = sqlite3_vfs_find(NULL);
  faulty_vfs *vfs = calloc(1, sizeof *vfs);
  if (real == NULL || vfs == NULL || pthread_mutex_init(&vfs->guard, NULL) != 0) {
    free(vfs);
    return NULL;
  }
  snprintf(vfs->name, sizeof vfs->name, "faulty-%d", atomic_fetch_add(&last_number, 1));
  vfs->real = real;
  vfs->hook = hook;
  vfs->context = context;
  vfs->keeps_unsynced = keeps_unsynced != 0;
  vfs->base = (sqlite3_vfs){
    .iVersion = 1,
    .szOsFile = (int)sizeof(faulty_file) + real->szOsFile,
    .mxPathname = real->mxPathname,
    .zName = vfs->name,
    .xOpen = faulty_open,
    .xDelete = faulty_delete,
    .xAccess = faulty_access,
    .xFullPathname = faulty_full_path,
    .xRandomness = faulty_random,
    .xSleep = faulty_sleep,
    .xCurrentTime = faulty_time,
    .xGetLastError = faulty_last_error,
  };
  if (sqlite3_vfs_register(&vfs->base, 0) == SQLITE_OK) return vfs;
  pthread_mutex_destroy(&vfs->guard);
  free(vfs);
  return NULL;
}

const char *faulty_vfs_name(const faulty_vfs *vfs) { return vfs->name; }

int faulty_vfs_open_files(faulty_vfs *vfs) { return atomic_load(&vfs->open_files); }

void faulty_vfs_destroy(faulty_vfs *vfs) {
  sqlite3_vfs_unregister(&vfs->base);
  while (vfs->files != NULL) {
    known_file *next = vfs->files->next;
    unsynced_file_free(vfs->files->unsynced);
    free(vfs->files->path);
    free(vfs->files);
    vfs->files = next;
  }
  pthread_mutex_destroy(&vfs->guard);
  free(vfs);
}

int faulty_vfs_cut(faulty_vfs *vfs, uint64_t seed, const char *folder) {
  uint64_t random = seed;
  int code = 0;
  pthread_mutex_lock(&vfs->guard);
  for (const known_file *file = vfs->files; code == 0 && file != NULL; file = file->next) {
    const char *slash = strrchr(file->path, '/');
    const char *name = slash == NULL ? file->path : slash + 1;
    char *path = sqlite3_mprintf("%s/%s", folder, name);
    code = path == NULL ? SQLITE_NOMEM : unsynced_file_cut(file->unsynced, &random, path);
    sqlite3_free(path);
  }
  pthread_mutex_unlock(&vfs->guard);
  return code;
}
