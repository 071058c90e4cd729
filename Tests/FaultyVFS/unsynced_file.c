#include "unsynced_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { sector = 512 };

typedef struct {
  bool is_there;
  int64_t size;
  int64_t capacity;
  unsigned char *bytes;
} image;

typedef enum { change_write, change_truncate, change_delete, change_make } change_kind;

typedef struct change {
  change_kind kind;
  int64_t offset;
  int64_t count;
  struct change *next;
  unsigned char bytes[];
} change;

struct unsynced_file {
  image durable;
  change *first;
  change **end;
};

// MARK: Images

static bool grow(image *image, int64_t size) {
  if (size > image->capacity) {
    int64_t capacity = size * 2;
    unsigned char *bytes = realloc(image->bytes, (size_t)capacity);
    if (bytes == NULL) return false;
    image->bytes = bytes;
    image->capacity = capacity;
  }
  if (size > image->size) {
    // A file system reads a hole as zeros.
    memset(image->bytes + image->size, 0, (size_t)(size - image->size));
    image->size = size;
  }
  return true;
}

static bool put(image *image, const unsigned char *bytes, int64_t count, int64_t offset) {
  if (!grow(image, offset + count)) return false;
  memcpy(image->bytes + offset, bytes, (size_t)count);
  image->is_there = true;
  return true;
}

static bool load(image *image, const char *path) {
  FILE *stream = fopen(path, "rb");
  if (stream == NULL) return true;
  image->is_there = true;
  unsigned char buffer[4096];
  size_t count;
  bool is_loaded = true;
  while (is_loaded && (count = fread(buffer, 1, sizeof buffer, stream)) > 0) {
    is_loaded = put(image, buffer, (int64_t)count, image->size);
  }
  fclose(stream);
  return is_loaded;
}

// MARK: Changes

unsynced_file *unsynced_file_create(const char *path) {
  unsynced_file *file = calloc(1, sizeof *file);
  if (file == NULL) return NULL;
  file->end = &file->first;
  if (load(&file->durable, path)) return file;
  unsynced_file_free(file);
  return NULL;
}

static void forget_changes(unsynced_file *file) {
  while (file->first != NULL) {
    change *next = file->first->next;
    free(file->first);
    file->first = next;
  }
  file->end = &file->first;
}

void unsynced_file_free(unsynced_file *file) {
  forget_changes(file);
  free(file->durable.bytes);
  free(file);
}

static bool note(unsynced_file *file, change_kind kind, const void *bytes, int64_t count, int64_t offset) {
  change *new = malloc(sizeof *new + (bytes == NULL ? 0 : (size_t)count));
  if (new == NULL) return false;
  new->kind = kind;
  new->offset = offset;
  new->count = count;
  new->next = NULL;
  if (bytes != NULL) memcpy(new->bytes, bytes, (size_t)count);
  *file->end = new;
  file->end = &new->next;
  return true;
}

bool unsynced_file_write(unsynced_file *file, const void *bytes, int count, int64_t offset) {
  return note(file, change_write, bytes, count, offset);
}

bool unsynced_file_truncate(unsynced_file *file, int64_t size) { return note(file, change_truncate, NULL, 0, size); }

bool unsynced_file_delete(unsynced_file *file) { return note(file, change_delete, NULL, 0, 0); }

bool unsynced_file_make(unsynced_file *file) { return note(file, change_make, NULL, 0, 0); }

/// Applies a change that is no write.
static bool apply(image *image, const change *change) {
  switch (change->kind) {
  case change_truncate:
    if (change->offset > image->size) return grow(image, change->offset);
    image->size = change->offset;
    return true;
  case change_delete:
    image->is_there = false;
    image->size = 0;
    return true;
  case change_make:
    image->is_there = true;
    return true;
  case change_write: return put(image, change->bytes, change->count, change->offset);
  }
  return true;
}

bool unsynced_file_sync(unsynced_file *file) {
  for (const change *change = file->first; change != NULL; change = change->next) {
    if (!apply(&file->durable, change)) return false;
  }
  forget_changes(file);
  return true;
}

bool unsynced_file_is_new(const unsynced_file *file) {
  for (const change *change = file->first; change != NULL; change = change->next) {
    if (change->kind == change_make) return true;
  }
  return false;
}

bool unsynced_file_sync_folder(unsynced_file *file) {
  const change *last = NULL;
  for (const change *change = file->first; change != NULL; change = change->next) {
    if (change->kind == change_delete || change->kind == change_make) last = change;
  }
  // Writes before a deletion are gone with the file.
  while (last != NULL) {
    change *next = file->first;
    if (!apply(&file->durable, next)) return false;
    if (next == last) last = NULL;
    file->first = next->next;
    free(next);
  }
  if (file->first == NULL) file->end = &file->first;
  return true;
}

// MARK: Power cuts

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
static bool coin(uint64_t *random) {
  *random += 0x9E3779B97F4A7C15u;
  uint64_t bits = *random;
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9u;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBu;
  return ((bits ^ (bits >> 31)) & 1) != 0;
}

/// Applies the pieces of a write that reached the disk, each within one sector.
static bool tear(image *image, const change *change, uint64_t *random) {
  int64_t done = 0;
  while (done < change->count) {
    int64_t place = change->offset + done;
    int64_t piece = sector - place % sector;
    if (piece > change->count - done) piece = change->count - done;
    if (coin(random) && !put(image, change->bytes + done, piece, place)) return false;
    done += piece;
  }
  return true;
}

/// A file system keeps the order of what is done to a folder: all up to some change reached the disk.
static const change *last_of_folder(const unsynced_file *file, uint64_t *random) {
  const change *last = NULL;
  for (const change *change = file->first; change != NULL; change = change->next) {
    if (change->kind != change_delete && change->kind != change_make) continue;
    if (coin(random)) break;
    last = change;
  }
  return last;
}

static int save(const image *image, const char *path) {
  if (!image->is_there) return 0;
  FILE *stream = fopen(path, "wb");
  if (stream == NULL) return errno;
  bool is_written =
    image->size == 0 || fwrite(image->bytes, 1, (size_t)image->size, stream) == (size_t)image->size;
  int code = is_written ? 0 : errno;
  if (fclose(stream) != 0 && code == 0) code = errno;
  return code;
}

int unsynced_file_cut(const unsynced_file *file, uint64_t *random, const char *path) {
  image left = {.is_there = file->durable.is_there};
  bool has_room = file->durable.size == 0 || put(&left, file->durable.bytes, file->durable.size, 0);
  left.is_there = file->durable.is_there;
  const change *last = last_of_folder(file, random);
  bool is_before = last != NULL;
  bool is_there = left.is_there;
  for (const change *change = file->first; has_room && change != NULL; change = change->next) {
    switch (change->kind) {
    case change_delete:
    case change_make:
      if (!is_before) goto end;
      has_room = apply(&left, change);
      is_there = left.is_there;
      if (change == last) is_before = false;
      break;
    case change_truncate:
      if (coin(random)) has_room = apply(&left, change);
      break;
    case change_write: has_room = tear(&left, change, random); break;
    }
  }
end:
  left.is_there = is_there;
  int code = has_room ? save(&left, path) : ENOMEM;
  free(left.bytes);
  return code;
}
