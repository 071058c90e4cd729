#include <sqlite3.h>
#include <stddef.h>

#include "faulty_vfs.h"

/// Set once, before SQLite's first use.
static sqlite3_mem_methods real;
static int (*asks)(void);

static void *allocate(int size) { return asks() ? NULL : real.xMalloc(size); }
static void *reallocate(void *memory, int size) { return asks() ? NULL : real.xRealloc(memory, size); }

int faulty_allocations_install(int (*refuses)(void)) {
  int code = sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real);
  if (code != SQLITE_OK) return code;
  asks = refuses;
  sqlite3_mem_methods methods = real;
  methods.xMalloc = allocate;
  methods.xRealloc = reallocate;
  code = sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
  return code == SQLITE_OK ? sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0) : code;
}
