#ifndef ENTITY_MEMORY_VFS_H
#define ENTITY_MEMORY_VFS_H

/// The name under which the in-memory VFS is registered with SQLite.
#define ENTITY_MEMORY_VFS_NAME "entity-memory"

/// Registers the in-memory VFS with SQLite, once per process; later calls do nothing.
/// Returns SQLITE_OK or SQLite's error code. Safe to call from several threads at once.
int entity_memory_vfs_register(void);

#endif
