#include "CCurl.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

struct ccurl_inflate {
  z_stream stream;
};

struct ccurl_inflate *ccurl_inflate_make(int window) {
  struct ccurl_inflate *self = calloc(1, sizeof *self);
  if (self && inflateInit2(&self->stream, window) != Z_OK) {
    free(self);
    return NULL;
  }
  return self;
}

void ccurl_inflate_free(struct ccurl_inflate *self) {
  inflateEnd(&self->stream);
  free(self);
}

int ccurl_inflate_run(
    struct ccurl_inflate *self, const void *input, size_t *input_count, void *output, size_t *output_count) {
  z_stream *stream = &self->stream;
  uInt available = *input_count > UINT_MAX ? UINT_MAX : (uInt)*input_count;
  uInt room = *output_count > UINT_MAX ? UINT_MAX : (uInt)*output_count;
  stream->next_in = (Bytef *)input;
  stream->avail_in = available;
  stream->next_out = output;
  stream->avail_out = room;
  int code = inflate(stream, Z_NO_FLUSH);
  *input_count = available - stream->avail_in;
  *output_count = room - stream->avail_out;
  return code;
}

int ccurl_inflate_restart(struct ccurl_inflate *self) { return inflateReset(&self->stream); }
