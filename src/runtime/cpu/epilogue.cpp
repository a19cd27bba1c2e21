#include "runtime/cpu/epilogue.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "runtime/cpu/strip_compiler.h"
#include "runtime/cpu/strip_machine.h"

namespace ingot::runtime::cpu {
namespace {

using program::Inst;
using program::InstKind;

// A store of the bare accumulator along the strip.
struct PlainStore {
  uint32_t buffer = 0;
  int64_t element_bytes = 0;
  int64_t constant = 0;
  std::vector<int64_t> steps;  // by axis
};

std::optional<PlainStore> find_plain_store(const program::Body& body, const LoopNest& nest,
                                           uint32_t strip_axis) {
  if (body.insts.size() != 2 || body.insts[0].kind != InstKind::kAccumulator) return {};
  const Inst& store = body.insts[1];
  const IndexForm& form = nest.index[1];
  if (store.kind != InstKind::kStore || store.store_mode != program::StoreMode::kSet ||
      store.predicate != program::kNoInst || !form.terms.empty() || form.axis[strip_axis] != 1) {
    return {};
  }
  return PlainStore{store.buffer, size_of(store.dtype), form.constant, form.axis};
}

class StripEpilogue final : public EpilogueRunner {
 public:
  StripEpilogue(StripProgram program, std::optional<PlainStore> plain)
      : program_(std::move(program)), plain_(std::move(plain)) {}

  void run_strip(std::span<void* const> buffers, std::span<const int64_t> point,
                 const void* accumulators, int64_t count, KernelFailure& failure) const override {
    StripMachine machine(program_, buffers, failure);
    run(machine, point, accumulators, count);
  }

  void map_strip(std::span<void* const> buffers, std::span<const int64_t> point,
                 const void* accumulators, void* results, int64_t count,
                 KernelFailure& failure) const override {
    StripMachine machine(program_, buffers, failure);
    if (!run(machine, point, accumulators, count)) return;
    const int log2 = log2_bytes(program_.result_dtype);
    if (program_.result_spread == Spread::kOne) {
      program_.table->move[log2].broadcast(results, machine.result(), count);
    } else if (results != machine.result()) {
      std::memcpy(results, machine.result(), static_cast<size_t>(count) << log2);
    }
  }

  bool is_plain_store() const override { return plain_.has_value(); }
  void* direct_store(std::span<void* const> buffers,
                     std::span<const int64_t> point) const override {
    int64_t element = plain_->constant;
    for (size_t k = 0; k < point.size(); ++k) element += plain_->steps[k] * point[k];
    return static_cast<std::byte*>(buffers[plain_->buffer]) + element * plain_->element_bytes;
  }

 private:
  bool run(StripMachine& machine, std::span<const int64_t> point, const void* accumulators,
           int64_t count) const {
    if (!machine.is_ready()) return false;
    std::copy(point.begin(), point.end(), machine.coordinates().begin());
    if (program_.accumulator != kNoSlot) machine.set_accumulators(accumulators);
    return machine.run_tile(1, count);
  }

  StripProgram program_;
  std::optional<PlainStore> plain_;
};

}  // namespace

Result<std::unique_ptr<EpilogueRunner>> EpilogueRunner::bind(const program::Kernel& kernel,
                                                             const program::Body& body,
                                                             uint32_t strip_axis,
                                                             const LaunchSizes& sizes) {
  INGOT_ASSIGN_OR_RETURN(const LoopNest nest, build_loop_nest(body, sizes, AxisFreedom::kFixed));
  const TileShape tile{.row_axis = kNoAxis,
                       .col_axis = static_cast<int>(strip_axis),
                       .rows = 1,
                       .cols = kMaxStrip,
                       .cols_are_inner = false};
  INGOT_ASSIGN_OR_RETURN(StripProgram program,
                         compile_strips({.kernel = &kernel,
                                         .body = &body,
                                         .nest = &nest,
                                         .tile = tile,
                                         .buffer_elements = sizes.buffer_elements,
                                         .table = &lane_table(default_isa())}));
  return std::unique_ptr<EpilogueRunner>(std::make_unique<StripEpilogue>(
      std::move(program), find_plain_store(body, nest, strip_axis)));
}

}  // namespace ingot::runtime::cpu
