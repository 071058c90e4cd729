#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "hung_lookup.h"

#include <dlfcn.h>
#include <netdb.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef __has_feature
#define __has_feature(name) 0
#endif

struct name {
  struct name *next;
  int under_way;
  bool has_begun, is_let_go;
  char text[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct name *names;

// Names are never freed: a lookup that was left behind may return late.
static struct name *find(const char *text) {
  for (struct name *name = names; name; name = name->next) {
    if (strcmp(name->text, text) == 0) {
      return name;
    }
  }
  struct name *name = calloc(1, sizeof *name + strlen(text) + 1);
  if (!name) {
    abort();
  }
  strcpy(name->text, text);
  name->next = names;
  names = name;
  return name;
}

void hung_lookup_await(const char *text) {
  pthread_mutex_lock(&lock);
  struct name *name = find(text);
  while (!name->has_begun) {
    pthread_cond_wait(&changed, &lock);
  }
  pthread_mutex_unlock(&lock);
}

bool hung_lookup_hangs(const char *text) {
  pthread_mutex_lock(&lock);
  bool hangs = find(text)->under_way > 0;
  pthread_mutex_unlock(&lock);
  return hangs;
}

void hung_lookup_let_go(const char *text) {
  pthread_mutex_lock(&lock);
  find(text)->is_let_go = true;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

#if defined(__linux__) && !__has_feature(thread_sanitizer) && !__has_feature(address_sanitizer)
bool hung_lookup_is_there(void) { return true; }

static void hang(const char *text) {
  pthread_mutex_lock(&lock);
  struct name *name = find(text);
  name->has_begun = true;
  name->under_way++;
  pthread_cond_broadcast(&changed);
  // A lookup that holds up its test ends all the same, so that the test fails and does not hold up the others.
  struct timespec end;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += 600;
  while (!name->is_let_go && pthread_cond_timedwait(&changed, &lock, &end) == 0) {
  }
  name->under_way--;
  pthread_mutex_unlock(&lock);
}

static bool ends_in(const char *text, const char *end) {
  size_t length = strlen(text), rest = strlen(end);
  return length > rest && strcmp(text + length - rest, end) == 0;
}

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **result) {
  if (node && ends_in(node, ".hung.invalid")) {
    hang(node);
    if (!ends_in(node, ".loopback.hung.invalid")) {
      return EAI_NONAME;
    }
    node = "127.0.0.1";
  }
  int (*next)(const char *, const char *, const struct addrinfo *, struct addrinfo **) =
      (int (*)(const char *, const char *, const struct addrinfo *, struct addrinfo **))dlsym(RTLD_NEXT, "getaddrinfo");
  return next ? next(node, service, hints, result) : EAI_SYSTEM;
}
#else
bool hung_lookup_is_there(void) { return false; }
#endif
