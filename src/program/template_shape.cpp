#include "program/template_shape.h"

namespace ingot::program {
namespace {

using Sizes = std::vector<sym::Expr>;

Sizes joined(Sizes head, const Sizes& tail) {
  head.insert(head.end(), tail.begin(), tail.end());
  return head;
}

Sizes matmul_sizes(const MatmulTemplate& matmul, size_t position) {
  return joined(matmul.batch,
                position == 0 ? Sizes{matmul.m, matmul.k} : Sizes{matmul.k, matmul.n});
}

Sizes conv_sizes(const ConvTemplate& conv, size_t position) {
  if (position == 0) return joined({conv.batch, conv.in_channels}, conv.in_sizes);
  const Sizes window(conv.window.begin(), conv.window.end());
  if (conv.groups < 1) return {};  // only the validator meets this, and refuses it
  if (conv.transposed) {
    return joined({conv.in_channels, floor_div(conv.out_channels, conv.groups)}, window);
  }
  return joined({conv.out_channels, floor_div(conv.in_channels, conv.groups)}, window);
}

Sizes attention_sizes(const AttentionTemplate& a, size_t position) {
  if (position == 0) return {a.batch, a.heads, a.queries, a.key_size};
  return {a.batch, a.kv_heads, a.keys, position == 1 ? a.key_size : a.value_size};
}

}  // namespace

size_t template_operand_count(const Kernel& kernel) {
  switch (kernel.kind) {
    case KernelKind::kLoop:
      return 0;
    case KernelKind::kMatmul:
    case KernelKind::kConv:
      return 2;
    case KernelKind::kAttention:
    case KernelKind::kSort:
      return 3;
    case KernelKind::kScan:
      return kernel.scan.op == ReduceOp::kArgMin || kernel.scan.op == ReduceOp::kArgMax ? 2 : 1;
  }
  return 0;
}

Sizes operand_sizes(const Kernel& kernel, size_t position) {
  switch (kernel.kind) {
    case KernelKind::kLoop:
      return {};
    case KernelKind::kMatmul:
      return matmul_sizes(kernel.matmul, position);
    case KernelKind::kConv:
      return conv_sizes(kernel.conv, position);
    case KernelKind::kAttention:
      return attention_sizes(kernel.attention, position);
    case KernelKind::kScan:
      return joined(kernel.scan.rows, {kernel.scan.extent});
    case KernelKind::kSort:
      return joined(kernel.sort.rows, {position == 0 ? kernel.sort.extent : kernel.sort.keep});
  }
  return {};
}

bool is_written_operand(const Kernel& kernel, size_t position) {
  return position > 0 && (kernel.kind == KernelKind::kScan || kernel.kind == KernelKind::kSort);
}

Sizes epilogue_sizes(const Kernel& kernel) {
  switch (kernel.kind) {
    case KernelKind::kLoop:
    case KernelKind::kSort:
      return {};
    case KernelKind::kMatmul:
      return joined(kernel.matmul.batch, {kernel.matmul.m, kernel.matmul.n});
    case KernelKind::kConv:
      return joined({kernel.conv.batch, kernel.conv.out_channels}, kernel.conv.out_sizes);
    case KernelKind::kAttention:
      return {kernel.attention.batch, kernel.attention.heads, kernel.attention.queries,
              kernel.attention.value_size};
    case KernelKind::kScan:
      return joined(kernel.scan.rows, {kernel.scan.extent});
  }
  return {};
}

Sizes score_sizes(const AttentionTemplate& a) { return {a.batch, a.heads, a.queries, a.keys}; }

}  // namespace ingot::program
