#ifndef FAULTY_VFS_H
#define FAULTY_VFS_H

#include <stdint.h>

/// What SQLite asks of a file system, as far as it may fail here.
typedef enum {
  FAULTY_OPEN,
  FAULTY_DELETE,
  FAULTY_ACCESS,
  FAULTY_READ,
  FAULTY_WRITE,
  FAULTY_TRUNCATE,
  FAULTY_SYNC,
  FAULTY_FILE_SIZE,
  FAULTY_LOCK,
  FAULTY_SHM_MAP,
  FAULTY_SHM_LOCK,
} faulty_operation;

/// A VFS over SQLite's default one, whose operations may be made to fail, and which knows what a power cut would leave.
///
/// Every operation that no hook refuses is the default VFS's, so that connections through this VFS and others share a file.
typedef struct faulty_vfs faulty_vfs;

/// Asked before each operation, on the thread that makes it, without a lock.
///
/// - Parameter name: The path of the file; NULL for a temporary one.
/// - Returns: SQLITE_OK, or the code with which the operation fails. A write that fails has written its first half.
typedef int (*faulty_hook)(void *context, faulty_operation operation, const char *name);

/// Registers a VFS under a name of its own. `context` is used until `faulty_vfs_destroy`.
///
/// With `keeps_unsynced` the VFS remembers what was written to each file since its last sync, which `faulty_vfs_cut`
/// needs. Syncs then end there, and do not reach the disk.
/// Returns NULL where memory or a default VFS is lacking.
faulty_vfs *faulty_vfs_create(faulty_hook hook, void *context, int keeps_unsynced);

const char *faulty_vfs_name(const faulty_vfs *vfs);

/// How many files are open through it.
int faulty_vfs_open_files(faulty_vfs *vfs);

/// Takes the VFS out of SQLite's list, and frees it. No file may be open through it.
void faulty_vfs_destroy(faulty_vfs *vfs);

/// Writes the files as a disk would have them if the power went off now, into a folder that is there.
///
/// All that was synced is there. Of each write since then every piece within a sector of 512 bytes is there or not, by
/// `seed`; so is each truncation, and a deletion that was not synced. A file that was made and never synced may be
/// missing. The running program is not touched. The index of the log is no file of a disk that lost its power.
/// Returns 0, or an error code of the system.
int faulty_vfs_cut(faulty_vfs *vfs, uint64_t seed, const char *folder);

/// Has SQLite ask before each allocation. Before SQLite's first use in a process: it is for a process of its own.
///
/// `refuses` returns nonzero where the allocation fails. SQLite's own store of small pieces is turned off, so that each
/// allocation is asked for.
/// Returns SQLITE_OK or SQLite's error code.
int faulty_allocations_install(int (*refuses)(void));

#endif
