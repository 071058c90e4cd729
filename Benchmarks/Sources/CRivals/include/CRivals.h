// The rivals that are C or C++, and what a benchmark needs of C's library.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A `simdjson::dom::parser`, which owns the document of its last parse.
typedef struct simdjson_reader simdjson_reader;

/// How many readable bytes must stand behind a text that is parsed as padded.
size_t simdjson_reader_padding(void);
/// The instruction set that this machine gets.
const char *_Nonnull simdjson_reader_implementation(void);

simdjson_reader *_Nonnull simdjson_reader_new(void);
void simdjson_reader_free(simdjson_reader *_Nonnull reader);

/// Parses into the reader's document; an unpadded text is copied first, as simdjson does it by default.
/// Returns whether the text was accepted.
bool simdjson_reader_parse(
    simdjson_reader *_Nonnull reader, const uint8_t *_Nonnull text, size_t count, bool padded);

/// The digest of the reader's document, as `Digest.swift` defines it.
bool simdjson_reader_digest(simdjson_reader *_Nonnull reader, uint64_t *_Nonnull digest);

/// Callgrind counts what runs between the two when started with `--collect-atstart=no`; elsewhere they do nothing.
void instructions_begin(void);
void instructions_end(void);

/// Gives the memory back that the allocator keeps for later, where there is a way.
void memory_give_back(void);

#ifdef __cplusplus
}
#endif
