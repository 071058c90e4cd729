#ifndef CCURL_H
#define CCURL_H

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

/// Blocks every signal in the calling thread, so that signals are handled by the host's own threads and a write to a
/// closed TLS socket gives EPIPE here instead of SIGPIPE.
void ccurl_block_signals(void);

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

CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value);

#endif
