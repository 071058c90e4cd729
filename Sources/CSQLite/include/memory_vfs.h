#ifndef ENTITY_MEMORY_VFS_H
#define ENTITY_MEMORY_VFS_H

/// The name under which the in-memory VFS is registered with SQLite.
///
/// Connections of this process that open the same name through it share one database, as they would share a file:
/// WAL and rollback journals work, and locks, snapshots and busy timeouts are those of a file. A database lives
/// until its last connection closes; then its memory is freed, and the name is free for a new, empty database.
#define ENTITY_MEMORY_VFS_NAME "entity-memory"

/// Registers the in-memory VFS with SQLite, once per process; later calls do nothing.
/// It does not become the default VFS.
/// Returns SQLITE_OK or SQLite's error code. Safe to call from several threads at once.
int entity_memory_vfs_register(void);

#endif
