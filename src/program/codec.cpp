#include "program/codec.h"

#include <fmt/core.h>

#include "program/byte_stream.h"
#include "program/expr_table.h"
#include "program/fields.h"
#include "support/diagnostics.h"
#include "support/hash.h"

namespace ingot::program {
namespace {

constexpr uint32_t kMagic = 0x47504749;  // "IGPG"

class Encoder {
 public:
  template <typename T>
  using Ref = const T&;

  void u8(uint8_t value) { out_.u8(value); }
  void u32(uint32_t value) { out_.u32(value); }
  void u64(uint64_t value) { out_.u64(value); }
  void i64(int64_t value) { out_.i64(value); }
  void f64(double value) { out_.f64(value); }
  void flag(bool value) { out_.u8(value ? 1 : 0); }
  void text(const std::string& value) { out_.text(value); }
  void expr(const sym::Expr& value) { out_.u32(exprs_.id_of(value)); }
  template <typename Enum>
  void choice(Enum value, int) {
    out_.u8(static_cast<uint8_t>(value));
  }
  template <typename Items, typename Each>
  void list(const Items& items, Each each) {
    out_.u32(static_cast<uint32_t>(items.size()));
    for (const auto& item : items) each(item);
  }

  // The expression table, then the fields that refer to it.
  void write(ByteWriter& out) const {
    exprs_.write(out);
    out.append(out_.bytes());
  }

 private:
  ByteWriter out_;
  ExprTableWriter exprs_;
};

class Decoder {
 public:
  template <typename T>
  using Ref = T&;

  Decoder(ByteReader& in, std::vector<sym::Expr> exprs) : in_(in), exprs_(std::move(exprs)) {}

  void u8(uint8_t& value) { value = in_.u8(); }
  void u32(uint32_t& value) { value = in_.u32(); }
  void u64(uint64_t& value) { value = in_.u64(); }
  void i64(int64_t& value) { value = in_.i64(); }
  void f64(double& value) { value = in_.f64(); }
  void flag(bool& value) {
    const uint8_t byte = in_.u8();
    if (byte > 1) in_.fail();
    value = byte == 1;
  }
  void text(std::string& value) { value = in_.text(); }
  void expr(sym::Expr& value) {
    const uint32_t id = in_.u32();
    if (id < exprs_.size()) {
      value = exprs_[id];
    } else {
      in_.fail();
    }
  }
  template <typename Enum>
  void choice(Enum& value, int count) {
    const uint8_t byte = in_.u8();
    if (byte >= count) in_.fail();
    if (!in_.failed()) value = static_cast<Enum>(byte);
  }
  template <typename T, typename Each>
  void list(std::vector<T>& items, Each each) {
    const uint32_t count = in_.u32();
    // Every item has a byte at least; growing as they are read keeps memory in proportion.
    if (count > in_.remaining()) in_.fail();
    for (uint32_t i = 0; i < count && !in_.failed(); ++i) each(items.emplace_back());
  }

 private:
  ByteReader& in_;
  std::vector<sym::Expr> exprs_;
};

Status damaged(std::string_view what) {
  return make_status(Diag::kBadPackage, fmt::format("the package's {} is damaged", what));
}

// The encoding that a kernel's identity is computed from.
std::vector<std::byte> encode_kernel(const Kernel& kernel) {
  Encoder encoder;
  kernel_fields(encoder, kernel);
  ByteWriter out;
  encoder.write(out);
  return out.take();
}

}  // namespace

std::vector<std::byte> encode(const Program& program) {
  Encoder encoder;
  program_fields(encoder, program);
  ByteWriter out;
  out.u32(kMagic);
  out.u32(kPlanVersion);
  encoder.write(out);
  return out.take();
}

Result<Program> decode(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  if (in.u32() != kMagic || in.failed()) return damaged("program");
  const uint32_t version = in.u32();
  if (in.failed()) return damaged("program");
  if (version != kPlanVersion) {
    return make_status(Diag::kPackageVersion,
                       fmt::format("the package has plan version {}, this build reads version {}",
                                   version, kPlanVersion));
  }
  INGOT_ASSIGN_OR_RETURN(std::vector<sym::Expr> exprs, read_expr_table(in));
  Decoder decoder(in, std::move(exprs));
  Program program;
  program_fields(decoder, program);
  if (in.failed() || in.remaining() != 0) return damaged("program");
  return program;
}

std::vector<std::byte> encode_locations(std::span<const Location> locations) {
  Encoder encoder;
  encoder.list(locations, [&](const Location& location) { location_fields(encoder, location); });
  ByteWriter out;
  encoder.write(out);
  return out.take();
}

Result<std::vector<Location>> decode_locations(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  INGOT_ASSIGN_OR_RETURN(std::vector<sym::Expr> exprs, read_expr_table(in));
  Decoder decoder(in, std::move(exprs));
  std::vector<Location> locations;
  decoder.list(locations, [&](Location& location) { location_fields(decoder, location); });
  if (in.failed() || in.remaining() != 0) return damaged("debug information");
  return locations;
}

bool same_kernel(const Kernel& a, const Kernel& b) { return encode_kernel(a) == encode_kernel(b); }

uint64_t kernel_hash(const Kernel& kernel) { return xxh3(encode_kernel(kernel)); }

std::string kernel_symbol(const Kernel& kernel) {
  return kernel.name + "_" + to_hex(kernel_hash(kernel));
}

}  // namespace ingot::program
