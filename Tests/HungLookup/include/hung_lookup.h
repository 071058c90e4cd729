#ifndef HUNG_LOOKUP_H
#define HUNG_LOOKUP_H

#include <stdbool.h>

// A `getaddrinfo` in place of that of the C library, for all that the test program links on Linux: libcurl's threads, too.
// The lookup of a name that ends in ".hung.invalid" does not return before it is let go, or ten minutes have passed. The
// name is not known then; one that ends in ".loopback.hung.invalid" is 127.0.0.1. Others go to the C library.

/// Whether this program has the function. Not where a sanitizer has one of its own.
bool hung_lookup_is_there(void);
/// Returns once a lookup of the name has begun. For a thread of its own.
void hung_lookup_await(const char *name);
/// Whether a lookup of the name has begun, and not returned.
bool hung_lookup_hangs(const char *name);
/// Lets all lookups of the name return, now and later.
void hung_lookup_let_go(const char *name);

#endif
