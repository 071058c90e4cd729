#ifndef CSQLITE_H
#define CSQLITE_H

#include <sqlite3.h>

#include "distrust.h"
#include "memory_vfs.h"
#include "row_batch.h"
#include "value_list.h"

#endif
