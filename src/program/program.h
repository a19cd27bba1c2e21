// A compiled model: what the package carries and the runtime executes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "program/kernel.h"

namespace ingot::program {

using BufferIndex = uint32_t;  // position in Plan::buffers
using KernelIndex = uint32_t;  // position in Program::kernels
using LocIndex = uint32_t;     // position in Program::locations
inline constexpr uint32_t kNoIndex = UINT32_MAX;

enum class BufferKind : uint8_t {
  kInput = 0,      // the caller's tensor: `source` is the position in Program::inputs
  kOutput = 1,     // `source` is the position in Program::outputs
  kConstant = 2,   // `source` is the position in Program::weights
  kState = 3,      // lives in the Context, starts as the weight `source`
  kTemporary = 4,  // at `arena_offset` of the Context's arena
  kDerived = 5,    // filled by the init block at load, at `arena_offset` of the Program's own arena
};
inline constexpr int kBufferKindCount = 6;
std::string_view to_string(BufferKind kind);
// True for kinds that have an `arena_offset`, false for those that have a `source`.
constexpr bool in_arena(BufferKind kind) {
  return kind == BufferKind::kTemporary || kind == BufferKind::kDerived;
}

// Buffers are contiguous in memory; how dimensions lie in them is known to the kernels alone,
// except that inputs, outputs, constants and state are row-major.
struct Buffer {
  std::string name = {};  // for people: the value's name in the export
  BufferKind kind = BufferKind::kTemporary;
  DType dtype = DType::kF32;
  sym::Expr elements = {};  // over the program's symbols
  uint32_t source = kNoIndex;
  sym::Expr arena_offset = {};  // bytes, a multiple of 64
};

struct BufferArg {
  BufferIndex buffer = 0;
  sym::Expr offset = {};  // elements
};

enum class StepKind : uint8_t {
  kLaunch = 0,    // run `kernel` over `buffers` with `scalars`
  kCopy = 1,      // buffers[1] := buffers[0], `bytes`
  kFill = 2,      // `bytes` of buffers[0] := `fill`
  kAssert = 3,    // `condition` must be non-zero, else the run fails with `message`
  kHostRead = 4,  // the one element of buffers[0] becomes the program symbol `symbol`
};
inline constexpr int kStepKindCount = 5;
std::string_view to_string(StepKind kind);

struct Step {
  StepKind kind = StepKind::kLaunch;
  KernelIndex kernel = kNoIndex;
  std::vector<BufferArg> buffers = {};  // one per parameter of the kernel
  std::vector<sym::Expr> scalars = {};  // values of d0, d1, … over the program's symbols
  sym::Expr bytes = {};
  uint8_t fill = 0;
  sym::Expr condition = {};
  std::string message = {};
  std::string symbol = {};
  LocIndex loc = kNoIndex;
};

// The steps for one target over the shared kernels and weights.
struct Plan {
  std::string target = {};  // "cpu", "sm_90a", "ptx"
  std::vector<Buffer> buffers = {};
  std::vector<Step> init = {};   // fills the derived buffers from the constants, at load
  std::vector<Step> steps = {};  // one run
  sym::Expr arena_bytes = {};
  sym::Expr derived_bytes = {};  // without symbols
};

struct Weight {
  std::string name = {};  // PyTorch's fully qualified name
  DType dtype = DType::kF32;
  std::vector<int64_t> sizes = {};
  std::vector<int64_t> strides = {};  // elements; views of a shared storage overlap
  int64_t storage_offset = 0;         // elements from the start of the storage
  uint32_t storage = 0;               // position in Program::storages
};

// The bytes that weights are views of: stored once, as exported.
struct Storage {
  uint64_t offset = 0;  // bytes from the start of the weights blob; a multiple of 64
  uint64_t bytes = 0;
  uint64_t checksum = 0;  // XXH3 64-bit
};

// A Python value that is not a tensor.
struct Literal {
  enum class Kind : uint8_t { kNone = 0, kBool = 1, kInt = 2, kFloat = 3, kString = 4 };
  Kind kind = Kind::kNone;
  int64_t int_value = 0;  // kBool: 0 or 1
  double float_value = 0;
  std::string string_value = {};

  friend bool operator==(const Literal&, const Literal&) = default;
};
inline constexpr int kLiteralKindCount = 5;

enum class InputKind : uint8_t {
  kTensor = 0,
  kScalar = 1,    // an integer that becomes the program symbol `symbol`
  kBurnedIn = 2,  // the export specialised on `literal`; a given value is checked equal
};
inline constexpr int kInputKindCount = 3;

struct Input {
  std::string name = {};  // the forward argument's name, with a path for nested ones: "batch.mask"
  InputKind kind = InputKind::kTensor;
  DType dtype = DType::kF32;
  std::vector<sym::Expr> sizes = {};  // a bare symbol is bound by the first input that has it
  std::string symbol = {};
  Literal literal = {};
  bool mutated = false;  // the model writes this input: the caller's tensor is updated in place
};

enum class OutputKind : uint8_t {
  kTensor = 0,
  kLiteral = 1,
  kScalar = 2,  // the integer `scalar`
  kInput = 3,   // the caller's tensor of inputs[input], returned as it is
};
inline constexpr int kOutputKindCount = 4;

struct Output {
  std::string name = {};
  OutputKind kind = OutputKind::kTensor;
  DType dtype = DType::kF32;
  std::vector<sym::Expr> sizes = {};
  Literal literal = {};
  sym::Expr scalar = {};
  uint32_t input = kNoIndex;
};

// A dynamic size and the range it was exported with.
struct Symbol {
  std::string name = {};
  sym::Range range = {};
};

// Something the export relies on; checked at every run before anything is launched.
struct Guard {
  sym::Expr condition = {};
  std::string text = {};  // in the user's terms: "x.size(0) % 8 == 0"
};

// A line of the user's Python, for messages.
struct Location {
  std::string file = {};
  uint32_t line = 0;
  std::string function = {};
  std::string code = {};
  std::string module_path = {};  // "layers.3.self_attn (Attention)"
  std::string node = {};         // the export's node name

  friend bool operator==(const Location&, const Location&) = default;
};

struct Program {
  std::vector<Symbol> symbols = {};
  std::vector<Input> inputs = {};
  std::vector<Output> outputs = {};
  std::vector<Guard> guards = {};
  std::vector<Weight> weights = {};
  std::vector<Storage> storages = {};
  std::vector<Kernel> kernels = {};
  std::vector<Plan> plans = {};
  std::vector<Location> locations = {};
  std::string producer = {};  // "ingot 0.1.0"
};

// The plan for `target`, or null.
const Plan* find_plan(const Program& program, std::string_view target);
// The line that a step comes from; null when unknown or stripped from the package.
const Location* find_location(const Program& program, LocIndex loc);

}  // namespace ingot::program
