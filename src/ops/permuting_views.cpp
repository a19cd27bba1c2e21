// Views that reorder dimensions: all become aten.permute.
#include <numeric>

#include "ops/broadcast.h"
#include "ops/op_def.h"
#include "ops/reference_view.h"

namespace ingot::ops {
namespace {

using Dims = std::vector<int64_t>;

// Where the result's dimensions come from, for an operand of `rank`; `integer(name)` and
// `integers(name)` read the arguments, so that operators and references share this.
template <typename Args>
Dims transposed(const Args& args, int64_t rank, const char* first, const char* second) {
  Dims dims(static_cast<size_t>(rank));
  std::iota(dims.begin(), dims.end(), int64_t{0});
  if (rank > 0) {
    std::swap(dims[normal_dim(args.integer(first), rank)],
              dims[normal_dim(args.integer(second), rank)]);
  }
  return dims;
}

// The constants of a node, as RefArgs names them.
struct NodeArgs {
  const Node& node;
  int64_t integer(const char* name) const { return node.constant(name); }
  Dims integers(const char* name) const {
    if (std::holds_alternative<sym::Expr>(node.arg(name))) return {node.constant(name)};
    return node.constants(name);
  }
};
struct CallArgs {
  const RefArgs& args;
  int64_t integer(const char* name) const { return args.integer(name); }
  Dims integers(const char* name) const {
    if (std::holds_alternative<int64_t>(args.arg(name))) return {args.integer(name)};
    return args.integers(name);
  }
};

struct TransposeDims {
  template <typename Args>
  static Dims of(const Args& args, int64_t rank) {
    return transposed(args, rank, "dim0", "dim1");
  }
};
struct SwapaxesDims {
  template <typename Args>
  static Dims of(const Args& args, int64_t rank) {
    return transposed(args, rank, "axis0", "axis1");
  }
};
struct LastTwoDims {
  template <typename Args>
  static Dims of(const Args&, int64_t rank) {
    Dims dims(static_cast<size_t>(rank));
    std::iota(dims.begin(), dims.end(), int64_t{0});
    if (rank >= 2) std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
    return dims;
  }
};
struct ReversedDims {
  template <typename Args>
  static Dims of(const Args&, int64_t rank) {
    Dims dims;
    for (int64_t dim = rank; dim-- > 0;) dims.push_back(dim);
    return dims;
  }
};
struct MovedDims {
  template <typename Args>
  static Dims of(const Args& args, int64_t rank) {
    const Dims source = args.integers("source");
    const Dims destination = args.integers("destination");
    Dims dims(static_cast<size_t>(rank), -1);
    std::vector<bool> moved(static_cast<size_t>(rank), false);
    for (size_t i = 0; i < source.size(); ++i) {
      const size_t from = normal_dim(source[i], rank);
      dims[normal_dim(destination[i], rank)] = static_cast<int64_t>(from);
      moved[from] = true;
    }
    size_t next = 0;
    for (int64_t& dim : dims) {
      if (dim >= 0) continue;
      while (moved[next]) ++next;
      dim = static_cast<int64_t>(next++);
    }
    return dims;
  }
};

template <typename DimsOf>
constexpr OpDef make_permutation(std::string_view name, std::span<const std::string_view> schemas,
                                 CasesFn cases) {
  return {.name = name,
          .schemas = schemas,
          .kind = OpKind::kComposite,
          .infer = [](const Node& node) -> std::vector<TensorType> {
            const Value* self = node.tensor("self");
            TensorType type{self->dtype(), {}};
            for (const int64_t dim : DimsOf::of(NodeArgs{node}, self->rank())) {
              type.sizes.push_back(self->size(dim));
            }
            return {type};
          },
          .decompose = [](ir::Builder& b, const Node& node) -> std::vector<Value*> {
            Value* self = node.tensor("self");
            return {b.permute(self, DimsOf::of(NodeArgs{node}, self->rank()))};
          },
          .reference = [](const RefArgs& args) -> std::vector<RefTensor> {
            const RefTensor& self = args.tensor("self");
            const Dims dims = DimsOf::of(CallArgs{args}, static_cast<int64_t>(self.sizes.size()));
            return {rearranged(self, args.result_sizes[0], [&](const Dims& index) {
              Dims source(index.size());
              for (size_t i = 0; i < dims.size(); ++i) {
                source[static_cast<size_t>(dims[i])] = index[i];
              }
              return source;
            })};
          },
          .cases = cases};
}

Case make_case(std::string schema, std::vector<CaseArg> args) {
  Case made{.schema = std::move(schema), .args = std::move(args)};
  made.dtypes = {DType::kF32, DType::kI64};
  made.dynamic = true;
  return made;
}

constexpr std::string_view kTransposeSchemas[] = {
    "aten::transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)",
    "aten::swapdims(Tensor(a) self, int dim0, int dim1) -> Tensor(a)"};
constexpr std::string_view kSwapaxesSchemas[] = {
    "aten::swapaxes(Tensor(a) self, int axis0, int axis1) -> Tensor(a)"};
constexpr std::string_view kLastTwoSchemas[] = {"aten::t(Tensor(a) self) -> Tensor(a)",
                                                "aten::mT(Tensor(a) self) -> Tensor(a)"};
constexpr std::string_view kReversedSchemas[] = {"aten::numpy_T(Tensor(a) self) -> Tensor(a)"};
constexpr std::string_view kMovedimSchemas[] = {
    "aten::movedim.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)",
    "aten::movedim.int(Tensor(a) self, int source, int destination) -> Tensor(a)"};

constexpr OpDef kDefs[] = {
    make_permutation<MovedDims>(
        "movedim", kMovedimSchemas,
        [] {
          return std::vector<Case>{
              make_case("aten.movedim.intlist", {TensorArg{{2, 3, 5}}, Dims{0, 1}, Dims{-1, 0}}),
              make_case("aten.movedim.int", {TensorArg{{2, 3, 5}}, int64_t{2}, int64_t{0}})};
        }),
    make_permutation<ReversedDims>(
        "numpy_T", kReversedSchemas,
        [] {
          return std::vector<Case>{make_case("aten.numpy_T.default", {TensorArg{{2, 3, 5}}})};
        }),
    make_permutation<SwapaxesDims>("swapaxes", kSwapaxesSchemas,
                                   [] {
                                     return std::vector<Case>{
                                         make_case("aten.swapaxes.default",
                                                   {TensorArg{{2, 3, 5}}, int64_t{0}, int64_t{2}})};
                                   }),
    make_permutation<LastTwoDims>("t", kLastTwoSchemas,
                                  [] {
                                    return std::vector<Case>{
                                        make_case("aten.t.default", {TensorArg{{3, 5}}}),
                                        make_case("aten.mT.default", {TensorArg{{2, 3, 5}}})};
                                  }),
    make_permutation<TransposeDims>(
        "transpose", kTransposeSchemas,
        [] {
          return std::vector<Case>{
              make_case("aten.transpose.int", {TensorArg{{2, 3, 5}}, int64_t{1}, int64_t{-1}}),
              make_case("aten.swapdims.default", {TensorArg{{2, 3, 5}}, int64_t{0}, int64_t{1}})};
        }),
};

}  // namespace

extern constexpr OpFamily k_permuting_views{kDefs};

}  // namespace ingot::ops
