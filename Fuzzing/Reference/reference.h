// A second JSON parser, for the fuzzers to hold ours against: RapidJSON, by other people and in another way.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  /// Whether RFC 8259 allows the text, with any nesting.
  bool accepted;
  /// The most arrays and objects that were open at once.
  size_t depth;
  /// The events that were read, in the form of `Events.swift`; lent until the next call on this thread.
  const uint8_t *_Nullable events;
  size_t count;
} reference_reading;

reference_reading reference_read(const uint8_t *_Nullable text, size_t count);

/// libFuzzer's own mutations, for a mutator to call.
size_t LLVMFuzzerMutate(uint8_t *_Nonnull input, size_t size, size_t capacity);

#ifdef __cplusplus
}
#endif
