#include "memory_content.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/// A power of two no smaller than SQLite's largest page, so that a page of a database spans one chunk.
enum { chunk_bytes = 65536 };

int entity_content_init(memory_content *content) {
  memset(content, 0, sizeof *content);
  pthread_rwlockattr_t attributes;
  if (pthread_rwlockattr_init(&attributes) != 0) return SQLITE_IOERR_NOMEM;
#ifdef __GLIBC__
  // glibc lets readers overtake a waiting writer by default: readers that keep coming would hold up a commit.
  pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
#endif
  int failure = pthread_rwlock_init(&content->guard, &attributes);
  pthread_rwlockattr_destroy(&attributes);
  return failure == 0 ? SQLITE_OK : SQLITE_IOERR_NOMEM;
}

static void free_chunks(memory_content *content, size_t first) {
  for (size_t i = first; i < content->chunk_capacity; i++) {
    free(content->chunks[i]);
    content->chunks[i] = NULL;
  }
}

void entity_content_destroy(memory_content *content) {
  free_chunks(content, 0);
  free(content->chunks);
  pthread_rwlock_destroy(&content->guard);
}

/// The number of chunks that `size` bytes take.
static sqlite3_int64 chunks_for(sqlite3_int64 size) {
  return size / chunk_bytes + (size % chunk_bytes != 0);
}

/// Makes the table of chunks long enough for `size` bytes. It at least doubles, so that appending page by page
/// moves each entry a constant number of times.
static int grow_table(memory_content *content, sqlite3_int64 size) {
  sqlite3_int64 needed = chunks_for(size);
  if (needed <= (sqlite3_int64)content->chunk_capacity) return SQLITE_OK;
  if ((uint64_t)needed > SIZE_MAX / (2 * sizeof *content->chunks)) return SQLITE_FULL;
  size_t capacity = content->chunk_capacity * 2;
  if (capacity < (size_t)needed) capacity = (size_t)needed;
  unsigned char **chunks = realloc(content->chunks, capacity * sizeof *chunks);
  if (chunks == NULL) return SQLITE_FULL;
  memset(chunks + content->chunk_capacity, 0, (capacity - content->chunk_capacity) * sizeof *chunks);
  content->chunks = chunks;
  content->chunk_capacity = capacity;
  return SQLITE_OK;
}

/// Allocates the chunks that a write to these bytes touches before any byte changes: a write happens whole or not at
/// all.
static int prepare_write(memory_content *content, sqlite3_int64 offset, int count) {
  int rc = grow_table(content, offset + count);
  if (rc != SQLITE_OK) return rc;
  size_t last = (size_t)((offset + count - 1) / chunk_bytes);
  for (size_t i = (size_t)(offset / chunk_bytes); i <= last; i++) {
    if (content->chunks[i] == NULL) content->chunks[i] = calloc(1, chunk_bytes);
    if (content->chunks[i] == NULL) return SQLITE_FULL;
  }
  return SQLITE_OK;
}

/// How many of `count` bytes from `offset` on lie in the chunk of `offset`.
static int within_chunk(sqlite3_int64 offset, int count) {
  int room = chunk_bytes - (int)(offset % chunk_bytes);
  return count < room ? count : room;
}

static void copy_out(const memory_content *content, unsigned char *bytes, int count, sqlite3_int64 offset) {
  while (count > 0) {
    const unsigned char *chunk = content->chunks[offset / chunk_bytes];
    int step = within_chunk(offset, count);
    if (chunk != NULL) {
      memcpy(bytes, chunk + offset % chunk_bytes, (size_t)step);
    } else {
      memset(bytes, 0, (size_t)step);
    }
    bytes += step;
    offset += step;
    count -= step;
  }
}

static void copy_in(memory_content *content, const unsigned char *bytes, int count, sqlite3_int64 offset) {
  while (count > 0) {
    int step = within_chunk(offset, count);
    memcpy(content->chunks[offset / chunk_bytes] + offset % chunk_bytes, bytes, (size_t)step);
    bytes += step;
    offset += step;
    count -= step;
  }
}

int entity_content_read(memory_content *content, void *bytes, int count, sqlite3_int64 offset) {
  if (offset < 0 || count < 0) return SQLITE_IOERR_READ;
  pthread_rwlock_rdlock(&content->guard);
  sqlite3_int64 left = content->size > offset ? content->size - offset : 0;
  int available = left < count ? (int)left : count;
  copy_out(content, bytes, available, offset);
  pthread_rwlock_unlock(&content->guard);
  if (available == count) return SQLITE_OK;
  // SQLite relies on the zeros: a page beyond the end of the file is an empty page.
  memset((unsigned char *)bytes + available, 0, (size_t)(count - available));
  return SQLITE_IOERR_SHORT_READ;
}

int entity_content_write(memory_content *content, const void *bytes, int count, sqlite3_int64 offset) {
  if (offset < 0 || count < 0 || offset > INT64_MAX - count) return SQLITE_IOERR_WRITE;
  if (count == 0) return SQLITE_OK;
  pthread_rwlock_wrlock(&content->guard);
  int rc = prepare_write(content, offset, count);
  if (rc == SQLITE_OK) {
    copy_in(content, bytes, count, offset);
    if (content->size < offset + count) content->size = offset + count;
  }
  pthread_rwlock_unlock(&content->guard);
  return rc;
}

/// Zeros from `size` to the end of its chunk: the file may grow over them again.
static void clear_tail(memory_content *content, sqlite3_int64 size) {
  size_t used = (size_t)(size % chunk_bytes);
  if (used == 0) return;
  unsigned char *chunk = content->chunks[size / chunk_bytes];
  if (chunk != NULL) memset(chunk + used, 0, chunk_bytes - used);
}

int entity_content_truncate(memory_content *content, sqlite3_int64 size) {
  if (size < 0) return SQLITE_IOERR_TRUNCATE;
  int rc = SQLITE_OK;
  pthread_rwlock_wrlock(&content->guard);
  if (size < content->size) {
    clear_tail(content, size);
    free_chunks(content, (size_t)chunks_for(size));
  } else {
    rc = grow_table(content, size);
  }
  if (rc == SQLITE_OK) content->size = size;
  pthread_rwlock_unlock(&content->guard);
  return rc;
}

int entity_content_reserve(memory_content *content, sqlite3_int64 size) {
  if (size < 0) return SQLITE_OK;
  pthread_rwlock_wrlock(&content->guard);
  int rc = grow_table(content, size);
  pthread_rwlock_unlock(&content->guard);
  return rc;
}

sqlite3_int64 entity_content_size(memory_content *content) {
  pthread_rwlock_rdlock(&content->guard);
  sqlite3_int64 size = content->size;
  pthread_rwlock_unlock(&content->guard);
  return size;
}
