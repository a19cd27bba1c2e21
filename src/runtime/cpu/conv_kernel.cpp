// Convolutions: rows of output positions against output channels, as matrix products over gathered
// windows; depthwise ones channel by channel.
#include <algorithm>
#include <cstring>

#include "runtime/cpu/contraction.h"

namespace ingot::runtime::cpu {
namespace {

constexpr int64_t kTileRows = 96;

class ConvKernel final : public BoundKernel {
 public:
  ConvKernel(const MatmulLanes& lanes) : lanes_(lanes) {}

  Status init(const program::Kernel& kernel, const LaunchSizes& sizes) {
    INGOT_RETURN_IF_ERROR(program::check_template_sizes(kernel, sizes));
    const program::ConvTemplate& conv = kernel.conv;
    INGOT_ASSIGN_OR_RETURN(batch_, program::evaluate_size(conv.batch, sizes.scalars));
    INGOT_ASSIGN_OR_RETURN(const int64_t in_channels,
                           program::evaluate_size(conv.in_channels, sizes.scalars));
    INGOT_ASSIGN_OR_RETURN(const int64_t out_channels,
                           program::evaluate_size(conv.out_channels, sizes.scalars));
    INGOT_ASSIGN_OR_RETURN(in_sizes_, bind_sizes(conv.in_sizes, sizes));
    INGOT_ASSIGN_OR_RETURN(out_sizes_, bind_sizes(conv.out_sizes, sizes));
    INGOT_ASSIGN_OR_RETURN(input_, bind_operand(kernel, 0, sizes));
    INGOT_ASSIGN_OR_RETURN(weight_, bind_operand(kernel, 1, sizes));
    INGOT_ASSIGN_OR_RETURN(epilogue_, EpilogueRunner::bind(kernel, kernel.body, 1, sizes));
    conv_ = &conv;
    in_per_group_ = in_channels / conv.groups;
    out_per_group_ = out_channels / conv.groups;
    for (const int64_t size : conv.window) window_ *= size;
    for (const int64_t size : out_sizes_) positions_ *= size;
    positions_ *= batch_;
    depth_ = window_ * in_per_group_;
    is_depthwise_ = in_per_group_ == 1 && out_per_group_ == 1 && input_.dtype == DType::kF32 &&
                    weight_.dtype == DType::kF32 && input_.strides[1] == 1 &&
                    weight_.strides[0] == 1 && !conv.transposed;
    return ok_status();
  }

  Status run(std::span<void* const> buffers, ThreadPool& pool) override {
    const int64_t channels = out_per_group_ * conv_->groups;
    if (positions_ == 0 || channels == 0) return ok_status();
    if (is_depthwise_) {
      pool.parallel_for(positions_, 16,
                        [&](int64_t begin, int64_t end) { run_depthwise(buffers, begin, end); });
      return failure_.take();
    }
    // Few positions are shared by channels instead.
    const int64_t rows = std::min(positions_, kTileRows);
    const int64_t columns = std::min<int64_t>(
        out_per_group_, positions_ <= kTileRows ? 64 : EpilogueRunner::kMaxStrip / 2);
    const int64_t row_tiles = (positions_ + rows - 1) / rows;
    const int64_t column_tiles = (out_per_group_ + columns - 1) / columns;
    pool.parallel_for(conv_->groups * row_tiles * column_tiles, 1, [&](int64_t begin, int64_t end) {
      for (int64_t tile = begin; tile < end && !failure_.failed(); ++tile) {
        const int64_t row = tile / column_tiles % row_tiles * rows;
        const int64_t column = tile % column_tiles * columns;
        run_tile(buffers, tile / column_tiles / row_tiles, row, std::min(rows, positions_ - row),
                 column, std::min(columns, out_per_group_ - column));
      }
    });
    return failure_.take();
  }

 private:
  // Splits a position into batch index (returned) and spatial ones.
  int64_t split(int64_t position, int64_t* spatial) const {
    for (size_t i = out_sizes_.size(); i-- > 0;) {
      spatial[i] = position % out_sizes_[i];
      position /= out_sizes_[i];
    }
    return position;
  }

  // Where window element `k` reads the input for an output position, in elements from the start of
  // the image; -1 outside.
  int64_t source(const int64_t* out, int64_t k) const {
    int64_t position = 0;
    for (size_t i = out_sizes_.size(); i-- > 0;) {
      const int64_t tap = k % conv_->window[i] * conv_->dilation[i];
      k /= conv_->window[i];
      int64_t at = 0;
      if (conv_->transposed) {
        const int64_t spread = out[i] + conv_->padding[i] - tap;
        if (spread < 0 || spread % conv_->stride[i] != 0) return -1;
        at = spread / conv_->stride[i];
      } else {
        at = out[i] * conv_->stride[i] - conv_->padding[i] + tap;
      }
      if (at < 0 || at >= in_sizes_[i]) return -1;
      position += at * input_.strides[i + 2];
    }
    return position;
  }

  int64_t weight_at(int64_t k) const {
    int64_t position = 0;
    for (size_t i = out_sizes_.size(); i-- > 0;) {
      position += k % conv_->window[i] * weight_.strides[i + 2];
      k /= conv_->window[i];
    }
    return position;
  }

  void run_depthwise(std::span<void* const> buffers, int64_t begin, int64_t end) {
    const int64_t channels = conv_->groups;
    int64_t point[5] = {};
    float sums[EpilogueRunner::kMaxStrip];
    for (int64_t position = begin; position < end && !failure_.failed(); ++position) {
      point[0] = split(position, point + 2);
      for (int64_t first = 0; first < channels; first += EpilogueRunner::kMaxStrip) {
        const int64_t count = std::min(EpilogueRunner::kMaxStrip, channels - first);
        std::fill(sums, sums + count, 0.0f);
        for (int64_t k = 0; k < window_; ++k) {
          const int64_t at = source(point + 2, k);
          if (at < 0) continue;
          lanes_.multiply_add(static_cast<const float*>(
                                  input_.at(buffers, point[0] * input_.strides[0] + at + first)),
                              static_cast<const float*>(weight_.at(buffers, weight_at(k) + first)),
                              sums, count);
        }
        point[1] = first;
        epilogue_->run_strip(buffers, std::span(point, 2 + out_sizes_.size()), sums, count,
                             failure_);
      }
    }
  }

  // The windows of output positions [row, row + rows), one after the other: depth is window
  // elements, then channels.
  void gather(std::span<void* const> buffers, int64_t group, int64_t row, int64_t rows,
              float* target) const {
    const int64_t first_channel = group * in_per_group_ * input_.strides[1];
    for (int64_t r = 0; r < rows; ++r) {
      int64_t out[3] = {};
      const int64_t image = split(row + r, out);
      for (int64_t k = 0; k < window_; ++k, target += in_per_group_) {
        const int64_t at = source(out, k);
        if (at < 0) {
          std::memset(target, 0, static_cast<size_t>(in_per_group_) * sizeof(float));
        } else {
          lanes_.widen(input_.at(buffers, image * input_.strides[0] + at + first_channel),
                       input_.dtype, input_.strides[1], target, in_per_group_);
        }
      }
    }
  }

  // The weight of a group as [depth][columns], f32.
  void gather_weight(std::span<void* const> buffers, int64_t group, int64_t column, int64_t columns,
                     float* target) const {
    // Transposed weights are (in, out / groups, window…), others (out, in / groups, window…).
    const int64_t in_stride = weight_.strides[conv_->transposed ? 0 : 1];
    const int64_t out_stride = weight_.strides[conv_->transposed ? 1 : 0];
    const int64_t start = conv_->transposed
                              ? group * in_per_group_ * in_stride + column * out_stride
                              : (group * out_per_group_ + column) * out_stride;
    for (int64_t k = 0; k < window_; ++k) {
      const int64_t tap = start + weight_at(k);
      for (int64_t c = 0; c < in_per_group_; ++c, target += columns) {
        lanes_.widen(weight_.at(buffers, tap + c * in_stride), weight_.dtype, out_stride, target,
                     columns);
      }
    }
  }

  // True when the windows are single elements with the positions of a row evenly apart: the input
  // is then the matrix itself.
  bool is_pointwise() const {
    if (window_ != 1 || conv_->transposed) return false;
    int64_t stride = input_.strides.back();
    for (size_t i = out_sizes_.size(); i-- > 0;) {
      if (conv_->stride[i] != 1 || conv_->padding[i] != 0) return false;
      if (in_sizes_[i] != 1 && input_.strides[i + 2] != stride) return false;
      stride *= in_sizes_[i];
    }
    return batch_ == 1 || input_.strides[0] == stride;
  }

  // True when the weight lies as [depth][out channels] already.
  bool has_plain_weight() const {
    if (conv_->transposed || weight_.strides[0] != 1) return false;
    int64_t stride = weight_.strides[1];
    if (in_per_group_ > 1) stride *= in_per_group_;
    for (size_t i = conv_->window.size(); i-- > 0;) {
      if (conv_->window[i] != 1 && weight_.strides[i + 2] != stride) return false;
      stride *= conv_->window[i];
    }
    return true;
  }

  void run_tile(std::span<void* const> buffers, int64_t group, int64_t row, int64_t rows,
                int64_t column, int64_t columns) {
    MatrixView a;
    MatrixView b;
    const int64_t floats = lanes_.scratch_floats(rows, columns);
    float* sums = thread_scratch(0, rows * columns);
    float* scratch = thread_scratch(1, floats);
    float* windows = is_pointwise() ? nullptr : thread_scratch(2, rows * depth_);
    float* weights = has_plain_weight() ? nullptr : thread_scratch(3, depth_ * columns);
    if (is_pointwise()) {
      const int64_t start = row * input_.strides.back() + group * in_per_group_ * input_.strides[1];
      a = {input_.at(buffers, start), input_.dtype, input_.strides.back(), input_.strides[1]};
    } else {
      gather(buffers, group, row, rows, windows);
      a = {windows, DType::kF32, depth_, 1};
    }
    if (has_plain_weight()) {
      const int64_t row_stride = in_per_group_ > 1 ? weight_.strides[1] : weight_.strides.back();
      b = {weight_.at(buffers, group * out_per_group_ + column), weight_.dtype, row_stride, 1};
    } else {
      gather_weight(buffers, group, column, columns, weights);
      b = {weights, DType::kF32, columns, 1};
    }
    lanes_.tile(a, b, rows, columns, depth_, sums, scratch);
    int64_t point[5] = {};
    for (int64_t r = 0; r < rows; ++r) {
      point[0] = split(row + r, point + 2);
      point[1] = group * out_per_group_ + column;
      epilogue_->run_strip(buffers, std::span(point, 2 + out_sizes_.size()), sums + r * columns,
                           columns, failure_);
    }
  }

  const MatmulLanes& lanes_;
  const program::ConvTemplate* conv_ = nullptr;
  int64_t batch_ = 0;
  int64_t in_per_group_ = 0, out_per_group_ = 0;
  int64_t window_ = 1, positions_ = 1, depth_ = 0;
  bool is_depthwise_ = false;
  std::vector<int64_t> in_sizes_, out_sizes_;
  BoundOperand input_, weight_;
  std::unique_ptr<EpilogueRunner> epilogue_;
  KernelFailure failure_;
};

}  // namespace

Result<std::unique_ptr<BoundKernel>> bind_conv(const program::Kernel& kernel,
                                               const LaunchSizes& sizes, Isa isa) {
  auto bound = std::make_unique<ConvKernel>(matmul_lanes(isa));
  INGOT_RETURN_IF_ERROR(bound->init(kernel, sizes));
  return std::unique_ptr<BoundKernel>(std::move(bound));
}

}  // namespace ingot::runtime::cpu
