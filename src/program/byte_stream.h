// Little-endian bytes of the package format: ByteWriter appends, ByteReader reads without trusting.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ingot::program {

class ByteWriter {
 public:
  void u8(uint8_t value) { bytes_.push_back(static_cast<std::byte>(value)); }
  void u16(uint16_t value) { little_endian(value, 2); }
  void u32(uint32_t value) { little_endian(value, 4); }
  void u64(uint64_t value) { little_endian(value, 8); }
  void i64(int64_t value) { u64(static_cast<uint64_t>(value)); }
  void f64(double value) { u64(std::bit_cast<uint64_t>(value)); }
  void text(std::string_view value) {
    u32(static_cast<uint32_t>(value.size()));
    append(std::as_bytes(std::span(value.data(), value.size())));
  }
  void append(std::span<const std::byte> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }

  size_t size() const { return bytes_.size(); }
  const std::vector<std::byte>& bytes() const { return bytes_; }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  void little_endian(uint64_t value, int width) {
    for (int i = 0; i < width; ++i) u8(static_cast<uint8_t>(value >> (8 * i)));
  }

  std::vector<std::byte> bytes_;
};

// Reads give zero after the first failure, which `failed` reports; the position never leaves the
// bytes, and no allocation is larger than what is left of them.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  bool failed() const { return failed_; }
  void fail() { failed_ = true; }
  size_t position() const { return position_; }
  size_t remaining() const { return failed_ ? 0 : bytes_.size() - position_; }

  uint8_t u8() { return static_cast<uint8_t>(little_endian(1)); }
  uint16_t u16() { return static_cast<uint16_t>(little_endian(2)); }
  uint32_t u32() { return static_cast<uint32_t>(little_endian(4)); }
  uint64_t u64() { return little_endian(8); }
  int64_t i64() { return static_cast<int64_t>(u64()); }
  double f64() { return std::bit_cast<double>(u64()); }
  std::string text() {
    const std::span<const std::byte> bytes = take(u32());
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  // The next `count` bytes, or none and a failure when there are fewer.
  std::span<const std::byte> take(uint64_t count) {
    if (count > remaining()) {
      fail();
      return {};
    }
    position_ += count;
    return bytes_.subspan(position_ - count, count);
  }

 private:
  uint64_t little_endian(int width) {
    uint64_t value = 0;
    const std::span<const std::byte> bytes = take(static_cast<uint64_t>(width));
    for (size_t i = 0; i < bytes.size(); ++i)
      value |= std::to_integer<uint64_t>(bytes[i]) << (8 * i);
    return value;
  }

  std::span<const std::byte> bytes_;
  size_t position_ = 0;
  bool failed_ = false;
};

}  // namespace ingot::program
