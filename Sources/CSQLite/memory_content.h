#ifndef ENTITY_MEMORY_CONTENT_H
#define ENTITY_MEMORY_CONTENT_H

#include <pthread.h>
#include <sqlite3.h>
#include <stddef.h>

/// The bytes of one in-memory file. Reads run side by side; a write or truncation runs alone.
///
/// The bytes are kept in chunks of one size, so that growing copies no content. A chunk that was never written is NULL
/// and reads as zeros, and all bytes of a chunk beyond `size` are zero.
typedef struct {
  pthread_rwlock_t guard;
  unsigned char **chunks;
  size_t chunk_capacity;
  sqlite3_int64 size;
} memory_content;

/// The functions below return SQLite result codes.
int entity_content_init(memory_content *content);
void entity_content_destroy(memory_content *content);

/// Bytes beyond the end are zeros, and the result is then SQLITE_IOERR_SHORT_READ.
int entity_content_read(memory_content *content, void *bytes, int count, sqlite3_int64 offset);

/// SQLITE_FULL when memory runs out; the file then is as it was before.
int entity_content_write(memory_content *content, const void *bytes, int count, sqlite3_int64 offset);

/// Shrinks, giving back memory, or grows with zeros.
int entity_content_truncate(memory_content *content, sqlite3_int64 size);

/// Makes room for `size` bytes without changing the file's size.
int entity_content_reserve(memory_content *content, sqlite3_int64 size);

sqlite3_int64 entity_content_size(memory_content *content);

#endif
