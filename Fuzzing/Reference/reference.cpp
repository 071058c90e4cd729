#include "reference.h"

#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include <cstring>
#include <map>
#include <string>

// Where RapidJSON differs from RFC 8259, and the remedy here:
//
// 1. A zero byte is its end of the text. RFC 8259 has no place for one, in strings (§7) or elsewhere (§2), so a text
//    with one is refused here.
// 2. It refuses numbers beyond Double's range, even when it hands numbers out as they are written. The grammar (§6)
//    has no such limit: `Numbers` puts a 0 in such a number's place and reads again.
// 3. Release 1.1.0 takes the escape of a low surrogate that no high one stands before, and writes three bytes for it
//    that are no UTF-8. Since it has checked the text's own bytes, such bytes come from an escape only.
// 4. It sets no limit on nesting, which §9 leaves open: the depth is reported, and the caller compares.

namespace {

// The text, whose end is told by its length; Peek gives a zero there.
class Text {
 public:
  typedef char Ch;

  explicit Text(const std::string &bytes) : bytes_(bytes) {}

  Ch Peek() const { return at_ < bytes_.size() ? bytes_[at_] : '\0'; }
  Ch Take() { return at_ < bytes_.size() ? bytes_[at_++] : '\0'; }
  size_t Tell() const { return at_; }

  // Only for parsing in place, which is not done.
  Ch *PutBegin() { return nullptr; }
  void Put(Ch) {}
  void Flush() {}
  size_t PutEnd(Ch *) { return 0; }

 private:
  const std::string &bytes_;
  size_t at_ = 0;
};

// Lexemes by the place behind the 0 that stands for them.
typedef std::map<size_t, std::string> Numbers;

class Events {
 public:
  Events(const Text &text, const Numbers &numbers) : text_(text), numbers_(numbers) {}

  bool Null() { return add('n'); }
  bool Bool(bool value) { return add(value ? 't' : 'f'); }
  bool RawNumber(const char *lexeme, rapidjson::SizeType length, bool) {
    auto number = numbers_.find(text_.Tell());
    return number == numbers_.end() ? add('#', lexeme, length)
                                    : add('#', number->second.data(), number->second.size());
  }
  bool String(const char *bytes, rapidjson::SizeType length, bool) { return string('"', bytes, length); }
  bool Key(const char *bytes, rapidjson::SizeType length, bool) { return string('k', bytes, length); }
  bool StartObject() { return open('{'); }
  bool EndObject(rapidjson::SizeType count) { return close('}', count); }
  bool StartArray() { return open('['); }
  bool EndArray(rapidjson::SizeType count) { return close(']', count); }

  // Numbers come as RawNumber.
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(int64_t) { return false; }
  bool Uint64(uint64_t) { return false; }
  bool Double(double) { return false; }

  std::string bytes;
  size_t deepest = 0;
  bool hasLoneSurrogate = false;

 private:
  bool add(char kind) {
    bytes.push_back(kind);
    return true;
  }

  bool add(char kind, uint64_t number) {
    bytes.push_back(kind);
    bytes.append(reinterpret_cast<const char *>(&number), sizeof number);
    return true;
  }

  bool add(char kind, const char *content, size_t length) {
    add(kind, length);
    bytes.append(content, length);
    return true;
  }

  bool string(char kind, const char *content, size_t length) {
    for (size_t i = 0; i + 1 < length; ++i) {
      if (content[i] == '\xED' && static_cast<unsigned char>(content[i + 1]) >= 0xA0) hasLoneSurrogate = true;
    }
    return add(kind, content, length);
  }

  bool open(char kind) {
    ++depth_;
    if (depth_ > deepest) deepest = depth_;
    return add(kind);
  }

  bool close(char kind, size_t count) {
    --depth_;
    return add(kind, count);
  }

  const Text &text_;
  const Numbers &numbers_;
  size_t depth_ = 0;
};

// How many bytes from `start` are a number of RFC 8259 §6, as many as can be; 0 for none.
size_t number_length(const std::string &text, size_t start) {
  size_t at = start;
  auto digits = [&](size_t from) {
    while (from < text.size() && text[from] >= '0' && text[from] <= '9') ++from;
    return from;
  };
  if (at < text.size() && text[at] == '-') ++at;
  size_t end = at < text.size() && text[at] == '0' ? at + 1 : digits(at);
  if (end == at) return 0;
  if (end < text.size() && text[end] == '.' && digits(end + 1) > end + 1) end = digits(end + 1);
  if (end < text.size() && (text[end] | 0x20) == 'e') {
    size_t exponent = end + 1;
    if (exponent < text.size() && (text[exponent] == '+' || text[exponent] == '-')) ++exponent;
    if (digits(exponent) > exponent) end = digits(exponent);
  }
  return end - start;
}

}  // namespace

extern "C" reference_reading reference_read(const uint8_t *input, size_t count) {
  static thread_local std::string kept;
  std::string bytes(reinterpret_cast<const char *>(input), input ? count : 0);
  Numbers numbers;
  while (true) {
    Text text(bytes);
    Events events(text, numbers);
    rapidjson::Reader reader;
    const rapidjson::ParseResult result =
        reader.Parse<rapidjson::kParseValidateEncodingFlag | rapidjson::kParseNumbersAsStringsFlag |
                     rapidjson::kParseIterativeFlag>(text, events);
    if (result.Code() == rapidjson::kParseErrorNumberTooBig) {
      const size_t start = result.Offset();
      const size_t length = number_length(bytes, start);
      if (length > 1) {
        numbers[start + 1] = bytes.substr(start, length);
        bytes.replace(start, length, "0" + std::string(length - 1, ' '));
        continue;
      }
    }
    const bool has_zero = count > 0 && std::memchr(input, 0, count) != nullptr;
    kept = std::move(events.bytes);
    return {!result.IsError() && !has_zero && !events.hasLoneSurrogate, events.deepest,
            reinterpret_cast<const uint8_t *>(kept.data()), kept.size()};
  }
}
