// The rivals that are C or C++, and the functions of C's library that a benchmark needs.
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

struct sqlite3;

/// A database with the tables that EntityStore makes, and a parser.
typedef struct floor_rows floor_rows;

/// Opens a database whose responses are arrays of the objects of the table `root`, one of floor_layouts.hpp; null when that
/// fails.
floor_rows *_Nullable floor_rows_open(const char *_Nonnull path, const char *_Nonnull root);
void floor_rows_close(floor_rows *_Nonnull rows);
struct sqlite3 *_Nonnull floor_rows_handle(floor_rows *_Nonnull rows);
/// Why the last call returned false.
const char *_Nonnull floor_rows_error(floor_rows *_Nonnull rows);

/// Each of these returns whether it succeeded.
bool floor_rows_execute(floor_rows *_Nonnull rows, const char *_Nonnull sql);

/// Upserts an array of objects with those that are nested in them, in one transaction. Keys that an object lacks leave their
/// columns alone; a row that is equal is not written.
bool floor_rows_ingest(floor_rows *_Nonnull rows, const uint8_t *_Nonnull text, size_t count);

/// Reads every column of all users. `sum` is `Checksum` of them in FetchReading.swift.
bool floor_rows_fetch(floor_rows *_Nonnull rows, int64_t *_Nonnull sum);
/// Reads every column of one user after the other, each found by its uid.
bool floor_rows_find(
    floor_rows *_Nonnull rows, const int64_t *_Nonnull uids, size_t count, int64_t *_Nonnull sum);
/// Sets the scores of rows, which are named by their keys, in one transaction.
bool floor_rows_save(
    floor_rows *_Nonnull rows, const int64_t *_Nonnull keys, const double *_Nonnull scores, size_t count);
/// Binds a target and an owner to `sql`, for one pair after the other, in one transaction.
bool floor_rows_link(
    floor_rows *_Nonnull rows, const char *_Nonnull sql, const int64_t *_Nonnull owners,
    const int64_t *_Nonnull targets, size_t count);
/// The key of the row of a user.
bool floor_rows_key(floor_rows *_Nonnull rows, int64_t uid, int64_t *_Nonnull key);

/// The digest of all rows that `sql` selects in a database.
bool floor_rows_digest(struct sqlite3 *_Nonnull handle, const char *_Nonnull sql, uint64_t *_Nonnull digest);

/// Callgrind counts the instructions between the two when started with `--instr-atstart=no`; elsewhere they do nothing.
void instructions_begin(void);
void instructions_end(void);

/// The time that all threads of this process were on a processor, in seconds.
double cpu_seconds(void);

/// The time that the calling thread was on a processor, in seconds.
double thread_cpu_seconds(void);

/// The bytes that the process has allocated and not freed, where the allocator tells; else 0.
int64_t memory_in_use(void);

/// Gives the memory back that the allocator keeps for later, where there is a way.
void memory_give_back(void);

#ifdef __cplusplus
}
#endif
