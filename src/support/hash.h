// Content hashes: XXH3, 64 bits. The values are part of the package format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace ingot {

uint64_t xxh3(std::span<const std::byte> bytes);

// The same hash over bytes that arrive in pieces.
class Xxh3Stream {
 public:
  Xxh3Stream();
  ~Xxh3Stream();
  Xxh3Stream(const Xxh3Stream&) = delete;
  Xxh3Stream& operator=(const Xxh3Stream&) = delete;

  void update(std::span<const std::byte> bytes);
  uint64_t digest() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// 16 lower-case hexadecimal digits.
std::string to_hex(uint64_t hash);

}  // namespace ingot
