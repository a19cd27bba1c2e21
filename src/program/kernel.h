// Kernel IR: what one launch computes, as data. No text of a target language, no graph operators.
//
// A *loop kernel* runs its body for every point of its parallel axes. The body is a list of stages;
// a row stage runs once per point of the parallel axes, an inner stage once per point of its inner
// axes as well. A reduction folds a value of an inner stage into a row value that later stages see.
// A *template kernel* (matmul, convolution, attention, …) names a hand-written algorithm and its
// operands, and carries its epilogue as instructions of the same language.
//
// Every kernel is closed: index expressions use only these symbols.
//   d0, d1, …  scalars that the launch supplies (sizes of dynamic dimensions and so on)
//   a0, a1, …  the kernel's axes, by position in `axes`
//   v0, v1, …  an i64 instruction result, by position in `insts` (indirect indexing)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/dtype.h"
#include "symbolic/expr.h"

namespace ingot::program {

enum class ScalarOp : uint8_t {
#define INGOT_SCALAR_OP(enumerator, name, operands) enumerator,
#include "program/scalar_op.def"
#undef INGOT_SCALAR_OP
};
inline constexpr int kScalarOpCount = 0
#define INGOT_SCALAR_OP(enumerator, name, operands) +1
#include "program/scalar_op.def"
#undef INGOT_SCALAR_OP
    ;
std::string_view to_string(ScalarOp op);
int operand_count(ScalarOp op);
// True for operations whose result is bool whatever their operands are.
bool is_predicate(ScalarOp op);
// True when the operation is defined on operands of `dtype` (of kSelect: on its last two). The
// 16-bit floats never; bool for logic and comparisons, and for add, mul, min and max, which are
// or, and, and, or; integers for all but those that only make sense on floats.
bool accepts(ScalarOp op, DType dtype);

enum class ReduceOp : uint8_t {
  kSum = 0,
  kProd = 1,
  kMin = 2,  // NaN if any is NaN
  kMax = 3,
  kAny = 4,  // bool
  kAll = 5,
  kArgMin = 6,  // i64 position (row-major over the inner axes) of the first extremum or NaN
  kArgMax = 7,
};
inline constexpr int kReduceOpCount = 8;
std::string_view to_string(ReduceOp op);

// How a store combines with what is there; all but kSet may meet from several points (atomic).
enum class StoreMode : uint8_t { kSet = 0, kAdd = 1, kMul = 2, kMin = 3, kMax = 4 };
inline constexpr int kStoreModeCount = 5;
std::string_view to_string(StoreMode mode);

// An instruction of a kernel, by its position in the kernel's list; its result, if it has one.
using InstId = uint32_t;
inline constexpr InstId kNoInst = UINT32_MAX;

enum class InstKind : uint8_t {
  kConst = 0,       // `constant` (floats, bool) or `int_constant` (integers), of `dtype`
  kIndex = 1,       // the value of `index`, as i64
  kLoad = 2,        // buffers[buffer][index]; with `predicate` false: 0, and nothing is read
  kCompute = 3,     // op(args…) on operands of one dtype (kSelect: args[0] is bool)
  kCast = 4,        // args[0] converted to dtype as PyTorch's `to` does (float to int truncates)
  kBitcast = 5,     // the bits of args[0]; same size
  kReduce = 6,      // folds args[0] over the inner axes of its stage into a row value
  kStore = 7,       // buffers[buffer][index] = args[0], combined by `store_mode`; `predicate` skips
  kCheckIndex = 8,  // args[0] (i64), plus the extent `index` if negative; if then outside
                    // [0, index): an error that stops the run (CPU), or the accesses that use it
                    // are skipped and an error word is set (CUDA)
  kAccumulator = 9,  // template kernels: the value the template computed at this point
};
inline constexpr int kInstKindCount = 10;
std::string_view to_string(InstKind kind);

struct Inst {
  InstKind kind = InstKind::kConst;
  DType dtype = DType::kF32;  // of the result (kStore: of the stored element)
  ScalarOp op = ScalarOp::kNeg;
  ReduceOp reduce = ReduceOp::kSum;
  StoreMode store_mode = StoreMode::kSet;
  uint32_t buffer = 0;  // position in Kernel::buffers
  InstId args[3] = {kNoInst, kNoInst, kNoInst};
  InstId predicate = kNoInst;  // a bool instruction
  double constant = 0;
  int64_t int_constant = 0;
  sym::Expr index = {};  // an element offset, an index or an extent, by kind

  friend bool operator==(const Inst&, const Inst&) = default;
};

// A stretch of consecutive instructions, insts[first, last), that run at the same points.
struct Stage {
  uint32_t first = 0;
  uint32_t last = 0;
  bool inner = false;  // runs for every point of the inner axes too

  friend bool operator==(const Stage&, const Stage&) = default;
};

struct Axis {
  sym::Expr extent = {};  // over d0…; at least 0
  bool inner = false;     // an axis of the inner stages (reduced, or stored along)

  friend bool operator==(const Axis&, const Axis&) = default;
};

enum class Access : uint8_t { kRead = 0, kWrite = 1, kReadWrite = 2 };
inline constexpr int kAccessCount = 3;
constexpr bool reads(Access access) { return access != Access::kWrite; }
constexpr bool writes(Access access) { return access != Access::kRead; }

struct BufferParam {
  DType dtype = DType::kF32;
  Access access = Access::kRead;

  friend bool operator==(const BufferParam&, const BufferParam&) = default;
};

// Instructions over axes: the whole of a loop kernel, the epilogue of a template.
// Parallel axes come first, outermost first; inner axes after them. An inner-stage value may be
// used in a later inner stage: whoever executes the kernel keeps or recomputes it.
struct Body {
  std::vector<Axis> axes = {};
  std::vector<Inst> insts = {};
  std::vector<Stage> stages = {};

  friend bool operator==(const Body&, const Body&) = default;
};

enum class KernelKind : uint8_t {
  kLoop = 0,
  kMatmul = 1,
  kConv = 2,
  kAttention = 3,
  kScan = 4,
  kSort = 5,
};
inline constexpr int kKernelKindCount = 6;
std::string_view to_string(KernelKind kind);

// An operand of a template: its element (i0, i1, …) is buffer[offset + sum(i_k * strides[k])].
struct Operand {
  uint32_t buffer = 0;
  sym::Expr offset = {};
  // Elements, one per dimension the template documents; 0 repeats.
  std::vector<sym::Expr> strides = {};

  friend bool operator==(const Operand&, const Operand&) = default;
};

// out[b…, m, n] = sum_k A[b…, m, k] * B[b…, k, n], accumulated in Kernel::accumulator.
// Operands A (b…, m, k), B (b…, k, n); epilogue axes: b…, m, n.
struct MatmulTemplate {
  std::vector<sym::Expr> batch = {};
  sym::Expr m = {}, n = {}, k = {};

  friend bool operator==(const MatmulTemplate&, const MatmulTemplate&) = default;
};

// Correlation over `window.size()` = 1, 2 or 3 spatial dimensions, as PyTorch's convolution.
// Operands: input (n, c, spatial…), weight (oc, c / groups, window…; transposed: c, oc / groups,
// window…). Epilogue axes: n, oc, spatial….
struct ConvTemplate {
  sym::Expr batch = {}, in_channels = {}, out_channels = {};
  std::vector<sym::Expr> in_sizes = {}, out_sizes = {};
  std::vector<int64_t> window = {}, stride = {}, padding = {}, dilation = {};
  int64_t groups = 1;
  bool transposed = false;

  friend bool operator==(const ConvTemplate&, const ConvTemplate&) = default;
};

// out[b, h, q, d] = sum_k softmax over k of score(b, h, q, k), times V[b, hk, k, d], where score =
// scale * dot(Q[b, h, q], K[b, hk, k]) passed through `score_body` if that has instructions, and
// hk = h // (heads // kv_heads). A row whose scores are all -inf gives NaN or 0.
// Operands: Q (b, h, q, e), K (b, hk, k, e), V (b, hk, k, d). Epilogue axes: b, h, q, d.
// score_body axes: b, h, q, k; kAccumulator is the score, the last instruction is the new one.
struct AttentionTemplate {
  sym::Expr batch = {}, heads = {}, kv_heads = {}, queries = {}, keys = {}, key_size = {},
            value_size = {};
  double scale = 1;
  bool causal = false;  // keys k > q are left out, and not computed
  bool masked_row_is_nan = false;
  Body score_body = {};

  friend bool operator==(const AttentionTemplate&, const AttentionTemplate&) = default;
};

// out[row…, i] = fold of in[row…, 0..i]. Operands: input (row…, i); for kArgMax and kArgMin, which
// give values and positions (cummax, cummin), also the i64 positions (row…, i), written.
// Epilogue axes: row…, i.
struct ScanTemplate {
  ReduceOp op = ReduceOp::kSum;
  bool log_sum_exp = false;  // logcumsumexp
  std::vector<sym::Expr> rows = {};
  sym::Expr extent = {};

  friend bool operator==(const ScanTemplate&, const ScanTemplate&) = default;
};

// Sorts each row, stably, NaN as the largest; the first `keep` elements are written. Operands:
// input (row…, i), values (row…, i), i64 positions (row…, i). No epilogue.
struct SortTemplate {
  bool descending = false;
  std::vector<sym::Expr> rows = {};
  sym::Expr extent = {}, keep = {};

  friend bool operator==(const SortTemplate&, const SortTemplate&) = default;
};

struct Kernel {
  std::string name = {};  // readable stem, "softmax_add"; not part of the identity
  KernelKind kind = KernelKind::kLoop;
  std::vector<BufferParam> buffers = {};
  uint32_t scalar_count = 0;           // d0 … d<n-1>
  Body body = {};                      // of a loop kernel; a template's epilogue
  std::vector<Operand> operands = {};  // of a template
  DType accumulator = DType::kF32;     // dtype of kAccumulator
  MatmulTemplate matmul = {};          // the one that `kind` names is used
  ConvTemplate conv = {};
  AttentionTemplate attention = {};
  ScanTemplate scan = {};
  SortTemplate sort = {};
};

// True when both compute the same: their canonical encodings without the name are equal, so that
// 0.0 and -0.0 differ and a NaN equals itself.
bool same_kernel(const Kernel& a, const Kernel& b);

// XXH3 of the canonical encoding without the name: equal for same kernels, on every host.
uint64_t kernel_hash(const Kernel& kernel);
// "softmax_add_<hash>": unique to what the kernel computes.
std::string kernel_symbol(const Kernel& kernel);

}  // namespace ingot::program
