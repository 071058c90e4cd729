#include "CRivals.h"

#include <time.h>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_START_INSTRUMENTATION
#define CALLGRIND_STOP_INSTRUMENTATION
#endif

#ifdef __GLIBC__
#include <malloc.h>
#endif

// Counts all threads; the call that toggles the collection does it for the calling one alone.
void instructions_begin(void) { CALLGRIND_START_INSTRUMENTATION; }

void instructions_end(void) { CALLGRIND_STOP_INSTRUMENTATION; }

double cpu_seconds(void) {
  struct timespec time;
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) != 0) return 0;
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

double thread_cpu_seconds(void) {
  struct timespec time;
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) != 0) return 0;
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int64_t memory_in_use(void) {
#ifdef __GLIBC__
  struct mallinfo2 info = mallinfo2();
  return (int64_t)(info.uordblks + info.hblkhd);
#else
  return 0;
#endif
}

void memory_give_back(void) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}
