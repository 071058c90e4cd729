// A server to send requests to, and the floor: a loop over libcurl's multi interface in C.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Answers requests on 127.0.0.1 until standard input ends, and prints the port as its first line. Returns an exit code.
///
/// `GET /small` has a small JSON object, `GET /bytes/N` has N bytes. `PUT /count` counts the bytes of its body, and
/// `PUT /sum` adds them up, too. Connections are kept. One thread, no limits: it is for a benchmark alone.
int transport_serve(void);

/// Starts this program again, with the argument `--serve`, and returns the port that it prints, or -1. The server's input is
/// open until this process ends, in whatever way.
int transport_start(void);

/// The number of bytes of the body of `GET /small`.
size_t transport_small_size(void);

/// Easy handles with the connections that they keep. Their options are set once, and a handle begins its next transfer as
/// soon as its last one has ended.
typedef struct curl_floor curl_floor;

/// `width` transfers run at once. Null when memory or libcurl fails.
curl_floor *_Nullable curl_floor_new(const char *_Nonnull url, size_t width);
void curl_floor_free(curl_floor *_Nonnull floor);
/// Whether bodies are received into memory, as they are by default, or dropped piece by piece.
void curl_floor_keep(curl_floor *_Nonnull floor, bool keeps);
/// Sends these bytes with PUT in place of GET. They must outlive the floor's transfers.
void curl_floor_send(curl_floor *_Nonnull floor, const uint8_t *_Nonnull bytes, size_t count);
/// Runs `count` transfers. Returns whether all were answered with 200. `sum` is the sum of `transport_digest` of each body,
/// or of the bytes of bodies that are dropped.
bool curl_floor_run(curl_floor *_Nonnull floor, size_t count, uint64_t *_Nullable sum);

/// FNV-1a.
uint64_t transport_digest(const void *_Nullable bytes, size_t count);

#ifdef __cplusplus
}
#endif
