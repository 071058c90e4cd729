#include "CRivals.h"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_TOGGLE_COLLECT
#endif

#ifdef __GLIBC__
#include <malloc.h>
#endif

void instructions_begin(void) { CALLGRIND_TOGGLE_COLLECT; }

void instructions_end(void) { CALLGRIND_TOGGLE_COLLECT; }

void memory_give_back(void) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}
