#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define CURL_DISABLE_TYPECHECK
#include "CCurl.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <time.h>

#if defined(__linux__)
#include <sys/prctl.h>
#endif

// OPENSSL_INIT_NO_ATEXIT, https://docs.openssl.org/3.0/man3/OPENSSL_init_crypto/
#define CCURL_OPENSSL_NO_ATEXIT ((uint64_t)0x00080000)

CURLcode ccurl_global_init(void) {
  // Looked up at run time: a libcurl built on another TLS library brings no OpenSSL.
  int (*init_crypto)(uint64_t, const void *) =
      (int (*)(uint64_t, const void *))dlsym(RTLD_DEFAULT, "OPENSSL_init_crypto");
  if (init_crypto) {
    init_crypto(CCURL_OPENSSL_NO_ATEXIT, NULL);
  }
  return curl_global_init(CURL_GLOBAL_DEFAULT);
}

unsigned int ccurl_version(void) {
  return curl_version_info(CURLVERSION_NOW)->version_num;
}

int64_t ccurl_now(void) {
#ifdef __linux__
  clockid_t clock = CLOCK_BOOTTIME;
#elif defined(__APPLE__)
  // CLOCK_MONOTONIC goes faster or slower there while the time of day is set right.
  clockid_t clock = CLOCK_MONOTONIC_RAW;
#else
  clockid_t clock = CLOCK_MONOTONIC;
#endif
  struct timespec time = {0, 0};
  // A kernel that lacks the clock lacks it at each call, so one process never mixes two clocks.
  if (clock_gettime(clock, &time) != 0) {
    clock_gettime(CLOCK_MONOTONIC, &time);
  }
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

void ccurl_block_signals(void) {
  sigset_t all;
  sigfillset(&all);
  // Faults raised by the thread itself stay deliverable; blocking them would be undefined.
  sigdelset(&all, SIGSEGV);
  sigdelset(&all, SIGBUS);
  sigdelset(&all, SIGILL);
  sigdelset(&all, SIGFPE);
  sigdelset(&all, SIGTRAP);
  sigdelset(&all, SIGABRT);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
}

void ccurl_name_thread(const char *name) {
#ifdef __APPLE__
  pthread_setname_np(name);
#elif defined(__linux__)
  prctl(PR_SET_NAME, name);
#else
  (void)name;
#endif
}

CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

CURLcode ccurl_set_offset(CURL *handle, CURLoption option, int64_t value) {
  return curl_easy_setopt(handle, option, (curl_off_t)value);
}

CURLcode ccurl_set_string(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}

CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, void *value) {
  return curl_easy_setopt(handle, option, value);
}

CURLcode ccurl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(handle, option, value);
}

CURLcode ccurl_set_blob(CURL *handle, CURLoption option, const void *bytes, size_t count) {
  struct curl_blob blob = {(void *)bytes, count, CURL_BLOB_COPY};
  return curl_easy_setopt(handle, option, &blob);
}

CURLcode ccurl_set_data_callback(CURL *handle, CURLoption option, ccurl_data_callback callback) {
  return curl_easy_setopt(handle, option, callback);
}

CURLcode ccurl_set_seek_callback(CURL *handle, ccurl_seek_callback callback) {
  return curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, callback);
}

CURLcode ccurl_set_progress_callback(CURL *handle, ccurl_progress_callback callback) {
  return curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, callback);
}

CURLcode ccurl_set_prereq_callback(CURL *handle, ccurl_prereq_callback callback) {
  return curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, callback);
}

CURLcode ccurl_get_long(CURL *handle, CURLINFO info, long *value) {
  return curl_easy_getinfo(handle, info, value);
}

CURLcode ccurl_get_offset(CURL *handle, CURLINFO info, int64_t *value) {
  curl_off_t offset = 0;
  CURLcode code = curl_easy_getinfo(handle, info, &offset);
  *value = offset;
  return code;
}

static int64_t offset_of(CURL *handle, CURLINFO info) {
  curl_off_t value = 0;
  curl_easy_getinfo(handle, info, &value);
  return value;
}

static long long_of(CURL *handle, CURLINFO info) {
  long value = 0;
  curl_easy_getinfo(handle, info, &value);
  return value;
}

void ccurl_get_metrics(CURL *handle, struct ccurl_metrics *metrics) {
  metrics->is_new = long_of(handle, CURLINFO_NUM_CONNECTS) > 0;
  metrics->request_size = long_of(handle, CURLINFO_REQUEST_SIZE);
  metrics->version = (int)long_of(handle, CURLINFO_HTTP_VERSION);
  // On a kept connection these say nothing.
  metrics->resolved = metrics->is_new ? offset_of(handle, CURLINFO_NAMELOOKUP_TIME_T) : 0;
  metrics->connected = metrics->is_new ? offset_of(handle, CURLINFO_CONNECT_TIME_T) : 0;
  metrics->secured = metrics->is_new ? offset_of(handle, CURLINFO_APPCONNECT_TIME_T) : 0;
}

void *ccurl_get_private(CURL *handle) {
  char *value = NULL;
  return curl_easy_getinfo(handle, CURLINFO_PRIVATE, &value) == CURLE_OK ? value : NULL;
}

CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}
