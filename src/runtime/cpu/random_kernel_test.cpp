// Random loop kernels: the strip machine against the scalar executor.
#include <random>

#include "program/expr_facts.h"
#include "program/print.h"
#include "program/validate_kernel.h"
#include "runtime/cpu/kernel_sketch.h"

namespace ingot::runtime::cpu {
namespace {

// Floats are small whole numbers, so that sums are exact in any order and results are compared bit
// by bit with those of f64.
class RandomKernel {
 public:
  explicit RandomKernel(uint64_t seed) : random_(seed) {
    make_axes();
    make_inputs();
    const int stages = 1 + pick(4);
    for (int s = 0; s < stages; ++s) make_stage();
    store_something();
    // Every row value reaches memory.
    inner_ = false;
    sketch_.row_stage();
    forget_inner_values();
    store_something();
  }

  program::Kernel& kernel() { return sketch_.kernel(); }
  const std::vector<TestBuffer>& buffers() const { return buffers_; }
  const std::vector<int64_t>& scalars() const { return scalars_; }

 private:
  struct Known {
    InstId id;
    DType dtype;
    bool inner;
  };

  int pick(int n) { return static_cast<int>(random_() % static_cast<uint64_t>(n)); }
  bool chance(int percent) { return pick(100) < percent; }

  void make_axes() {
    static constexpr int64_t kExtents[] = {1, 2, 3, 5, 8, 9, 16, 30, 64, 100, 128, 300, 520, 1100};
    const int parallel = pick(4);
    const int inner = pick(3);
    int64_t points = 1;
    for (int k = 0; k < parallel + inner; ++k) {
      int64_t extent = kExtents[pick(std::size(kExtents))];
      while (points * extent > 12000) extent = (extent + 1) / 2;
      if (chance(1)) extent = 0;
      points *= std::max<int64_t>(extent, 1);
      sym::Expr size = extent;
      if (chance(40)) {
        size = scalar_symbol(scalars_.size());
        scalars_.push_back(extent);
      }
      extents_.push_back(extent);
      k < parallel ? sketch_.parallel(size) : sketch_.inner(size);
    }
    parallel_ = static_cast<size_t>(parallel);
    has_inner_ = inner > 0;
    sketch_.scalars(static_cast<uint32_t>(scalars_.size()));
  }

  // Buffers 0 to 5 are read; they are large enough for all indices that are made.
  void make_inputs() {
    static constexpr DType kTypes[] = {DType::kF32, DType::kF32, DType::kI64,
                                       DType::kF16, DType::kI32, DType::kBool};
    for (const DType dtype : kTypes) {
      sketch_.buffer(dtype, Access::kRead);
      TestBuffer buffer(dtype, kInputElements);
      for (int64_t i = 0; i < kInputElements; ++i) buffer.set(i, pick(7) - 3);
      buffers_.push_back(std::move(buffer));
    }
  }

  size_t usable_axes() const { return inner_ ? extents_.size() : parallel_; }

  // An index over the axes in scope that stays within kInputElements.
  sym::Expr random_index() {
    std::vector<size_t> order;
    for (size_t k = 0; k < usable_axes(); ++k) {
      if (chance(75)) order.push_back(k);
    }
    if (chance(25)) std::shuffle(order.begin(), order.end(), random_);
    sym::Expr index = pick(3);
    int64_t stride = 1;
    for (size_t i = order.size(); i-- > 0;) {
      const sym::Expr a = axis(order[i]);
      const int64_t extent = std::max<int64_t>(extents_[order[i]], 1);
      const int kind = pick(12);
      if (kind == 0) {
        index += sym::floor_div(a + 1, 4) * stride;
      } else if (kind == 1 && extent % 8 == 0) {
        // A transposition of two parts of one axis.
        index += (sym::mod(a, extent / 8) * 8 + sym::floor_div(a, extent / 8)) * stride;
      } else if (kind == 2) {
        index += sym::mod(a * 5 + 2, extent) * stride;
      } else if (kind == 3) {
        index += sym::min(a, extent / 2) * stride;
      } else if (kind == 4) {
        index += (sym::Expr(extent - 1) - a) * stride;
      } else {
        index += a * stride;
      }
      stride *= extent;
      if (chance(10)) stride += 1;
    }
    return index;
  }

  InstId any_of(DType dtype) {
    std::vector<InstId> found;
    for (const Known& known : known_) {
      if (known.dtype == dtype && (inner_ || !known.inner)) found.push_back(known.id);
    }
    // Recent values more often, so that chains grow.
    if (!found.empty() && !chance(15)) {
      const int back = std::min(pick(4), static_cast<int>(found.size()) - 1);
      return found[found.size() - 1 - static_cast<size_t>(back)];
    }
    return dtype == DType::kBool ? condition() : make_value(dtype);
  }

  InstId remember(InstId id) {
    known_.push_back({id, sketch_.dtype_of(id), inner_});
    return id;
  }

  InstId condition() {
    if (usable_axes() > 0 && chance(60)) {
      const size_t k = static_cast<size_t>(pick(static_cast<int>(usable_axes())));
      const sym::Expr bound = extents_[k] / 2;
      const sym::Expr test =
          chance(50) ? sym::lt(axis(k), bound)
                     : sym::logical_and(sym::le(bound - 3, axis(k)), sym::ne(axis(k), bound + 1));
      const InstId index = sketch_.index(test);
      return remember(sketch_.compute(ScalarOp::kNe, index, sketch_.constant(DType::kI64, 0)));
    }
    return remember(sketch_.load(5, random_index()));
  }

  // A value made of nothing but memory, constants and indices.
  InstId make_value(DType dtype) {
    const int kind = pick(10);
    if (kind == 0) return remember(sketch_.constant(dtype, pick(5) - 2));
    if (kind == 1 && dtype == DType::kI64) {
      return remember(clamp(sketch_.index(sym::mod(random_index(), 7) - 3)));
    }
    const InstId predicate = chance(20) ? condition() : kNoInst;
    sym::Expr index = random_index();
    if (chance(15)) {
      // Through memory: -3 … 3 counts from the end when negative.
      const InstId raw = sketch_.load(2, random_index());
      const InstId checked = sketch_.check(raw, 5, kNoInst);
      index = sym::mod(index, 1000) + value(checked) * 17;
    }
    if (predicate != kNoInst && chance(50)) index = index - 40;  // outside where inactive, perhaps
    const bool outside = predicate != kNoInst && chance(30);
    if (outside) {
      const InstId inside =
          sketch_.compute(ScalarOp::kNe,
                          sketch_.index(sym::logical_and(sym::le(0, index - 5),
                                                         sym::lt(index - 5, kInputElements))),
                          sketch_.constant(DType::kI64, 0));
      return remember(convert(sketch_.load(input_for(dtype), index - 5, inside), dtype));
    }
    index = sym::max(index, 0);
    return remember(convert(sketch_.load(input_for(dtype), index, predicate), dtype));
  }

  uint32_t input_for(DType dtype) {
    if (dtype == DType::kI64) return 2;
    if (dtype == DType::kF32 && chance(25)) return 3;
    if (dtype == DType::kI32) return 4;
    return static_cast<uint32_t>(pick(2));
  }
  InstId convert(InstId id, DType dtype) {
    return sketch_.dtype_of(id) == dtype ? id : sketch_.cast(id, dtype);
  }

  InstId clamp(InstId id) {
    const DType dtype = sketch_.dtype_of(id);
    const InstId low = sketch_.compute(ScalarOp::kMax, id, sketch_.constant(dtype, -50));
    return sketch_.compute(ScalarOp::kMin, low, sketch_.constant(dtype, 50));
  }

  DType random_type() {
    static constexpr DType kTypes[] = {DType::kF32, DType::kF32, DType::kF32,
                                       DType::kI64, DType::kI32, DType::kF64};
    return kTypes[pick(std::size(kTypes))];
  }

  void make_compute() {
    const DType dtype = random_type();
    switch (pick(9)) {
      case 0:
        remember(
            sketch_.compute(ScalarOp::kSelect, any_of(DType::kBool), any_of(dtype), any_of(dtype)));
        break;
      case 1:
        remember(sketch_.compute(ScalarOp::kLt, any_of(dtype), any_of(dtype)));
        break;
      case 2:
        remember(clamp(sketch_.compute(ScalarOp::kMul, any_of(dtype), any_of(dtype))));
        break;
      case 3:
        remember(sketch_.cast(any_of(random_type()), dtype));
        break;
      case 4:
        remember(sketch_.compute(ScalarOp::kAbs, any_of(dtype)));
        break;
      case 5: {
        const InstId half = sketch_.cast(any_of(DType::kF32), DType::kBF16);
        remember(sketch_.cast(half, DType::kF32));
        break;
      }
      case 6:
        remember(sketch_.bitcast(sketch_.bitcast(any_of(DType::kF32), DType::kI32), DType::kF32));
        break;
      case 7: {
        // Costly enough to be kept for later stages.
        const InstId one = sketch_.compute(ScalarOp::kDivTrunc, any_of(DType::kI64),
                                           sketch_.constant(DType::kI64, 3));
        remember(sketch_.cast(clamp(one), DType::kF32));
        break;
      }
      default:
        remember(clamp(sketch_.compute(chance(50) ? ScalarOp::kAdd : ScalarOp::kSub, any_of(dtype),
                                       any_of(dtype))));
    }
  }

  void make_reduce(std::vector<InstId>& folds) {
    static constexpr ReduceOp kOps[] = {ReduceOp::kSum,    ReduceOp::kMin, ReduceOp::kMax,
                                        ReduceOp::kArgMax, ReduceOp::kSum, ReduceOp::kArgMin};
    if (chance(15)) {
      const InstId truth = any_of(DType::kBool);
      folds.push_back(sketch_.reduce(chance(50) ? ReduceOp::kAny : ReduceOp::kAll, truth));
      return;
    }
    folds.push_back(sketch_.reduce(kOps[pick(std::size(kOps))], any_of(random_type())));
  }

  void make_stage() {
    inner_ = has_inner_ && chance(65);
    inner_ ? sketch_.inner_stage() : sketch_.row_stage();
    std::vector<InstId> folds;
    const int count = 1 + pick(6);
    for (int i = 0; i < count; ++i) make_compute();
    if (inner_) {
      for (int i = pick(3); i > 0; --i) make_reduce(folds);
    }
    if (chance(40)) store_something();
    if (folds.empty()) return;
    // Row values, clamped in a stage of their own.
    inner_ = false;
    sketch_.row_stage();
    for (const InstId fold : folds) {
      const bool number = sketch_.dtype_of(fold) != DType::kBool;
      remember(number ? clamp(fold) : fold);
    }
  }

  void forget_inner_values() {
    std::erase_if(known_, [](const Known& known) { return known.inner; });
  }

  // To a buffer of its own, each point in its own place: in order, reversed or transposed; or
  // added up in places that points share.
  void store_something() {
    const DType dtype = chance(20) ? DType::kBF16 : random_type();
    const InstId id =
        dtype == DType::kBF16 ? sketch_.cast(any_of(DType::kF32), dtype) : any_of(dtype);
    std::vector<size_t> order;
    for (size_t k = 0; k < usable_axes(); ++k) order.push_back(k);
    if (chance(30)) std::shuffle(order.begin(), order.end(), random_);
    sym::Expr index = 0;
    int64_t stride = 1;
    for (size_t i = order.size(); i-- > 0;) {
      index += axis(order[i]) * stride;
      stride *= std::max<int64_t>(extents_[order[i]], 1);
    }
    const InstId predicate = chance(25) ? any_of(DType::kBool) : kNoInst;
    StoreMode mode = StoreMode::kSet;
    if (chance(20) && dtype != DType::kBF16) {
      static constexpr StoreMode kModes[] = {StoreMode::kAdd, StoreMode::kMin, StoreMode::kMax};
      mode = kModes[pick(3)];
      if (chance(50)) index = sym::mod(index, std::max<int64_t>(stride / 3, 1));
    }
    const uint32_t buffer = sketch_.buffer(dtype);
    buffers_.emplace_back(dtype, stride);
    sketch_.store(buffer, index, id, mode, predicate);
  }

  static constexpr int64_t kInputElements = 40000;

  std::mt19937_64 random_;
  KernelSketch sketch_;
  std::vector<int64_t> extents_;
  std::vector<int64_t> scalars_;
  size_t parallel_ = 0;
  bool has_inner_ = false;
  bool inner_ = false;
  std::vector<Known> known_;
  std::vector<TestBuffer> buffers_;
};

TEST(RandomKernel, StripsGiveWhatSinglePointsGive) {
  const char* const seeds = std::getenv("INGOT_RANDOM_KERNELS");
  const uint64_t count = seeds == nullptr ? 150 : std::strtoull(seeds, nullptr, 10);
  const char* const first = std::getenv("INGOT_RANDOM_KERNEL_FIRST");
  const uint64_t start = first == nullptr ? 1 : std::strtoull(first, nullptr, 10);
  for (uint64_t seed = start; seed < start + count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomKernel random(seed);
    program::ExprFactsCache facts;
    const Status valid = program::validate_kernel(random.kernel(), facts);
    ASSERT_TRUE(valid.ok()) << valid.message();
    expect_same(random.kernel(), random.buffers(), random.scalars());
    ASSERT_FALSE(testing::Test::HasFailure()) << program::print_kernel(random.kernel());
  }
}

}  // namespace
}  // namespace ingot::runtime::cpu
