#include "CTransport.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
  CURL *handle;
  curl_floor *floor;
  uint8_t *body;
  size_t count, capacity;
  size_t taken;
} transfer;

struct curl_floor {
  CURLM *multi;
  size_t width;
  bool drops;
  const uint8_t *bytes;
  size_t byte_count;
  struct curl_slist *fields;
  transfer transfers[];
};

static size_t on_write(char *bytes, size_t size, size_t count, void *context) {
  transfer *transfer = context;
  count *= size;
  if (transfer->floor->drops) {
    transfer->count += count;
    return count;
  }
  if (transfer->capacity - transfer->count < count) {
    size_t capacity = transfer->capacity ? transfer->capacity * 2 : 4096;
    while (capacity - transfer->count < count) capacity *= 2;
    uint8_t *grown = realloc(transfer->body, capacity);
    if (!grown) return 0;
    transfer->body = grown;
    transfer->capacity = capacity;
  }
  memcpy(transfer->body + transfer->count, bytes, count);
  transfer->count += count;
  return count;
}

static size_t on_read(char *bytes, size_t size, size_t count, void *context) {
  transfer *transfer = context;
  size_t left = transfer->floor->byte_count - transfer->taken;
  count = size * count < left ? size * count : left;
  memcpy(bytes, transfer->floor->bytes + transfer->taken, count);
  transfer->taken += count;
  return count;
}

static bool set_up(transfer *transfer, const char *url) {
  CURL *handle = transfer->handle = curl_easy_init();
  return handle && curl_easy_setopt(handle, CURLOPT_URL, url) == CURLE_OK &&
         curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
         curl_easy_setopt(handle, CURLOPT_PROXY, "") == CURLE_OK &&
         curl_easy_setopt(handle, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1) == CURLE_OK &&
         curl_easy_setopt(handle, CURLOPT_BUFFERSIZE, 64L << 10) == CURLE_OK &&
         curl_easy_setopt(handle, CURLOPT_USERAGENT, "floor") == CURLE_OK &&
         curl_easy_setopt(handle, CURLOPT_HTTPHEADER, transfer->floor->fields) == CURLE_OK &&
         curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, on_write) == CURLE_OK &&
         curl_easy_setopt(handle, CURLOPT_WRITEDATA, transfer) == CURLE_OK &&
         curl_easy_setopt(handle, CURLOPT_PRIVATE, transfer) == CURLE_OK;
}

curl_floor *curl_floor_new(const char *url, size_t width) {
  curl_floor *floor = calloc(1, sizeof *floor + width * sizeof(transfer));
  if (!floor) return NULL;
  floor->width = width;
  floor->multi = curl_multi_init();
  floor->fields = curl_slist_append(curl_slist_append(NULL, "Accept-Encoding: gzip, deflate"), "Expect:");
  bool is_ready = floor->multi && floor->fields &&
                  curl_multi_setopt(floor->multi, CURLMOPT_MAXCONNECTS, (long)width) == CURLM_OK;
  for (size_t index = 0; index < width && is_ready; index++) {
    floor->transfers[index].floor = floor;
    is_ready = set_up(&floor->transfers[index], url);
  }
  if (is_ready) return floor;
  curl_floor_free(floor);
  return NULL;
}

void curl_floor_free(curl_floor *floor) {
  for (size_t index = 0; index < floor->width; index++) {
    if (floor->transfers[index].handle) {
      curl_multi_remove_handle(floor->multi, floor->transfers[index].handle);
      curl_easy_cleanup(floor->transfers[index].handle);
    }
    free(floor->transfers[index].body);
  }
  if (floor->multi) curl_multi_cleanup(floor->multi);
  curl_slist_free_all(floor->fields);
  free(floor);
}

void curl_floor_keep(curl_floor *floor, bool keeps) { floor->drops = !keeps; }

void curl_floor_send(curl_floor *floor, const uint8_t *bytes, size_t count) {
  floor->bytes = bytes;
  floor->byte_count = count;
  for (size_t index = 0; index < floor->width; index++) {
    CURL *handle = floor->transfers[index].handle;
    curl_easy_setopt(handle, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(handle, CURLOPT_INFILESIZE_LARGE, (curl_off_t)count);
    curl_easy_setopt(handle, CURLOPT_READFUNCTION, on_read);
    curl_easy_setopt(handle, CURLOPT_READDATA, &floor->transfers[index]);
  }
}

static bool begin(transfer *transfer) {
  transfer->count = transfer->taken = 0;
  return curl_multi_add_handle(transfer->floor->multi, transfer->handle) == CURLM_OK;
}

// Takes a transfer that has ended. Large bodies give their memory back, as those of a caller do.
static bool end(transfer *transfer, CURLcode code, uint64_t *sum) {
  long status = 0;
  curl_easy_getinfo(transfer->handle, CURLINFO_RESPONSE_CODE, &status);
  curl_multi_remove_handle(transfer->floor->multi, transfer->handle);
  if (sum) *sum += transfer->floor->drops ? transfer->count : transport_digest(transfer->body, transfer->count);
  if (transfer->capacity > 1 << 20) {
    free(transfer->body);
    transfer->body = NULL;
    transfer->capacity = 0;
  }
  return code == CURLE_OK && status == 200;
}

bool curl_floor_run(curl_floor *floor, size_t count, uint64_t *sum) {
  size_t begun = 0, ended = 0;
  bool is_good = true;
  time_t heard = time(NULL);
  if (sum) *sum = 0;
  for (; begun < floor->width && begun < count; begun++) is_good = begin(&floor->transfers[begun]) && is_good;
  while (is_good && ended < count) {
    int running = 0, left = 0;
    if (curl_multi_perform(floor->multi, &running) != CURLM_OK) return false;
    CURLMsg *message;
    while ((message = curl_multi_info_read(floor->multi, &left))) {
      transfer *transfer = NULL;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&transfer);
      is_good = end(transfer, message->data.result, sum) && is_good;
      ended++;
      if (is_good && begun < count) {
        begun++;
        is_good = begin(transfer);
      }
    }
    int ready = 0;
    if (ended < count && curl_multi_poll(floor->multi, NULL, 0, 10000, &ready) != CURLM_OK) return false;
    // A server that is silent for so long answers no more.
    if (ready > 0) {
      heard = time(NULL);
    } else if (time(NULL) - heard > 60) {
      return false;
    }
  }
  return is_good;
}

uint64_t transport_digest(const void *bytes, size_t count) {
  uint64_t hash = 0xcbf29ce484222325;
  for (size_t index = 0; index < count; index++) hash = (hash ^ ((const uint8_t *)bytes)[index]) * 0x100000001b3;
  return hash;
}
