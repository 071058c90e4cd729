#include "CRivals.h"
#include "digest.hpp"

#include <simdjson.h>

#include <string>
#include <string_view>

struct simdjson_reader {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
};

static uint64_t of_element(simdjson::dom::element element) {
  using simdjson::dom::element_type;
  switch (element.type()) {
    case element_type::NULL_VALUE: return 1;
    case element_type::BOOL: return bool(element) ? 3 : 2;
    case element_type::INT64: return mix(4, static_cast<uint64_t>(int64_t(element)));
    case element_type::UINT64: return mix(4, uint64_t(element));
    case element_type::DOUBLE: return of_double(double(element));
    case element_type::STRING: return of_string(std::string_view(element));
    case element_type::ARRAY: {
      uint64_t hash = 7, count = 0;
      for (simdjson::dom::element child : simdjson::dom::array(element)) {
        hash = mix(hash, of_element(child));
        ++count;
      }
      return mix(hash, count);
    }
    case element_type::OBJECT: {
      uint64_t sum = 8, count = 0;
      for (auto [key, value] : simdjson::dom::object(element)) {
        sum += mix(of_bytes(key), of_element(value));
        ++count;
      }
      return mix(sum, count);
    }
  }
  return 0;
}

extern "C" {

size_t simdjson_reader_padding(void) { return simdjson::SIMDJSON_PADDING; }

const char *simdjson_reader_implementation(void) {
  static const std::string name = simdjson::get_active_implementation()->name();
  return name.c_str();
}

simdjson_reader *simdjson_reader_new(void) { return new simdjson_reader(); }

void simdjson_reader_free(simdjson_reader *reader) { delete reader; }

bool simdjson_reader_parse(simdjson_reader *reader, const uint8_t *text, size_t count, bool padded) {
  return reader->parser.parse(text, count, !padded).get(reader->root) == simdjson::SUCCESS;
}

bool simdjson_reader_digest(simdjson_reader *reader, uint64_t *digest) {
  try {
    *digest = of_element(reader->root);
    return true;
  } catch (const simdjson::simdjson_error &) {
    return false;
  }
}
}
