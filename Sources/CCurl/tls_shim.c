#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define CURL_DISABLE_TYPECHECK
#include "CCurl.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// OpenSSL's functions are looked up at run time: a libcurl built on another TLS library brings no OpenSSL, and its
// headers are not needed to build this package. https://docs.openssl.org/3.0/man7/ssl/

#define OPENSSL_CALLBACK_READ_ALERT 0x4004 // SSL_CB_READ_ALERT
#define CLOSE_NOTIFY 0
#define CERTIFICATE_REQUIRED 116

#define VERSION_STRING 6 // OPENSSL_VERSION_STRING

#define EX_DATA_OF_CONTEXTS 1 // CRYPTO_EX_INDEX_SSL_CTX

typedef void (*free_function)(void *parent, void *value, void *data, int index, long number, void *argument);

static void *(*context_of)(const void *ssl);
static void (*set_key_log)(void *context, void *callback);
static void (*set_info)(void *context, void (*callback)(const void *ssl, int where, int value));
static void (*set_certificate)(void *context, int (*callback)(void *ssl, void **certificate, void **key));
static int (*new_index)(int kind, long number, void *argument, void *make, void *copy, free_function release);
static int (*set_data)(void *context, int index, void *value);
static void *(*get_data)(const void *context, int index);
static int data_index;

// The events of one connection. libcurl makes one context for each connection; both the context and the transfers that
// have the connection hold the events. All of these are used on the one thread of their engine.
struct ccurl_tls_events {
  int holders;
  int events;
};

static void release(struct ccurl_tls_events *events) {
  if (events && --events->holders == 0) {
    free(events);
  }
}

static void on_free(void *parent, void *value, void *data, int index, long number, void *argument) {
  (void)parent, (void)data, (void)index, (void)number, (void)argument;
  release(value);
}

static void note(const void *ssl, int event) {
  struct ccurl_tls_events *events = get_data(context_of(ssl), data_index);
  if (events) {
    events->events |= event;
  }
}

static void on_info(const void *ssl, int where, int value) {
  if (where != OPENSSL_CALLBACK_READ_ALERT) {
    return;
  }
  // RFC 8446 §6: the description is the low byte.
  int description = value & 0xFF;
  if (description == CLOSE_NOTIFY) {
    note(ssl, CCURL_TLS_CLOSED);
  } else if (description == CERTIFICATE_REQUIRED) {
    note(ssl, CCURL_TLS_CERTIFICATE_REQUIRED);
  }
}

static int on_certificate_request(void *ssl, void **certificate, void **key) {
  (void)certificate;
  (void)key;
  note(ssl, CCURL_TLS_CERTIFICATE_ASKED);
  return 0; // none
}

static int find_functions(void) {
  context_of = (void *(*)(const void *))dlsym(RTLD_DEFAULT, "SSL_get_SSL_CTX");
  set_key_log = (void (*)(void *, void *))dlsym(RTLD_DEFAULT, "SSL_CTX_set_keylog_callback");
  set_info = (void (*)(void *, void (*)(const void *, int, int)))dlsym(RTLD_DEFAULT, "SSL_CTX_set_info_callback");
  set_certificate =
      (void (*)(void *, int (*)(void *, void **, void **)))dlsym(RTLD_DEFAULT, "SSL_CTX_set_client_cert_cb");
  new_index = (int (*)(int, long, void *, void *, void *, free_function))dlsym(RTLD_DEFAULT, "CRYPTO_get_ex_new_index");
  set_data = (int (*)(void *, int, void *))dlsym(RTLD_DEFAULT, "SSL_CTX_set_ex_data");
  get_data = (void *(*)(const void *, int))dlsym(RTLD_DEFAULT, "SSL_CTX_get_ex_data");
  if (!context_of || !set_key_log || !set_info || !set_certificate || !new_index || !set_data || !get_data) {
    return 0;
  }
  data_index = new_index(EX_DATA_OF_CONTEXTS, 0, NULL, NULL, NULL, on_free);
  return data_index >= 0;
}

static bool is_same(const char *library, const char *version) {
  // "(OpenSSL/…) GnuTLS/…" is a libcurl with several.
  if (!library || !version || strncmp(library, "OpenSSL/", 8) != 0 || atoi(library + 8) < 3) {
    return false;
  }
  size_t length = strcspn(library + 8, " ");
  return strlen(version) == length && strncmp(library + 8, version, length) == 0;
}

bool ccurl_tls_find(void) {
  // A process may have several OpenSSL libraries, and the lookup takes the first in the order of loading. A context of
  // another library than these functions' own must never get to them.
  const char *(*version)(int) = (const char *(*)(int))dlsym(RTLD_DEFAULT, "OpenSSL_version");
  return version && is_same(curl_version_info(CURLVERSION_NOW)->ssl_version, version(VERSION_STRING)) &&
         find_functions();
}

static CURLcode on_context(CURL *handle, void *context, void *settings) {
  (void)handle;
  struct ccurl_tls *tls = settings;
  struct ccurl_tls_events *events = calloc(1, sizeof *events);
  if (!events || !set_data(context, data_index, events)) {
    free(events);
    return CURLE_OUT_OF_MEMORY;
  }
  events->holders = 2;
  release(tls->events);
  tls->events = events;
  set_info(context, on_info);
  if (!tls->has_certificate) {
    set_certificate(context, on_certificate_request);
  }
  if (!tls->logs_keys) {
    // libcurl has set its own, if the environment has SSLKEYLOGFILE.
    set_key_log(context, NULL);
  }
  return CURLE_OK;
}

CURLcode ccurl_tls_observe(CURL *handle, struct ccurl_tls *tls) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_SSL_CTX_FUNCTION, on_context);
  return code ? code : curl_easy_setopt(handle, CURLOPT_SSL_CTX_DATA, tls);
}

void ccurl_tls_look(CURL *handle, struct ccurl_tls *tls) {
  struct curl_tlssessioninfo *info = NULL;
  if (curl_easy_getinfo(handle, CURLINFO_TLS_SSL_PTR, &info) == CURLE_OK && info && info->internals &&
      info->backend == CURLSSLBACKEND_OPENSSL) {
    struct ccurl_tls_events *events = get_data(context_of(info->internals), data_index);
    if (events) {
      events->holders++;
    }
    release(tls->events);
    tls->events = events;
  }
}

int ccurl_tls_events(const struct ccurl_tls *tls) { return tls->events ? tls->events->events : 0; }

void ccurl_tls_release(struct ccurl_tls *tls) {
  release(tls->events);
  tls->events = NULL;
}
