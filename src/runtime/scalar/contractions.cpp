// Matmul, convolution and attention.
#include <cmath>
#include <limits>

#include "runtime/scalar/body_executor.h"
#include "runtime/scalar/operand_view.h"
#include "runtime/scalar/templates.h"
#include "support/diagnostics.h"

namespace ingot::runtime::scalar {
namespace {

using program::Kernel;

// Runs the epilogue at every point of `extents` with the element that `compute` gives for it.
template <typename Compute>
Status for_each_output(const Kernel& kernel, const KernelArgs& args,
                       const std::vector<int64_t>& extents, Compute&& compute) {
  for (const int64_t extent : extents) {
    if (extent == 0) return ok_status();
  }
  INGOT_ASSIGN_OR_RETURN(BodyExecutor epilogue, BodyExecutor::create(kernel.body, kernel, args));
  if (epilogue.extents() != extents) {
    return make_status(Diag::kBadPackage, "an epilogue's axes are not the template's");
  }
  std::vector<int64_t> point(extents.size());
  do {
    INGOT_RETURN_IF_ERROR(epilogue.run_point(point, compute(std::span<const int64_t>(point))));
  } while (next_point(point, extents));
  return ok_status();
}

// A sum of products in the accumulator's dtype, rounded once.
class DotProduct {
 public:
  explicit DotProduct(DType dtype) : dtype_(dtype), fold_(program::ReduceOp::kSum, dtype) {}
  void add(Element a, DType a_dtype, Element b, DType b_dtype) {
    const Element x = cast(a, a_dtype, dtype_);
    const Element y = cast(b, b_dtype, dtype_);
    // In f64 even for f32: the product of two f32 is exact.
    fold_.add({x.real * y.real, static_cast<int64_t>(static_cast<uint64_t>(x.integer) *
                                                     static_cast<uint64_t>(y.integer))});
  }
  Element result() const { return fold_.result(); }

 private:
  DType dtype_;
  Fold fold_;
};

std::vector<int64_t> join(std::vector<int64_t> head, std::initializer_list<int64_t> tail) {
  head.insert(head.end(), tail);
  return head;
}

struct ConvShape {
  int64_t batch = 0, in_channels = 0, out_channels = 0;
  std::vector<int64_t> in_sizes, out_sizes;
};

// The input position that output position `out` meets under window position `w`, or -1.
int64_t input_position(const program::ConvTemplate& conv, size_t dim, int64_t out, int64_t w,
                       int64_t in_size) {
  int64_t in = out * conv.stride[dim] - conv.padding[dim] + w * conv.dilation[dim];
  if (conv.transposed) {
    const int64_t spread = out + conv.padding[dim] - w * conv.dilation[dim];
    if (spread % conv.stride[dim] != 0) return -1;
    in = spread / conv.stride[dim];
  }
  return in >= 0 && in < in_size ? in : -1;
}

Element convolve(const Kernel& kernel, const ConvShape& shape, const OperandView& input,
                 const OperandView& weight, std::span<const int64_t> out) {
  const program::ConvTemplate& conv = kernel.conv;
  const size_t dims = conv.window.size();
  const int64_t in_per_group = shape.in_channels / conv.groups;
  const int64_t out_per_group = shape.out_channels / conv.groups;
  const int64_t group = out[1] / out_per_group;
  std::vector<int64_t> in_point(2 + dims);
  std::vector<int64_t> weight_point(2 + dims);
  std::vector<int64_t> window(dims);
  DotProduct dot(kernel.accumulator);
  do {
    bool inside = true;
    for (size_t d = 0; d < dims; ++d) {
      in_point[2 + d] = input_position(conv, d, out[2 + d], window[d], shape.in_sizes[d]);
      weight_point[2 + d] = window[d];
      inside &= in_point[2 + d] >= 0;
    }
    if (!inside) continue;
    for (int64_t c = 0; c < in_per_group; ++c) {
      in_point[0] = out[0];
      in_point[1] = group * in_per_group + c;
      weight_point[0] = conv.transposed ? in_point[1] : out[1];
      weight_point[1] = conv.transposed ? out[1] - group * out_per_group : c;
      dot.add(input.load(in_point), input.dtype(), weight.load(weight_point), weight.dtype());
    }
  } while (next_point(window, conv.window));
  return dot.result();
}

struct AttentionShape {
  int64_t batch = 0, heads = 0, kv_heads = 0, queries = 0, keys = 0, key_size = 0, value_size = 0;
};

Result<AttentionShape> attention_shape(const Kernel& kernel, const KernelArgs& args) {
  const program::AttentionTemplate& t = kernel.attention;
  std::vector<int64_t> s;
  INGOT_RETURN_IF_ERROR(append_sizes(
      {t.batch, t.heads, t.kv_heads, t.queries, t.keys, t.key_size, t.value_size}, args, s));
  if (s[2] == 0 || s[1] % s[2] != 0) {
    return make_status(Diag::kBadPackage, "attention heads are no multiple of key-value heads");
  }
  return AttentionShape{s[0], s[1], s[2], s[3], s[4], s[5], s[6]};
}

// The softmax weights of one query.
Status attention_weights(const Kernel& kernel, const AttentionShape& shape, const OperandView& q,
                         const OperandView& k, BodyExecutor& score_body,
                         std::span<const int64_t> row, std::vector<double>& weights) {
  const bool has_body = !kernel.attention.score_body.insts.empty();
  const int64_t kv_head = row[1] / (shape.heads / shape.kv_heads);
  int64_t count = shape.keys;
  if (kernel.attention.causal) count = std::min(count, row[2] + 1);
  weights.assign(static_cast<size_t>(count), 0);
  double largest = -std::numeric_limits<double>::infinity();
  for (int64_t key = 0; key < count; ++key) {
    DotProduct dot(DType::kF64);
    for (int64_t e = 0; e < shape.key_size; ++e) {
      const int64_t q_point[] = {row[0], row[1], row[2], e};
      const int64_t k_point[] = {row[0], kv_head, key, e};
      dot.add(q.load(q_point), q.dtype(), k.load(k_point), k.dtype());
    }
    Element score = normalize({dot.result().real * kernel.attention.scale, 0}, kernel.accumulator);
    if (has_body) {
      const int64_t point[] = {row[0], row[1], row[2], key};
      INGOT_RETURN_IF_ERROR(score_body.run_point(point, score));
      score = score_body.last_value();
    }
    weights[static_cast<size_t>(key)] = score.real;
    if (!(score.real <= largest)) largest = score.real;
  }
  double sum = 0;
  const bool masked = largest == -std::numeric_limits<double>::infinity();
  for (double& weight : weights) sum += weight = masked ? 0 : std::exp(weight - largest);
  for (double& weight : weights) {
    weight = masked && !kernel.attention.masked_row_is_nan ? 0 : weight / sum;
  }
  return ok_status();
}

}  // namespace

Status run_matmul(const Kernel& kernel, const KernelArgs& args) {
  std::vector<int64_t> batch;
  INGOT_RETURN_IF_ERROR(append_sizes(kernel.matmul.batch, args, batch));
  std::vector<int64_t> mnk;
  INGOT_RETURN_IF_ERROR(
      append_sizes({kernel.matmul.m, kernel.matmul.n, kernel.matmul.k}, args, mnk));
  INGOT_ASSIGN_OR_RETURN(const OperandView a,
                         OperandView::create(kernel, 0, join(batch, {mnk[0], mnk[2]}), args));
  INGOT_ASSIGN_OR_RETURN(const OperandView b,
                         OperandView::create(kernel, 1, join(batch, {mnk[2], mnk[1]}), args));
  const size_t rank = batch.size();
  return for_each_output(kernel, args, join(batch, {mnk[0], mnk[1]}),
                         [&](std::span<const int64_t> out) {
                           std::vector<int64_t> a_point(out.begin(), out.end());
                           std::vector<int64_t> b_point(out.begin(), out.end());
                           DotProduct dot(kernel.accumulator);
                           for (int64_t k = 0; k < mnk[2]; ++k) {
                             a_point[rank + 1] = k;
                             b_point[rank] = k;
                             dot.add(a.load(a_point), a.dtype(), b.load(b_point), b.dtype());
                           }
                           return dot.result();
                         });
}

Status run_conv(const Kernel& kernel, const KernelArgs& args) {
  const program::ConvTemplate& conv = kernel.conv;
  ConvShape shape;
  std::vector<int64_t> s;
  INGOT_RETURN_IF_ERROR(append_sizes({conv.batch, conv.in_channels, conv.out_channels}, args, s));
  shape.batch = s[0];
  shape.in_channels = s[1];
  shape.out_channels = s[2];
  INGOT_RETURN_IF_ERROR(append_sizes(conv.in_sizes, args, shape.in_sizes));
  INGOT_RETURN_IF_ERROR(append_sizes(conv.out_sizes, args, shape.out_sizes));
  if (conv.groups <= 0 || shape.in_channels % conv.groups != 0 ||
      shape.out_channels % conv.groups != 0) {
    return make_status(Diag::kBadPackage, "a convolution's groups do not divide its channels");
  }
  const auto with = [](std::initializer_list<int64_t> head, const std::vector<int64_t>& tail) {
    std::vector<int64_t> sizes(head);
    sizes.insert(sizes.end(), tail.begin(), tail.end());
    return sizes;
  };
  const auto weight_sizes =
      conv.transposed ? with({shape.in_channels, shape.out_channels / conv.groups}, conv.window)
                      : with({shape.out_channels, shape.in_channels / conv.groups}, conv.window);
  INGOT_ASSIGN_OR_RETURN(
      const OperandView input,
      OperandView::create(kernel, 0, with({shape.batch, shape.in_channels}, shape.in_sizes), args));
  INGOT_ASSIGN_OR_RETURN(const OperandView weight,
                         OperandView::create(kernel, 1, weight_sizes, args));
  return for_each_output(
      kernel, args, with({shape.batch, shape.out_channels}, shape.out_sizes),
      [&](std::span<const int64_t> out) { return convolve(kernel, shape, input, weight, out); });
}

Status run_attention(const Kernel& kernel, const KernelArgs& args) {
  INGOT_ASSIGN_OR_RETURN(const AttentionShape s, attention_shape(kernel, args));
  INGOT_ASSIGN_OR_RETURN(
      const OperandView q,
      OperandView::create(kernel, 0, {s.batch, s.heads, s.queries, s.key_size}, args));
  INGOT_ASSIGN_OR_RETURN(
      const OperandView k,
      OperandView::create(kernel, 1, {s.batch, s.kv_heads, s.keys, s.key_size}, args));
  INGOT_ASSIGN_OR_RETURN(
      const OperandView v,
      OperandView::create(kernel, 2, {s.batch, s.kv_heads, s.keys, s.value_size}, args));
  INGOT_ASSIGN_OR_RETURN(BodyExecutor score_body,
                         BodyExecutor::create(kernel.attention.score_body, kernel, args));
  std::vector<double> weights;
  Status status = ok_status();
  INGOT_RETURN_IF_ERROR(for_each_output(
      kernel, args, {s.batch, s.heads, s.queries, s.value_size}, [&](std::span<const int64_t> out) {
        // The weights of a query serve all its value columns.
        if (out[3] == 0 && status.ok()) {
          status = attention_weights(kernel, s, q, k, score_body, out.first(3), weights);
        }
        double sum = 0;
        for (size_t key = 0; key < weights.size(); ++key) {
          const int64_t point[] = {out[0], out[1] / (s.heads / s.kv_heads),
                                   static_cast<int64_t>(key), out[3]};
          sum += weights[key] * cast(v.load(point), v.dtype(), DType::kF64).real;
        }
        return normalize({sum, 0}, kernel.accumulator);
      }));
  return status;
}

}  // namespace ingot::runtime::scalar
