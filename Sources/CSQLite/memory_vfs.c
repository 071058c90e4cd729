#include "memory_vfs.h"

int entity_memory_vfs_register(void) { return 0; }
