#include "CRivals.h"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_START_INSTRUMENTATION
#define CALLGRIND_STOP_INSTRUMENTATION
#endif

#ifdef __GLIBC__
#include <malloc.h>
#endif

// Of all threads; what toggles the collection does it for the calling one alone.
void instructions_begin(void) { CALLGRIND_START_INSTRUMENTATION; }

void instructions_end(void) { CALLGRIND_STOP_INSTRUMENTATION; }

void memory_give_back(void) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}
