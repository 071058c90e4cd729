#ifndef UNSYNCED_FILE_H
#define UNSYNCED_FILE_H

#include <stdbool.h>
#include <stdint.h>

/// A file as the disk surely has it, and the changes that it may have.
typedef struct unsynced_file unsynced_file;

/// `path` names a file that is there, or not yet. NULL where memory is lacking.
unsynced_file *unsynced_file_create(const char *path);
void unsynced_file_free(unsynced_file *file);

/// These note a change; false where memory is lacking.
bool unsynced_file_write(unsynced_file *file, const void *bytes, int count, int64_t offset);
bool unsynced_file_truncate(unsynced_file *file, int64_t size);
bool unsynced_file_delete(unsynced_file *file);
/// The file was made: anew, or for the first time.
bool unsynced_file_make(unsynced_file *file);

/// The disk has all changes from now on.
bool unsynced_file_sync(unsynced_file *file);

/// Whether the file was made since the last sync.
bool unsynced_file_is_new(const unsynced_file *file);

/// Has the disk know of all that was done to the file's entry in its folder.
bool unsynced_file_sync_folder(unsynced_file *file);

/// Writes the file with a random part of the changes to `path`; 0, or an error code of the system.
int unsynced_file_cut(const unsynced_file *file, uint64_t *random, const char *path);

#endif
