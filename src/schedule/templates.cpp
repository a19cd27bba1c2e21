#include "schedule/templates.h"

#include <algorithm>
#include <cmath>

#include "ops/op_def.h"
#include "schedule/view_trace.h"
#include "support/diagnostics.h"

namespace ingot::schedule {
namespace {

using ops::Index;
using ops::Scalar;
using ops::ScalarOp;
using program::Access;
using program::Kernel;
using program::KernelKind;
using program::Operand;

KernelKind kernel_kind(const ir::Node& node) {
  const std::string& base = node.op->schema.base;
  if (base == "matmul") return KernelKind::kMatmul;
  if (base == "conv") return KernelKind::kConv;
  if (base == "attention") return KernelKind::kAttention;
  if (base == "scan" || base == "scan_extremum") return KernelKind::kScan;
  if (base == "sort") return KernelKind::kSort;
  throw InternalError("no template for operator " + node.target());
}

Operand read_operand(KernelBuilder& builder, const Placement& placement, const ir::Value* value,
                     const sym::Ranges& ranges) {
  const auto strided = trace_strided(placement, value, ranges);
  INGOT_CHECK(strided, "operand %" + value->name + " of a template does not lie on a grid");
  return {builder.buffer_param(strided->base, Access::kRead), strided->offset, strided->strides};
}

Operand written_operand(KernelBuilder& builder, const Placement& placement,
                        const ir::Value* value) {
  return {builder.buffer_param(value, Access::kWrite), 0, placement.strides(value)};
}

std::vector<sym::Expr> all_but_last(const std::vector<sym::Expr>& sizes) {
  return {sizes.begin(), sizes.end() - 1};
}

void describe_matmul(const ir::Node& node, Kernel& kernel) {
  const ir::Value* a = node.tensor("a");
  const std::vector<sym::Expr>& sizes = node.results[0]->type.sizes;
  kernel.matmul.batch.assign(sizes.begin(), sizes.end() - 2);
  kernel.matmul.m = sizes[sizes.size() - 2];
  kernel.matmul.n = sizes.back();
  kernel.matmul.k = a->type.sizes.back();
}

void describe_conv(const ir::Node& node, Kernel& kernel) {
  program::ConvTemplate& conv = kernel.conv;
  const std::vector<sym::Expr>& input = node.tensor("input")->type.sizes;
  const std::vector<sym::Expr>& weight = node.tensor("weight")->type.sizes;
  const std::vector<sym::Expr>& output = node.results[0]->type.sizes;
  conv.batch = input[0];
  conv.in_channels = input[1];
  conv.out_channels = output[1];
  conv.in_sizes.assign(input.begin() + 2, input.end());
  conv.out_sizes.assign(output.begin() + 2, output.end());
  for (size_t i = 2; i < weight.size(); ++i) {
    const auto size = weight[i].as_const();
    if (!size) {
      throw CompileError(Diag::kUnsupportedCase, "a convolution window of dynamic size");
    }
    conv.window.push_back(*size);
  }
  conv.stride = node.constants("stride");
  conv.padding = node.constants("padding");
  conv.dilation = node.constants("dilation");
  conv.groups = node.constant("groups");
  conv.transposed = node.flag("transposed");
}

// score' = score + mask, or -inf where a boolean mask is false.
program::Body score_body(KernelBuilder& builder, const ir::Node& node, DType accumulator) {
  const ir::Value* query = node.tensor("query");
  const ir::Value* key = node.tensor("key");
  const ir::Value* mask = node.tensor_or_null("mask");
  const std::vector<sym::Expr> domain = {query->size(0), query->size(1), query->size(2),
                                         key->size(2)};
  Index index;
  for (const sym::Expr& extent : domain) {
    const sym::Expr axis = builder.add_axis(extent, false);
    index.push_back(extent.is_const(1) ? sym::Expr(0) : axis);
  }
  INGOT_CHECK(mask->rank() == 4, "an attention mask that is not of rank 4");
  Index mask_index;
  for (size_t i = 0; i < 4; ++i) {
    mask_index.push_back(mask->type.sizes[i].is_const(1) ? sym::Expr(0) : index[i]);
  }
  const Scalar score = builder.accumulator(accumulator);
  const Scalar element = builder.load(mask, mask_index);
  if (mask->dtype() == DType::kBool) {
    return builder.finish(builder.select(element, score, builder.constant(accumulator, -HUGE_VAL)));
  }
  return builder.finish(builder.apply(ScalarOp::kAdd, score, builder.cast(element, accumulator)));
}

void describe_attention(const ir::Node& node, Kernel& kernel, KernelBuilder& builder,
                        const Placement& placement, const sym::Ranges& ranges) {
  program::AttentionTemplate& attention = kernel.attention;
  const ir::Value* query = node.tensor("query");
  const ir::Value* key = node.tensor("key");
  attention.batch = query->size(0);
  attention.heads = query->size(1);
  attention.queries = query->size(2);
  attention.key_size = query->size(3);
  attention.kv_heads = key->size(1);
  attention.keys = key->size(2);
  attention.value_size = node.tensor("value")->size(3);
  attention.scale = node.number("scale");
  attention.causal = node.flag("is_causal");
  attention.masked_row_is_nan = node.flag("masked_row_is_nan");
  if (!node.tensor_or_null("mask")) return;
  KernelBuilder score(placement, ranges);
  score.set_buffers(builder.buffers());
  attention.score_body = score_body(score, node, kernel.accumulator);
  builder.set_buffers(score.buffers());
}

program::ReduceOp scan_op(const std::string& text) {
  if (text == "prod") return program::ReduceOp::kProd;
  if (text == "max") return program::ReduceOp::kArgMax;
  if (text == "min") return program::ReduceOp::kArgMin;
  return program::ReduceOp::kSum;
}

void describe_scan(const ir::Node& node, Kernel& kernel) {
  const std::vector<sym::Expr>& sizes = node.tensor("self")->type.sizes;
  kernel.scan.op = scan_op(node.text("op"));
  kernel.scan.log_sum_exp = node.text("op") == "logsumexp";
  kernel.scan.rows = all_but_last(sizes);
  kernel.scan.extent = sizes.back();
}

void describe_sort(const ir::Node& node, Kernel& kernel) {
  const std::vector<sym::Expr>& sizes = node.tensor("self")->type.sizes;
  kernel.sort.descending = node.flag("descending");
  kernel.sort.rows = all_but_last(sizes);
  kernel.sort.extent = sizes.back();
  kernel.sort.keep = node.integer("keep");
}

}  // namespace

std::vector<const ir::Value*> memory_operands(const ir::Node& node) {
  switch (kernel_kind(node)) {
    case KernelKind::kMatmul:
      return {node.tensor("a"), node.tensor("b")};
    case KernelKind::kConv:
      return {node.tensor("input"), node.tensor("weight")};
    case KernelKind::kAttention:
      return {node.tensor("query"), node.tensor("key"), node.tensor("value")};
    default:
      return {node.tensor("self")};
  }
}

bool has_epilogue(const ir::Node& node) {
  return node.results.size() == 1 && kernel_kind(node) != KernelKind::kSort;
}

std::vector<int64_t> reduced_dims(const ir::Node& node) {
  if (!node.has_param("dim") || node.op->schema.name.rfind("ingot.", 0) != 0) return {};
  std::vector<int64_t> dims = node.constants("dim");
  std::sort(dims.begin(), dims.end());
  return dims;
}

BuiltKernel build_template_kernel(const Group& group, const Placement& placement,
                                  const sym::Ranges& ranges) {
  const ir::Node& node = *group.template_node;
  KernelBuilder builder(placement, ranges);
  BuiltKernel built;
  Kernel& kernel = built.kernel;
  kernel.kind = kernel_kind(node);
  kernel.accumulator = accumulator_type(node.results[0]->dtype());
  for (const ir::Value* operand : memory_operands(node)) {
    kernel.operands.push_back(read_operand(builder, placement, operand, ranges));
  }
  switch (kernel.kind) {
    case KernelKind::kMatmul:
      describe_matmul(node, kernel);
      break;
    case KernelKind::kConv:
      describe_conv(node, kernel);
      break;
    case KernelKind::kAttention:
      describe_attention(node, kernel, builder, placement, ranges);
      break;
    case KernelKind::kScan:
      describe_scan(node, kernel);
      break;
    default:
      describe_sort(node, kernel);
  }
  if (kernel.kind == KernelKind::kSort) {
    for (const ir::Value* result : node.results) {
      kernel.operands.push_back(written_operand(builder, placement, result));
    }
  } else {
    if (node.results.size() == 2) {
      kernel.operands.push_back(written_operand(builder, placement, node.results[1]));
    }
    build_epilogue(builder, group, placement, kernel.accumulator);
    kernel.body = builder.finish();
  }
  kernel.name = kernel_stem(group, placement);
  for (const auto& [value, param] : builder.buffers()) {
    kernel.buffers.push_back(param);
    built.buffers.push_back(value);
  }
  return built;
}

}  // namespace ingot::schedule
