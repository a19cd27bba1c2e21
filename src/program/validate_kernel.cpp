#include "program/validate_kernel.h"

#include <fmt/core.h>

#include "program/template_shape.h"
#include "program/validate_body.h"
#include "support/diagnostics.h"

namespace ingot::program {
namespace {

constexpr int64_t kMaxWindow = int64_t{1} << 31;

Status bad(std::string message) { return make_status(Diag::kBadPackage, std::move(message)); }

class TemplateChecker {
 public:
  TemplateChecker(const Kernel& kernel, ExprFactsCache& facts) : kernel_(kernel), facts_(facts) {}

  Status check() {
    INGOT_RETURN_IF_ERROR(check_own_fields());
    if (kernel_.operands.size() != template_operand_count(kernel_)) {
      return bad(fmt::format("a {} has {} operands", to_string(kernel_.kind),
                             template_operand_count(kernel_)));
    }
    for (size_t i = 0; i < kernel_.operands.size(); ++i) {
      Status status = check_operand(i);
      if (!status.ok()) return std::move(status).with_context(fmt::format("operand {}", i));
    }
    INGOT_RETURN_IF_ERROR(check_axes(kernel_.body, epilogue_sizes(kernel_)));
    if (kernel_.kind == KernelKind::kSort && !kernel_.body.insts.empty()) {
      return bad("a sort has no epilogue");
    }
    return validate_body(kernel_, kernel_.body, BodyRole::kEpilogue, facts_);
  }

 private:
  Status sizes(std::span<const sym::Expr> exprs, int64_t least = 0) {
    if (exprs.size() > kMaxRank) return bad("too many dimensions");
    for (const sym::Expr& expr : exprs) {
      INGOT_RETURN_IF_ERROR(validate_size(kernel_, expr, least, facts_));
    }
    return ok_status();
  }
  Status sizes(std::initializer_list<sym::Expr> exprs, int64_t least = 0) {
    return sizes(std::span(exprs.begin(), exprs.size()), least);
  }

  Status check_own_fields() {
    switch (kernel_.kind) {
      case KernelKind::kLoop:
        return ok_status();
      case KernelKind::kMatmul:
        INGOT_RETURN_IF_ERROR(sizes(kernel_.matmul.batch));
        return sizes({kernel_.matmul.m, kernel_.matmul.n, kernel_.matmul.k});
      case KernelKind::kConv:
        return check_conv(kernel_.conv);
      case KernelKind::kAttention:
        return check_attention(kernel_.attention);
      case KernelKind::kScan:
        return check_scan(kernel_.scan);
      case KernelKind::kSort:
        INGOT_RETURN_IF_ERROR(sizes(kernel_.sort.rows));
        return sizes({kernel_.sort.extent, kernel_.sort.keep});
    }
    return bad("an unknown template");
  }

  Status check_conv(const ConvTemplate& conv) {
    INGOT_RETURN_IF_ERROR(sizes({conv.batch, conv.in_channels, conv.out_channels}));
    INGOT_RETURN_IF_ERROR(sizes(conv.in_sizes));
    INGOT_RETURN_IF_ERROR(sizes(conv.out_sizes));
    const size_t rank = conv.window.size();
    if (rank < 1 || rank > 3) return bad("a convolution has 1 to 3 spatial dimensions");
    if (conv.in_sizes.size() != rank || conv.out_sizes.size() != rank ||
        conv.stride.size() != rank || conv.padding.size() != rank || conv.dilation.size() != rank) {
      return bad("the convolution's lists differ in length");
    }
    const auto within = [](int64_t value, int64_t least) {
      return value >= least && value < kMaxWindow;
    };
    for (size_t i = 0; i < rank; ++i) {
      if (!within(conv.window[i], 1) || !within(conv.stride[i], 1) ||
          !within(conv.dilation[i], 1) || !within(conv.padding[i], 0)) {
        return bad("a window, stride, dilation or padding is out of range");
      }
    }
    if (!within(conv.groups, 1)) return bad("the number of groups is out of range");
    for (const sym::Expr& channels : {conv.in_channels, conv.out_channels}) {
      const auto value = channels.as_const();
      if (value && *value % conv.groups != 0) return bad("the groups do not divide the channels");
    }
    return ok_status();
  }

  Status check_attention(const AttentionTemplate& attention) {
    INGOT_RETURN_IF_ERROR(sizes({attention.batch, attention.queries, attention.keys,
                                 attention.key_size, attention.value_size}));
    INGOT_RETURN_IF_ERROR(sizes({attention.heads, attention.kv_heads}, 1));
    const auto heads = attention.heads.as_const();
    const auto kv_heads = attention.kv_heads.as_const();
    if (heads && kv_heads && *heads % *kv_heads != 0) {
      return bad("the key heads do not divide the heads");
    }
    if (!is_float(kernel_.accumulator)) return bad("attention accumulates in a float type");
    const Body& score = attention.score_body;
    if (score.insts.empty()) return ok_status();
    INGOT_RETURN_IF_ERROR(check_axes(score, score_sizes(attention)));
    INGOT_RETURN_IF_ERROR(validate_body(kernel_, score, BodyRole::kScore, facts_));
    return score.insts.back().dtype == kernel_.accumulator ? ok_status()
                                                           : bad("the score has another type");
  }

  Status check_scan(const ScanTemplate& scan) {
    INGOT_RETURN_IF_ERROR(sizes(scan.rows));
    INGOT_RETURN_IF_ERROR(sizes({scan.extent}));
    if (scan.op == ReduceOp::kAny || scan.op == ReduceOp::kAll)
      return bad("a scan of truth values");
    if (scan.log_sum_exp && (scan.op != ReduceOp::kSum || !is_float(kernel_.accumulator))) {
      return bad("log-sum-exp is a sum of a float type");
    }
    return ok_status();
  }

  Status check_operand(size_t position) {
    const Operand& operand = kernel_.operands[position];
    if (operand.buffer >= kernel_.buffers.size()) return bad("there is no such buffer");
    const BufferParam& buffer = kernel_.buffers[operand.buffer];
    const bool written = is_written_operand(kernel_, position);
    if (written ? !writes(buffer.access) : !reads(buffer.access)) {
      return bad(fmt::format("b{} does not allow the access", operand.buffer));
    }
    INGOT_RETURN_IF_ERROR(check_operand_dtype(position, buffer.dtype));
    INGOT_RETURN_IF_ERROR(sizes({operand.offset}));
    if (operand.strides.size() != operand_sizes(kernel_, position).size()) {
      return bad("the strides are not one per dimension");
    }
    return sizes(operand.strides);
  }

  Status check_operand_dtype(size_t position, DType dtype) {
    const bool positions =
        is_written_operand(kernel_, position) && position + 1 == kernel_.operands.size();
    if (positions) return dtype == DType::kI64 ? ok_status() : bad("positions are i64");
    const bool product = kernel_.kind == KernelKind::kMatmul || kernel_.kind == KernelKind::kConv;
    if (product && dtype == DType::kBool) return bad("products of bool");
    if (kernel_.kind == KernelKind::kAttention && !is_float(dtype)) return bad("not a float type");
    if (position > 0 && dtype != kernel_.buffers[kernel_.operands[0].buffer].dtype) {
      return bad("the operands differ in type");
    }
    return ok_status();
  }

  // The axes of a template's bodies are the template's own.
  Status check_axes(const Body& body, const std::vector<sym::Expr>& extents) {
    if (body.axes.size() != extents.size()) return bad("the axes are not the template's");
    for (size_t i = 0; i < extents.size(); ++i) {
      if (body.axes[i].extent != extents[i]) {
        return bad(fmt::format("axis {} is not the template's: {}, not {}", i,
                               sym::to_string(body.axes[i].extent), sym::to_string(extents[i])));
      }
    }
    return ok_status();
  }

  const Kernel& kernel_;
  ExprFactsCache& facts_;
};

bool is_accumulator(DType dtype) {
  return is_computable(dtype) && !is_half(dtype) && dtype != DType::kBool;
}

}  // namespace

Status validate_kernel(const Kernel& kernel, ExprFactsCache& facts) {
  if (kernel.scalar_count > kMaxKernelScalars) return bad("too many scalars");
  if (kernel.buffers.size() > kMaxKernelBuffers) return bad("too many buffers");
  for (const BufferParam& buffer : kernel.buffers) {
    if (!is_computable(buffer.dtype)) return bad("a buffer's element type has no kernels");
  }
  if (kernel.kind == KernelKind::kLoop) {
    return validate_body(kernel, kernel.body, BodyRole::kLoop, facts);
  }
  if (!is_accumulator(kernel.accumulator)) return bad("the accumulator's type cannot accumulate");
  return TemplateChecker(kernel, facts).check();
}

}  // namespace ingot::program
