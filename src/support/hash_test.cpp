#include "support/hash.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace ingot {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// Expected values: the shared libxxhash 0.8.1, called from elsewhere.
TEST(Hash, IsXxh3) {
  EXPECT_EQ(to_hex(xxh3({})), "2d06800538d394c2");
  EXPECT_EQ(to_hex(xxh3(bytes_of("ingot"))), "e3e98cbc0fe98ce9");
}

TEST(Hash, StreamGivesTheSameInAnyPieces) {
  std::vector<std::byte> data(100000);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(i * 7 + i / 251);
  for (const size_t piece : {size_t{1}, size_t{63}, size_t{1024}, data.size()}) {
    Xxh3Stream stream;
    for (size_t at = 0; at < data.size(); at += piece) {
      stream.update(std::span(data).subspan(at, std::min(piece, data.size() - at)));
    }
    EXPECT_EQ(stream.digest(), xxh3(data)) << piece;
  }
}

}  // namespace
}  // namespace ingot
