#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>

// The digest of Digest.swift: the two must agree in every constant.

inline uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15;
  return hash ^ hash >> 32;
}

inline uint64_t of_bytes(std::string_view bytes) {
  uint64_t hash = bytes.size();
  for (unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001B3;
  return hash;
}

inline uint64_t of_double(double value) {
  if (value == std::trunc(value) && std::fabs(value) <= 9007199254740992.0) {
    return mix(4, static_cast<uint64_t>(static_cast<int64_t>(value)));
  }
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return mix(5, bits);
}

inline uint64_t of_string(std::string_view bytes) { return mix(6, of_bytes(bytes)); }
