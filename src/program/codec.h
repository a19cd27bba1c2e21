// The binary form of a program: little-endian, deterministic, versioned. docs/package_format.md
// describes where the bytes lie in a package.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "program/program.h"
#include "support/status.h"

namespace ingot::program {

// Raised with every change of the encoding or of what an encoded program means.
inline constexpr uint32_t kPlanVersion = 1;

// Everything but `locations`. Equal programs give equal bytes.
std::vector<std::byte> encode(const Program& program);

// Reads what `encode` wrote; the result has no locations. Of hostile bytes it only promises a
// program or a Status (kBadPackage, kPackageVersion) without large allocations: whether indices are
// in range and instructions make sense is `validate`'s to say.
Result<Program> decode(std::span<const std::byte> bytes);

// The locations, which a package keeps apart so that they can be stripped.
std::vector<std::byte> encode_locations(std::span<const Location> locations);
Result<std::vector<Location>> decode_locations(std::span<const std::byte> bytes);

}  // namespace ingot::program
