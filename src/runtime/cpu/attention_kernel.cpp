// Attention: blocks of queries against all their keys; scores, softmax and the weighted sum of
// values stay in the thread's scratch memory.
#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/cpu/contraction.h"

namespace ingot::runtime::cpu {
namespace {

constexpr int64_t kQueryBlock = 48;

class AttentionKernel final : public BoundKernel {
 public:
  AttentionKernel(const MatmulLanes& lanes) : lanes_(lanes) {}

  Status init(const program::Kernel& kernel, const LaunchSizes& sizes) {
    INGOT_RETURN_IF_ERROR(program::check_template_sizes(kernel, sizes));
    attention_ = &kernel.attention;
    const program::AttentionTemplate& t = kernel.attention;
    const std::pair<const sym::Expr&, int64_t&> bound[] = {
        {t.batch, batch_},          {t.heads, heads_}, {t.kv_heads, kv_heads_},
        {t.queries, queries_},      {t.keys, keys_},   {t.key_size, key_size_},
        {t.value_size, value_size_}};
    for (const auto& [expr, target] : bound) {
      INGOT_ASSIGN_OR_RETURN(target, program::evaluate_size(expr, sizes.scalars));
    }
    INGOT_ASSIGN_OR_RETURN(query_, bind_operand(kernel, 0, sizes));
    INGOT_ASSIGN_OR_RETURN(key_, bind_operand(kernel, 1, sizes));
    INGOT_ASSIGN_OR_RETURN(value_, bind_operand(kernel, 2, sizes));
    INGOT_ASSIGN_OR_RETURN(epilogue_, EpilogueRunner::bind(kernel, kernel.body, 3, sizes));
    if (!t.score_body.insts.empty()) {
      INGOT_ASSIGN_OR_RETURN(score_, EpilogueRunner::bind(kernel, t.score_body, 3, sizes));
    }
    return ok_status();
  }

  Status run(std::span<void* const> buffers, ThreadPool& pool) override {
    if (batch_ * heads_ * queries_ * value_size_ == 0) return ok_status();
    const int64_t blocks = (queries_ + kQueryBlock - 1) / kQueryBlock;
    pool.parallel_for(batch_ * heads_ * blocks, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end && !failure_.failed(); ++i) {
        run_block(buffers, i / blocks / heads_, i / blocks % heads_, i % blocks * kQueryBlock);
      }
    });
    return failure_.take();
  }

 private:
  static MatrixView view(const BoundOperand& operand, std::span<void* const> buffers, int64_t batch,
                         int64_t head, int64_t row) {
    const auto& s = operand.strides;
    return {operand.at(buffers, batch * s[0] + head * s[1] + row * s[2]), operand.dtype, s[2],
            s[3]};
  }

  void run_block(std::span<void* const> buffers, int64_t batch, int64_t head, int64_t first) {
    const int64_t rows = std::min(kQueryBlock, queries_ - first);
    const int64_t kv_head = head / (heads_ / kv_heads_);
    // Keys that no query of the block sees are not computed.
    const int64_t keys = attention_->causal ? std::min(keys_, first + rows) : keys_;
    const MatrixView q = view(query_, buffers, batch, head, first);
    const MatrixView k = view(key_, buffers, batch, kv_head, 0);
    const MatrixView transposed{k.data, k.dtype, k.column_stride, k.row_stride};
    float* scores = thread_scratch(0, rows * keys);
    float* sums = thread_scratch(2, rows * value_size_);
    float* scratch = thread_scratch(1, lanes_.scratch_floats(rows, std::max(keys, value_size_)));
    if (scores == nullptr || sums == nullptr || scratch == nullptr) {
      failure_.report(make_status(Diag::kOutOfMemory, "scratch memory of an attention"));
      return;
    }
    if (keys > 0) lanes_.tile(q, transposed, rows, keys, key_size_, scores, scratch);
    for (int64_t r = 0; r < rows; ++r) {
      float* row = scores + r * keys;
      lanes_.scale_row(row, static_cast<float>(attention_->scale), keys);
      apply_mask(buffers, batch, head, first + r, row, keys);
      softmax(row, keys);
    }
    const MatrixView weights{scores, DType::kF32, keys, 1};
    lanes_.tile(weights, view(value_, buffers, batch, kv_head, 0), rows, value_size_, keys, sums,
                scratch);
    for (int64_t r = 0; r < rows; ++r) store_row(buffers, batch, head, first + r, sums, r);
  }

  void apply_mask(std::span<void* const> buffers, int64_t batch, int64_t head, int64_t query,
                  float* row, int64_t keys) {
    if (score_) {
      for (int64_t k = 0; k < keys; k += EpilogueRunner::kMaxStrip) {
        const int64_t point[] = {batch, head, query, k};
        score_->map_strip(buffers, point, row + k, row + k,
                          std::min(EpilogueRunner::kMaxStrip, keys - k), failure_);
      }
    }
    if (!attention_->causal) return;
    for (int64_t k = query + 1; k < keys; ++k) row[k] = -std::numeric_limits<float>::infinity();
  }

  // A row of -inf alone has no weights: zeros, or NaN where the model asks for it.
  void softmax(float* row, int64_t keys) const {
    if (keys == 0) return;
    const float largest = lanes_.max_of_row(row, keys);
    if (std::isinf(largest) && largest < 0) {
      const float fill = attention_->masked_row_is_nan ? std::nanf("") : 0.0f;
      std::fill(row, row + keys, fill);
      return;
    }
    const float total = lanes_.exp_row(row, largest, keys);
    lanes_.scale_row(row, 1.0f / total, keys);
  }

  void store_row(std::span<void* const> buffers, int64_t batch, int64_t head, int64_t query,
                 const float* sums, int64_t r) {
    for (int64_t d = 0; d < value_size_; d += EpilogueRunner::kMaxStrip) {
      const int64_t point[] = {batch, head, query, d};
      epilogue_->run_strip(buffers, point, sums + r * value_size_ + d,
                           std::min(EpilogueRunner::kMaxStrip, value_size_ - d), failure_);
    }
  }

  const MatmulLanes& lanes_;
  const program::AttentionTemplate* attention_ = nullptr;
  int64_t batch_ = 0, heads_ = 0, kv_heads_ = 1, queries_ = 0, keys_ = 0;
  int64_t key_size_ = 0, value_size_ = 0;
  BoundOperand query_, key_, value_;
  std::unique_ptr<EpilogueRunner> epilogue_;
  std::unique_ptr<EpilogueRunner> score_;
  KernelFailure failure_;
};

}  // namespace

Result<std::unique_ptr<BoundKernel>> bind_attention(const program::Kernel& kernel,
                                                    const LaunchSizes& sizes, Isa isa) {
  auto bound = std::make_unique<AttentionKernel>(matmul_lanes(isa));
  INGOT_RETURN_IF_ERROR(bound->init(kernel, sizes));
  return std::unique_ptr<BoundKernel>(std::move(bound));
}

}  // namespace ingot::runtime::cpu
