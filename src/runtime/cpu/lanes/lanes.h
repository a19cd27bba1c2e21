// What the files of this folder share. Each is compiled once per instruction set into a namespace
// of its own. To keep instructions of one set out of the others, they use nothing inline from
// outside that the linker could merge: no C++ library, only builtins and C functions.
#pragma once

#include <math.h>
#include <stdint.h>

#include "runtime/cpu/lane_table.h"

#ifndef INGOT_LANES
#error "INGOT_LANES must name the instruction set's namespace"
#endif

// Lanes are independent of each other: operands may be the destination, lane by lane.
#if defined(__clang__)
#define INGOT_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INGOT_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace ingot::runtime::cpu::INGOT_LANES {

// The parts of the table that each file fills in.
void fill_float_arithmetic(LaneTable& table);
void fill_float_functions(LaneTable& table);
void fill_integer_arithmetic(LaneTable& table);
void fill_casts(LaneTable& table);
void fill_folds(LaneTable& table);
void fill_moves(LaneTable& table);
void fill_index(LaneTable& table);

// What an element type looks like in lanes.
template <DType kType>
struct LaneTraits;
template <>
struct LaneTraits<DType::kBool> {
  using Type = uint8_t;
};
template <>
struct LaneTraits<DType::kU8> {
  using Type = uint8_t;
};
template <>
struct LaneTraits<DType::kI8> {
  using Type = int8_t;
};
template <>
struct LaneTraits<DType::kI16> {
  using Type = int16_t;
};
template <>
struct LaneTraits<DType::kI32> {
  using Type = int32_t;
};
template <>
struct LaneTraits<DType::kI64> {
  using Type = int64_t;
};
template <>
struct LaneTraits<DType::kF32> {
  using Type = float;
};
template <>
struct LaneTraits<DType::kF64> {
  using Type = double;
};
template <DType kType>
using Lane = typename LaneTraits<kType>::Type;

// Arithmetic that wraps, in the unsigned type of the same size.
template <typename T>
struct Wrapping;
template <>
struct Wrapping<uint8_t> {
  using Type = uint8_t;
};
template <>
struct Wrapping<int8_t> {
  using Type = uint8_t;
};
template <>
struct Wrapping<int16_t> {
  using Type = uint16_t;
};
template <>
struct Wrapping<int32_t> {
  using Type = uint32_t;
};
template <>
struct Wrapping<int64_t> {
  using Type = uint64_t;
};

// The loops for an operation: `Op::template apply<T>` is inlined into them.
template <typename Op, typename T, typename Out>
struct Loops {
  static void unary(void* dst, const void* a, const void*, const void*, int64_t n) {
    auto* out = static_cast<Out*>(dst);
    const auto* x = static_cast<const T*>(a);
    INGOT_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) out[i] = Op::apply(x[i]);
  }
  static void binary(void* dst, const void* a, const void* b, const void*, int64_t n) {
    auto* out = static_cast<Out*>(dst);
    const auto* x = static_cast<const T*>(a);
    const auto* y = static_cast<const T*>(b);
    INGOT_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) out[i] = Op::apply(x[i], y[i]);
  }
  static void binary_uniform_b(void* dst, const void* a, const void* b, const void*, int64_t n) {
    auto* out = static_cast<Out*>(dst);
    const auto* x = static_cast<const T*>(a);
    const T y = *static_cast<const T*>(b);
    INGOT_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) out[i] = Op::apply(x[i], y);
  }
  static void binary_uniform_a(void* dst, const void* a, const void* b, const void*, int64_t n) {
    auto* out = static_cast<Out*>(dst);
    const T x = *static_cast<const T*>(a);
    const auto* y = static_cast<const T*>(b);
    INGOT_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) out[i] = Op::apply(x, y[i]);
  }
  static void ternary(void* dst, const void* a, const void* b, const void* c, int64_t n) {
    auto* out = static_cast<Out*>(dst);
    const auto* x = static_cast<const T*>(a);
    const auto* y = static_cast<const T*>(b);
    const auto* z = static_cast<const T*>(c);
    INGOT_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) out[i] = Op::apply(x[i], y[i], z[i]);
  }
};

// Fills the table's row of one operation and type.
template <typename Op, DType kType>
void set_unary(LaneTable& table, program::ScalarOp op) {
  using T = Lane<kType>;
  table.compute[static_cast<int>(op)][static_cast<int>(kType)][kAllVary] =
      Loops<Op, T, decltype(Op::apply(T()))>::unary;
}
template <typename Op, DType kType>
void set_binary(LaneTable& table, program::ScalarOp op) {
  using T = Lane<kType>;
  table.compute[static_cast<int>(op)][static_cast<int>(kType)][kAllVary] =
      Loops<Op, T, decltype(Op::apply(T(), T()))>::binary;
}
template <typename Op, DType kType>
void set_binary_and_uniform(LaneTable& table, program::ScalarOp op) {
  using T = Lane<kType>;
  using Loop = Loops<Op, T, decltype(Op::apply(T(), T()))>;
  LaneFn* row = table.compute[static_cast<int>(op)][static_cast<int>(kType)];
  row[kAllVary] = Loop::binary;
  row[kUniformB] = Loop::binary_uniform_b;
  row[kUniformA] = Loop::binary_uniform_a;
}

}  // namespace ingot::runtime::cpu::INGOT_LANES
