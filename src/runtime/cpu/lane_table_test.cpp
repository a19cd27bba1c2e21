// Every lane loop of every instruction set against the scalar definitions.
#include "runtime/cpu/lane_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "runtime/scalar/element.h"

namespace ingot::runtime::cpu {
namespace {

using program::ReduceOp;
using program::ScalarOp;
using scalar::Element;

constexpr int64_t kLanes = 203;  // whole vectors and a rest

std::vector<Isa> isas() {
  std::vector<Isa> found;
  for (const Isa isa : {Isa::kBaseline, Isa::kAvx2, Isa::kAvx512}) {
    if (is_supported(isa)) found.push_back(isa);
  }
  return found;
}

// Lanes of one type, with the values that are special to it among them.
class Lanes {
 public:
  Lanes(DType dtype, uint64_t seed, double magnitude = 8) : dtype_(dtype), bytes_(kLanes * 8) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> real(-magnitude, magnitude);
    const double infinity = std::numeric_limits<double>::infinity();
    const double special[] = {0.0,      -0.0,      1.0,    -1.0, 0.5,   -0.5,     1.5,   2.5,
                              infinity, -infinity, NAN,    1e-3, -1e-3, 1e-40,    100.0, -100.0,
                              1e30,     3e38,      1e-310, 4e9,  -4e9,  0.9999999};
    for (int64_t i = 0; i < kLanes; ++i) {
      const auto k = static_cast<size_t>(random() % (2 * std::size(special)));
      Element e;
      if (is_float(dtype)) {
        e = scalar::from_double(k < std::size(special) ? special[k] : real(random), dtype);
      } else {
        // Small numbers meet each other; large ones overflow.
        const auto bits = static_cast<int64_t>(random());
        e = scalar::from_integer(k % 3 == 0 ? bits : bits % 9, dtype);
      }
      scalar::store_element(bytes_.data(), i, dtype, e);
    }
  }
  explicit Lanes(DType dtype) : dtype_(dtype), bytes_(kLanes * 8) {}

  void* data() { return bytes_.data(); }
  Element at(int64_t i) const { return scalar::load_element(bytes_.data(), i, dtype_); }
  void fill_with_first() {
    for (int64_t i = 1; i < kLanes; ++i) scalar::store_element(data(), i, dtype_, at(0));
  }
  DType dtype() const { return dtype_; }
  bool same_bytes(const Lanes& other) const { return bytes_ == other.bytes_; }

 private:
  DType dtype_;
  std::vector<unsigned char> bytes_;
};

// The distance in units of the last place of f32 or f64.
double ulps(double actual, double expected, DType dtype) {
  if (actual == expected || (std::isnan(actual) && std::isnan(expected))) return 0;
  if (!std::isfinite(actual) || !std::isfinite(expected)) return INFINITY;
  const int digits = dtype == DType::kF32 ? 24 : 53;
  const int lowest = dtype == DType::kF32 ? -149 : -1074;
  const int exponent = std::max(std::ilogb(expected) - digits + 1, lowest);
  return std::fabs(actual - expected) / std::ldexp(1.0, expected == 0 ? lowest : exponent);
}

// How far a loop may be from the rounded exact result.
double allowed_ulps(ScalarOp op, DType dtype) {
  switch (op) {
    case ScalarOp::kExp:
    case ScalarOp::kTanh:
    case ScalarOp::kErf:
    case ScalarOp::kLog:
      return 2.5;
    case ScalarOp::kRsqrt:
      return 1;
    case ScalarOp::kSinh:
    case ScalarOp::kCosh:
    case ScalarOp::kTan:
    case ScalarOp::kErfc:
    case ScalarOp::kAtan2:
    case ScalarOp::kAsinh:
    case ScalarOp::kAcosh:
    case ScalarOp::kAtanh:
    case ScalarOp::kLog1p:
    case ScalarOp::kExpm1:
      return dtype == DType::kF32 ? 4 : 0;
    default:
      return dtype == DType::kF32 && program::accepts(op, dtype) ? 2 : 0;
  }
}

bool is_exact(ScalarOp op) {
  switch (op) {
    case ScalarOp::kNeg:
    case ScalarOp::kAbs:
    case ScalarOp::kSign:
    case ScalarOp::kFloor:
    case ScalarOp::kCeil:
    case ScalarOp::kRound:
    case ScalarOp::kTrunc:
    case ScalarOp::kSqrt:
    case ScalarOp::kReciprocal:
    case ScalarOp::kAdd:
    case ScalarOp::kSub:
    case ScalarOp::kMul:
    case ScalarOp::kDiv:
    case ScalarOp::kDivFloor:
    case ScalarOp::kDivTrunc:
    case ScalarOp::kRemainder:
    case ScalarOp::kFmod:
    case ScalarOp::kCopysign:
    case ScalarOp::kNextafter:
    case ScalarOp::kMin:
    case ScalarOp::kMax:
    case ScalarOp::kFmin:
    case ScalarOp::kFmax:
    case ScalarOp::kFma:
      return true;
    default:
      return program::is_predicate(op);
  }
}

void compare(const Lanes& actual, const Lanes& expected, double limit, const std::string& what) {
  for (int64_t i = 0; i < kLanes; ++i) {
    const Element a = actual.at(i);
    const Element e = expected.at(i);
    if (is_float(expected.dtype())) {
      ASSERT_LE(ulps(a.real, e.real, expected.dtype()), limit)
          << what << " lane " << i << ": " << a.real << " instead of " << e.real;
    } else {
      ASSERT_EQ(a.integer, e.integer) << what << " lane " << i;
    }
  }
}

LaneFn loop_of(const LaneTable& table, ScalarOp op, DType dtype, int uniform) {
  if (op == ScalarOp::kSelect) return table.move[log2_bytes(dtype)].select[uniform];
  return table.compute[static_cast<int>(op)][static_cast<int>(dtype)][uniform];
}

void check_operation(ScalarOp op, DType dtype, int uniform) {
  const DType first = op == ScalarOp::kSelect ? DType::kBool : dtype;
  Lanes a(first, 1 + static_cast<uint64_t>(op));
  Lanes b(dtype, 1000 + static_cast<uint64_t>(op));
  Lanes c(dtype, 2000 + static_cast<uint64_t>(op));
  if (uniform & kUniformA) a.fill_with_first();
  if (uniform & kUniformB) b.fill_with_first();
  if (uniform & kUniformC) c.fill_with_first();
  const DType result = program::is_predicate(op) ? DType::kBool : dtype;
  Lanes expected(result);
  for (int64_t i = 0; i < kLanes; ++i) {
    scalar::store_element(expected.data(), i, result,
                          scalar::apply(op, dtype, a.at(i), b.at(i), c.at(i)));
  }
  std::vector<Lanes> results;
  for (const Isa isa : isas()) {
    const LaneFn loop = loop_of(lane_table(isa), op, dtype, uniform);
    const std::string what = std::string(program::to_string(op)) + " " +
                             std::string(to_string(dtype)) + " on " + std::string(to_string(isa));
    if (loop == nullptr) {
      EXPECT_NE(uniform, 0) << what << " is missing";
      continue;
    }
    Lanes actual(result);
    loop(actual.data(), a.data(), b.data(), c.data(), kLanes);
    compare(actual, expected, is_exact(op) ? 0 : allowed_ulps(op, dtype), what);
    results.push_back(actual);
    // In place.
    if (size_of(result) == size_of(dtype) && op != ScalarOp::kSelect && uniform == 0) {
      Lanes same = a;
      loop(same.data(), same.data(), b.data(), c.data(), kLanes);
      EXPECT_EQ(std::memcmp(same.data(), actual.data(), kLanes), 0) << what << " in place";
    }
  }
  for (const Lanes& other : results) {
    EXPECT_TRUE(other.same_bytes(results[0]))
        << program::to_string(op) << " " << to_string(dtype) << ": instruction sets differ";
  }
}

TEST(LaneTable, ComputesWhatTheScalarDefinitionsSay) {
  for (int op = 0; op < program::kScalarOpCount; ++op) {
    for (int type = 0; type < kLaneTypes; ++type) {
      const auto scalar_op = static_cast<ScalarOp>(op);
      const auto dtype = static_cast<DType>(type);
      if (!program::accepts(scalar_op, dtype)) continue;
      for (int uniform = 0; uniform < 8; ++uniform) {
        if (loop_of(lane_table(Isa::kBaseline), scalar_op, dtype, uniform) == nullptr &&
            uniform != 0) {
          continue;
        }
        check_operation(scalar_op, dtype, uniform);
      }
      if (HasFatalFailure()) return;
    }
  }
}

// Every exponent and both signs, many mantissas.
TEST(LaneTable, HotFunctionsAreAccurateEverywhere) {
  for (const ScalarOp op : {ScalarOp::kExp, ScalarOp::kTanh, ScalarOp::kErf, ScalarOp::kLog}) {
    double worst = 0;
    float worst_at = 0;
    constexpr int64_t kBlock = 4096;
    std::vector<float> in(kBlock);
    std::vector<float> out(kBlock);
    const LaneFn loop = loop_of(lane_table(default_isa()), op, DType::kF32, 0);
    for (uint64_t start = 0; start < uint64_t{1} << 32; start += kBlock * 1021) {
      for (int64_t i = 0; i < kBlock; ++i) {
        in[static_cast<size_t>(i)] =
            std::bit_cast<float>(static_cast<uint32_t>(start + static_cast<uint64_t>(i) * 1021));
      }
      loop(out.data(), in.data(), nullptr, nullptr, kBlock);
      for (size_t i = 0; i < in.size(); ++i) {
        const Element x{in[i], 0};
        const double exact = scalar::apply(op, DType::kF32, x, {}, {}).real;
        const double error = ulps(out[i], exact, DType::kF32);
        if (error > worst) {
          worst = error;
          worst_at = in[i];
        }
      }
    }
    RecordProperty(std::string(program::to_string(op)), std::to_string(worst));
    EXPECT_LE(worst, 2.5) << program::to_string(op) << " at " << worst_at;
  }
}

TEST(LaneTable, PowersByUsualExponentsAreProducts) {
  for (const Isa isa : isas()) {
    const LaneFn loop = loop_of(lane_table(isa), ScalarOp::kPow, DType::kF32, kUniformB);
    ASSERT_NE(loop, nullptr);
    const float in[] = {0.0f, -0.0f, 3.0f, -2.5f, 1e15f, INFINITY, 0.1f};
    for (const float exponent : {2.0f, 3.0f, 0.5f, -0.5f, -1.0f, -2.0f, 1.7f, 0.0f}) {
      float out[std::size(in)];
      loop(out, in, &exponent, nullptr, std::size(in));
      for (size_t i = 0; i < std::size(in); ++i) {
        const double exact = std::pow(static_cast<double>(in[i]), static_cast<double>(exponent));
        const bool root_of_negative_zero = in[i] == 0 && std::signbit(in[i]);
        if (root_of_negative_zero) continue;
        EXPECT_LE(ulps(out[i], static_cast<float>(exact), DType::kF32), 2)
            << in[i] << " to the " << exponent;
      }
    }
  }
}

TEST(LaneTable, ConvertsBetweenAllTypes) {
  for (int from = 0; from < kLaneTypes; ++from) {
    for (int to = 0; to < kLaneTypes; ++to) {
      if (from == to) continue;
      const auto source = static_cast<DType>(from);
      const auto target = static_cast<DType>(to);
      Lanes in(source, 77 + static_cast<uint64_t>(from), 300);
      Lanes expected(target);
      for (int64_t i = 0; i < kLanes; ++i) {
        scalar::store_element(expected.data(), i, target, scalar::cast(in.at(i), source, target));
      }
      for (const Isa isa : isas()) {
        const LaneFn cast = lane_table(isa).cast[from][to];
        ASSERT_NE(cast, nullptr) << to_string(source) << " to " << to_string(target);
        Lanes actual(target);
        cast(actual.data(), in.data(), nullptr, nullptr, kLanes);
        compare(actual, expected, 0,
                std::string(to_string(source)) + " to " + std::string(to_string(target)) + " on " +
                    std::string(to_string(isa)));
      }
    }
  }
}

void check_fold(ReduceOp op, DType dtype, int64_t rows, int64_t cols) {
  const bool arg = op == ReduceOp::kArgMin || op == ReduceOp::kArgMax;
  const DType result_dtype = arg ? DType::kI64 : dtype;
  Lanes values(dtype, static_cast<uint64_t>(rows * 1000 + cols));
  std::vector<Element> expected;
  for (int64_t r = 0; r < rows; ++r) {
    scalar::Fold fold(op, dtype);
    for (int64_t c = 0; c < cols; ++c) fold.add(values.at(r * cols + c));
    expected.push_back(fold.result());
  }
  for (const Isa isa : isas()) {
    const FoldFns& fns = lane_table(isa).fold[static_cast<int>(op)][static_cast<int>(dtype)];
    ASSERT_NE(fns.rows, nullptr);
    std::vector<int64_t> acc(kLanes);
    std::vector<int64_t> positions(kLanes);
    Lanes result(result_dtype);
    fns.init(acc.data(), positions.data(), rows);
    fns.rows({.acc = acc.data(),
              .positions = positions.data(),
              .values = values.data(),
              .rows = rows,
              .cols = cols,
              .position = 0});
    fns.finish(result.data(), acc.data(), positions.data(), rows);
    for (int64_t r = 0; r < rows; ++r) {
      const Element a = result.at(r);
      const Element e = expected[static_cast<size_t>(r)];
      if (!is_float(result_dtype)) {
        ASSERT_EQ(a.integer, e.integer) << program::to_string(op) << " " << to_string(dtype);
        continue;
      }
      const bool same = a.real == e.real || (a.real != a.real && e.real != e.real);
      // Partial sums of f32 round, and overflow, on their own.
      const bool close = std::fabs(a.real - e.real) <= 1e-5 * std::fabs(e.real) + 1e-3 ||
                         std::fabs(e.real) > 1e30 || !std::isfinite(a.real);
      ASSERT_TRUE(same || (dtype == DType::kF32 && close) || (dtype == DType::kF64 && close))
          << program::to_string(op) << " " << to_string(dtype) << ": " << a.real << " instead of "
          << e.real;
    }
  }
}

TEST(LaneTable, FoldsRows) {
  for (int type = 0; type < kLaneTypes; ++type) {
    const auto dtype = static_cast<DType>(type);
    if (is_half(dtype)) continue;
    for (int op = 0; op < program::kReduceOpCount; ++op) {
      const auto reduce = static_cast<ReduceOp>(op);
      const bool logical = reduce == ReduceOp::kAny || reduce == ReduceOp::kAll;
      const bool arithmetic = reduce == ReduceOp::kSum || reduce == ReduceOp::kProd;
      if (logical && dtype != DType::kBool) continue;
      if (arithmetic && dtype == DType::kBool) continue;
      check_fold(reduce, dtype, 1, kLanes);
      check_fold(reduce, dtype, 1, 64);
      check_fold(reduce, dtype, 3, 63);
      check_fold(reduce, dtype, 20, 10);
      check_fold(reduce, dtype, kLanes, 1);
    }
  }
}

TEST(LaneTable, DividesIndicesExactly) {
  std::mt19937_64 random(5);
  for (const Isa isa : isas()) {
    const IndexFns& index = lane_table(isa).index;
    for (const int64_t divisor : {int64_t{1}, int64_t{3}, int64_t{7}, int64_t{64}, int64_t{49999},
                                  int64_t{1} << 40, INT64_MAX}) {
      for (const int shift : {60, 40, 20, 13, 0}) {
        std::vector<int64_t> in(kLanes);
        for (int64_t& value : in) value = static_cast<int64_t>(random()) >> shift;
        in[0] = divisor;
        in[1] = -divisor;
        in[2] = divisor - 1;
        in[3] = 0;
        in[4] = -1;
        std::vector<int64_t> quotient(kLanes);
        std::vector<int64_t> rest(kLanes);
        index.floor_div(quotient.data(), in.data(), divisor, kLanes);
        index.mod(rest.data(), in.data(), divisor, kLanes);
        for (size_t i = 0; i < in.size(); ++i) {
          ASSERT_EQ(static_cast<__int128>(quotient[i]) * divisor + rest[i], in[i])
              << in[i] << " by " << divisor;
          ASSERT_GE(rest[i], 0);
          ASSERT_LT(rest[i], divisor);
        }
      }
    }
  }
}

TEST(LaneTable, IsaNames) {
  EXPECT_TRUE(is_supported(Isa::kBaseline));
  ASSERT_EQ(setenv("INGOT_CPU_ISA", "baseline", 1), 0);
  EXPECT_EQ(default_isa(), Isa::kBaseline);
  ASSERT_EQ(setenv("INGOT_CPU_ISA", "no such thing", 1), 0);
  const Isa best = default_isa();
  ASSERT_EQ(unsetenv("INGOT_CPU_ISA"), 0);
  EXPECT_EQ(default_isa(), best);
}

}  // namespace
}  // namespace ingot::runtime::cpu
