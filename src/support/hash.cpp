#include "support/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ingot {

// Over-aligned, so that it lives behind a pointer and not in the object.
struct Xxh3Stream::State {
  XXH3_state_t xxh;
};

uint64_t xxh3(std::span<const std::byte> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

Xxh3Stream::Xxh3Stream() : state_(std::make_unique<State>()) { XXH3_64bits_reset(&state_->xxh); }
Xxh3Stream::~Xxh3Stream() = default;

void Xxh3Stream::update(std::span<const std::byte> bytes) {
  XXH3_64bits_update(&state_->xxh, bytes.data(), bytes.size());
}

uint64_t Xxh3Stream::digest() const { return XXH3_64bits_digest(&state_->xxh); }

std::string to_hex(uint64_t hash) {
  std::string text(16, '0');
  for (size_t i = text.size(); i-- > 0; hash >>= 4) text[i] = "0123456789abcdef"[hash & 15];
  return text;
}

}  // namespace ingot
