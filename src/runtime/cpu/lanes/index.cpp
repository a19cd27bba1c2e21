// Index arithmetic on i64 lanes.
#include "runtime/cpu/lanes/integer_ops.h"
#include "symbolic/expr.h"

namespace ingot::runtime::cpu::INGOT_LANES {
namespace {

using sym::ExprKind;

// In unsigned arithmetic: hostile strides wrap.
void affine(int64_t* dst, int64_t base, int64_t row_stride, int64_t col_stride, int64_t rows,
            int64_t cols) {
  const auto step = static_cast<uint64_t>(col_stride);
  for (int64_t r = 0; r < rows; ++r) {
    const auto start = static_cast<uint64_t>(Add::apply(base, Mul::apply(r, row_stride)));
    int64_t* out = dst + r * cols;
    INGOT_INDEPENDENT
    for (int64_t c = 0; c < cols; ++c) {
      out[c] = static_cast<int64_t>(start + static_cast<uint64_t>(c) * step);
    }
  }
}

void add_scaled(int64_t* dst, const int64_t* src, int64_t scale, int64_t n) {
  INGOT_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) dst[i] = Add::apply(dst[i], Mul::apply(src[i], scale));
}

// Numbers below this are exact in f64 together with their quotients' remainders.
constexpr int64_t kExactInF64 = int64_t{1} << 51;

bool all_exact(const int64_t* a, int64_t n) {
  uint64_t large = 0;
  for (int64_t i = 0; i < n; ++i) {
    large |= (static_cast<uint64_t>(a[i]) + kExactInF64) & ~(2 * uint64_t{kExactInF64} - 1);
  }
  return large == 0;
}

// floor(a / divisor) by way of f64: off by at most one, which the remainder shows.
int64_t quick_floor_div(int64_t a, int64_t divisor, double inverse) {
  const auto guess = static_cast<int64_t>(static_cast<double>(a) * inverse);
  const int64_t rest = a - guess * divisor;
  return guess - (rest < 0 ? 1 : 0) + (rest >= divisor ? 1 : 0);
}

void floor_div(int64_t* dst, const int64_t* a, int64_t divisor, int64_t n) {
  if (!all_exact(a, n)) {
    for (int64_t i = 0; i < n; ++i) dst[i] = DivFloor::apply(a[i], divisor);
    return;
  }
  const double inverse = 1.0 / static_cast<double>(divisor);
  INGOT_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) dst[i] = quick_floor_div(a[i], divisor, inverse);
}

void mod(int64_t* dst, const int64_t* a, int64_t divisor, int64_t n) {
  if (!all_exact(a, n)) {
    for (int64_t i = 0; i < n; ++i) dst[i] = Remainder::apply(a[i], divisor);
    return;
  }
  const double inverse = 1.0 / static_cast<double>(divisor);
  INGOT_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) {
    dst[i] = a[i] - quick_floor_div(a[i], divisor, inverse) * divisor;
  }
}

struct Condition {
  struct Lt {
    static int64_t apply(int64_t x, int64_t y) { return x < y; }
  };
  struct Le {
    static int64_t apply(int64_t x, int64_t y) { return x <= y; }
  };
  struct Eq {
    static int64_t apply(int64_t x, int64_t y) { return x == y; }
  };
  struct Ne {
    static int64_t apply(int64_t x, int64_t y) { return x != y; }
  };
  struct And {
    static int64_t apply(int64_t x, int64_t y) { return (x != 0) & (y != 0); }
  };
  struct Or {
    static int64_t apply(int64_t x, int64_t y) { return (x != 0) | (y != 0); }
  };
  struct Not {
    static int64_t apply(int64_t x) { return x == 0; }
  };
  struct Select {
    static int64_t apply(int64_t x, int64_t y, int64_t z) { return x != 0 ? y : z; }
  };
};

template <typename Op>
constexpr LaneFn kBinary = Loops<Op, int64_t, int64_t>::binary;

bool range(const int64_t* values, const uint8_t* mask, int64_t n, int64_t* low, int64_t* high) {
  int64_t least = INT64_MAX;
  int64_t most = INT64_MIN;
  bool any = mask == nullptr;
  for (int64_t i = 0; i < n; ++i) {
    if (mask != nullptr && mask[i] == 0) continue;
    any = true;
    least = values[i] < least ? values[i] : least;
    most = values[i] > most ? values[i] : most;
  }
  *low = least;
  *high = most;
  return any;
}

int64_t check(int64_t* dst, const int64_t* index, const int64_t* extent, bool uniform_extent,
              const uint8_t* mask, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    if (mask != nullptr && mask[i] == 0) {
      dst[i] = 0;
      continue;
    }
    const int64_t limit = uniform_extent ? *extent : extent[i];
    const int64_t wrapped = index[i] < 0 ? Add::apply(index[i], limit) : index[i];
    if (wrapped < 0 || wrapped >= limit) return i;
    dst[i] = wrapped;
  }
  return -1;
}

}  // namespace

void fill_index(LaneTable& table) {
  IndexFns& index = table.index;
  index.affine = affine;
  index.add_scaled = add_scaled;
  index.floor_div = floor_div;
  index.mod = mod;
  index.range = range;
  index.check = check;
  const auto set = [&](ExprKind kind, LaneFn fn) { index.op[static_cast<int>(kind)] = fn; };
  set(ExprKind::kMul, kBinary<Mul>);
  set(ExprKind::kFloorDiv, kBinary<DivFloor>);
  set(ExprKind::kMod, kBinary<Remainder>);
  set(ExprKind::kMin, kBinary<Min>);
  set(ExprKind::kMax, kBinary<Max>);
  set(ExprKind::kLt, kBinary<Condition::Lt>);
  set(ExprKind::kLe, kBinary<Condition::Le>);
  set(ExprKind::kEq, kBinary<Condition::Eq>);
  set(ExprKind::kNe, kBinary<Condition::Ne>);
  set(ExprKind::kAnd, kBinary<Condition::And>);
  set(ExprKind::kOr, kBinary<Condition::Or>);
  set(ExprKind::kNot, Loops<Condition::Not, int64_t, int64_t>::unary);
  set(ExprKind::kSelect, Loops<Condition::Select, int64_t, int64_t>::ternary);
}

}  // namespace ingot::runtime::cpu::INGOT_LANES
