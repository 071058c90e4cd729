#ifndef CCURL_H
#define CCURL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <curl/curl.h>

// Swift imports no variadic functions, so libcurl's variadic setters and getters have one typed wrapper per kind of
// argument. Every wrapper returns libcurl's result.

/// Initialises libcurl, once per process and before anything else in it is called.
///
/// Nothing ever calls curl_global_cleanup: other libraries of the process (Foundation's URLSession on Linux) share the
/// same libcurl. OpenSSL is told to install no exit handler, since the engine's thread still runs while the process exits.
CURLcode ccurl_global_init(void);

/// The version of the library that is loaded, as 0xXXYYZZ.
unsigned int ccurl_version(void);

/// Nanoseconds of a clock that goes on while the machine sleeps.
int64_t ccurl_now(void);

/// Blocks every signal in the calling thread, so that signals are handled by the host's own threads and a write to a
/// closed TLS socket gives EPIPE here instead of SIGPIPE.
void ccurl_block_signals(void);

/// Names the calling thread, as debuggers and `top` show it. The name has at most 15 bytes.
void ccurl_name_thread(const char *name);

CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value);
CURLcode ccurl_set_offset(CURL *handle, CURLoption option, int64_t value);
/// libcurl copies the string. NULL restores the option's built-in default.
CURLcode ccurl_set_string(CURL *handle, CURLoption option, const char *value);
CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, void *value);
CURLcode ccurl_set_list(CURL *handle, CURLoption option, struct curl_slist *value);
/// libcurl copies the bytes.
CURLcode ccurl_set_blob(CURL *handle, CURLoption option, const void *bytes, size_t count);

typedef size_t (*ccurl_data_callback)(char *bytes, size_t size, size_t count, void *context);
/// For CURLOPT_WRITEFUNCTION, CURLOPT_HEADERFUNCTION and CURLOPT_READFUNCTION.
CURLcode ccurl_set_data_callback(CURL *handle, CURLoption option, ccurl_data_callback callback);

typedef int (*ccurl_seek_callback)(void *context, curl_off_t offset, int origin);
CURLcode ccurl_set_seek_callback(CURL *handle, ccurl_seek_callback callback);

typedef int (*ccurl_progress_callback)(
    void *context, curl_off_t to_receive, curl_off_t received, curl_off_t to_send, curl_off_t sent);
CURLcode ccurl_set_progress_callback(CURL *handle, ccurl_progress_callback callback);

typedef int (*ccurl_prereq_callback)(
    void *context, char *peer_address, char *own_address, int peer_port, int own_port);
CURLcode ccurl_set_prereq_callback(CURL *handle, ccurl_prereq_callback callback);

CURLcode ccurl_get_long(CURL *handle, CURLINFO info, long *value);
CURLcode ccurl_get_offset(CURL *handle, CURLINFO info, int64_t *value);
/// The figures of a transfer; times in microseconds since libcurl last looked for a connection, 0 for a step that was not
/// reached.
struct ccurl_metrics {
  int64_t resolved, connected, secured;
  /// Whether it opened a connection.
  bool is_new;
  /// CURLINFO_REQUEST_SIZE, over all attempts: of the heads alone before libcurl 8.7.0, 0 until 8.8.0, and of bodies with
  /// their frames too from 8.8.0 on.
  int64_t request_size;
  /// One of CURL_HTTP_VERSION_…, 0 without a response.
  int version;
};
void ccurl_get_metrics(CURL *handle, struct ccurl_metrics *metrics);

/// The value of CURLOPT_PRIVATE.
void *ccurl_get_private(CURL *handle);

CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value);

// MARK: Kept connections

/// The open sockets of an engine. Used on the engine's thread only, and never freed: libcurl closes connections when it
/// likes.
struct ccurl_sockets;
struct ccurl_sockets *ccurl_sockets_make(void);

/// Notes the sockets that a transfer opens.
CURLcode ccurl_sockets_observe(CURL *handle, struct ccurl_sockets *sockets);

/// Whether the connection with these addresses has bytes to read, has ended or is broken. They are those that
/// CURLOPT_PREREQFUNCTION gets.
bool ccurl_sockets_have_bytes(
    struct ccurl_sockets *sockets, const char *peer, int peer_port, const char *own, int own_port);

/// Whether the connection with these addresses is the owner's, a number above 0. A new one that is nobody's becomes the
/// owner's. One that is not known is the owner's if it is new.
bool ccurl_sockets_claim(
    struct ccurl_sockets *sockets, const char *peer, int peer_port, const char *own, int own_port, uint64_t owner,
    bool is_new);

// MARK: TLS

/// The events of a TLS connection that libcurl does not tell.
enum {
  /// The server ended the connection with an alert (RFC 8446 §6.1). Without it an end may be an attacker's.
  CCURL_TLS_CLOSED = 1,
  /// The server asked for a client certificate, and there was none.
  CCURL_TLS_CERTIFICATE_ASKED = 2,
  /// The server said that it does not go on without a client certificate.
  CCURL_TLS_CERTIFICATE_REQUIRED = 4,
};

struct ccurl_tls_events;

struct ccurl_tls {
  /// The events of the connection; NULL before there is one.
  struct ccurl_tls_events *events;
  bool has_certificate;
  /// Whether the environment's SSLKEYLOGFILE is heeded.
  bool logs_keys;
};

/// Whether libcurl's TLS library is one whose events can be observed: OpenSSL 3 or newer, and the OpenSSL that the process
/// finds by name. Called once, before the others.
bool ccurl_tls_find(void);
/// Observes the connection that a transfer opens. `tls` lives as long as the handle.
CURLcode ccurl_tls_observe(CURL *handle, struct ccurl_tls *tls);
/// Finds the events of the connection that a transfer has now, which may be one of an earlier transfer.
void ccurl_tls_look(CURL *handle, struct ccurl_tls *tls);
int ccurl_tls_events(const struct ccurl_tls *tls);
/// Lets the events go, on the engine's thread.
void ccurl_tls_release(struct ccurl_tls *tls);

// MARK: Decompression

/// A stream of zlib's (https://zlib.net/manual.html).
struct ccurl_inflate;
/// NULL without memory. The windowBits of inflateInit2: 31 for gzip, 15 for zlib, -15 for bare deflate.
struct ccurl_inflate *ccurl_inflate_make(int window);
void ccurl_inflate_free(struct ccurl_inflate *inflate);
/// Takes bytes of the input and makes bytes of output, as far as there is room; the counts are then those of what was
/// taken and made. Returns zlib's code: 0 to go on, 1 at the stream's end, -5 when no step was possible, less than 0 else for
/// a malformed stream.
int ccurl_inflate_run(
    struct ccurl_inflate *inflate, const void *input, size_t *input_count, void *output, size_t *output_count);
/// Begins a new stream: a gzip body may have several.
int ccurl_inflate_restart(struct ccurl_inflate *inflate);

#endif
