// Elements at other places: flip, roll, repeat, diagonal.
#include "ops/broadcast.h"
#include "ops/op_def.h"
#include "ops/reference_view.h"

namespace ingot::ops {
namespace {

using Dims = std::vector<int64_t>;

std::vector<TensorType> infer_self(const Node& node) { return {node.tensor("self")->type}; }

Scalar flip_element(ElementBuilder& e, const Node& node, uint32_t, const Index& index) {
  const Value* self = node.tensor("self");
  Index source = index;
  for (const int64_t dim : node.constants("dims")) {
    const size_t d = normal_dim(dim, self->rank());
    source[d] = self->type.sizes[d] - 1 - index[d];
  }
  return e.load(self, source);
}

std::vector<RefTensor> flip_reference(const RefArgs& args) {
  const RefTensor& self = args.tensor("self");
  return {rearranged(self, self.sizes, [&](Dims index) {
    for (const int64_t dim : args.integers("dims")) {
      const size_t d = normal_dim(dim, static_cast<int64_t>(self.sizes.size()));
      index[d] = self.sizes[d] - 1 - index[d];
    }
    return index;
  })};
}

Scalar roll_element(ElementBuilder& e, const Node& node, uint32_t, const Index& index) {
  const Value* self = node.tensor("self");
  const Sizes shifts = node.integers("shifts");
  const Dims dims = node.constants("dims");
  Index source = index;
  if (dims.empty()) {
    // Rolls the flattened tensor.
    sym::Expr position = 0;
    for (size_t i = 0; i < index.size(); ++i) position = position * self->type.sizes[i] + index[i];
    position = sym::mod(position - shifts.at(0), self->type.elements());
    for (size_t i = index.size(); i-- > 0;) {
      source[i] = i == 0 ? position : sym::mod(position, self->type.sizes[i]);
      position = sym::floor_div(position, self->type.sizes[i]);
    }
    return e.load(self, source);
  }
  for (size_t i = 0; i < dims.size(); ++i) {
    const size_t d = normal_dim(dims[i], self->rank());
    source[d] = sym::mod(source[d] - shifts[i], self->type.sizes[d]);
  }
  return e.load(self, source);
}

std::vector<RefTensor> roll_reference(const RefArgs& args) {
  const RefTensor& self = args.tensor("self");
  const Dims shifts = args.integers("shifts");
  const Dims dims = args.integers("dims");
  if (dims.empty()) {
    RefTensor result = self;
    const auto count = static_cast<int64_t>(self.data.size());
    for (int64_t i = 0; i < count; ++i) {
      const int64_t from = ((i - shifts[0]) % count + count) % count;
      result.data[static_cast<size_t>(i)] = self.data[static_cast<size_t>(from)];
    }
    return {result};
  }
  return {rearranged(self, self.sizes, [&](Dims index) {
    for (size_t i = 0; i < dims.size(); ++i) {
      const size_t d = normal_dim(dims[i], static_cast<int64_t>(self.sizes.size()));
      index[d] = ((index[d] - shifts[i]) % self.sizes[d] + self.sizes[d]) % self.sizes[d];
    }
    return index;
  })};
}

const char* repeats_name(const Node& node) { return node.has_param("dims") ? "dims" : "repeats"; }

// The operand's sizes and the repeats, both with as many dimensions as the result has.
void align_repeats(const Node& node, Sizes& sizes, Sizes& repeats) {
  sizes = node.tensor("self")->type.sizes;
  repeats = node.integers(repeats_name(node));
  while (sizes.size() < repeats.size()) sizes.insert(sizes.begin(), sym::Expr(1));
  while (repeats.size() < sizes.size()) repeats.insert(repeats.begin(), sym::Expr(1));
}

std::vector<TensorType> infer_repeat(const Node& node) {
  Sizes sizes;
  Sizes repeats;
  align_repeats(node, sizes, repeats);
  for (size_t i = 0; i < sizes.size(); ++i) sizes[i] = sizes[i] * repeats[i];
  return {{node.tensor("self")->dtype(), sizes}};
}

Scalar repeat_element(ElementBuilder& e, const Node& node, uint32_t, const Index& index) {
  const Value* self = node.tensor("self");
  const size_t added = index.size() - self->type.sizes.size();
  Index source;
  for (size_t i = 0; i < self->type.sizes.size(); ++i) {
    source.push_back(sym::mod(index[i + added], self->type.sizes[i]));
  }
  return e.load(self, source);
}

std::vector<RefTensor> repeat_reference(const RefArgs& args) {
  const RefTensor& self = args.tensor("self");
  return {rearranged(self, args.result_sizes[0], [&](const Dims& index) {
    Dims source(index.end() - static_cast<long>(self.sizes.size()), index.end());
    for (size_t i = 0; i < source.size(); ++i) source[i] %= self.sizes[i];
    return source;
  })};
}

struct Diagonal {
  size_t dim1, dim2;
  int64_t offset;
  sym::Expr length;
  Sizes sizes;
};

Diagonal diagonal_of(const Node& node) {
  const Value* self = node.tensor("self");
  Diagonal result{normal_dim(node.constant("dim1"), self->rank()),
                  normal_dim(node.constant("dim2"), self->rank()),
                  node.constant("offset"),
                  0,
                  {}};
  const sym::Expr rows = self->type.sizes[result.dim1] + std::min<int64_t>(result.offset, 0);
  const sym::Expr columns = self->type.sizes[result.dim2] - std::max<int64_t>(result.offset, 0);
  result.length = sym::max(sym::min(rows, columns), 0);
  for (size_t i = 0; i < self->type.sizes.size(); ++i) {
    if (i != result.dim1 && i != result.dim2) result.sizes.push_back(self->type.sizes[i]);
  }
  result.sizes.push_back(result.length);
  return result;
}

Scalar diagonal_element(ElementBuilder& e, const Node& node, uint32_t, const Index& index) {
  const Value* self = node.tensor("self");
  const Diagonal diagonal = diagonal_of(node);
  Index source(self->type.sizes.size());
  size_t next = 0;
  for (size_t i = 0; i < source.size(); ++i) {
    if (i == diagonal.dim1) {
      source[i] = index.back() + std::max<int64_t>(-diagonal.offset, 0);
    } else if (i == diagonal.dim2) {
      source[i] = index.back() + std::max<int64_t>(diagonal.offset, 0);
    } else {
      source[i] = index[next++];
    }
  }
  return e.load(self, source);
}

std::vector<RefTensor> diagonal_reference(const RefArgs& args) {
  const RefTensor& self = args.tensor("self");
  const auto rank = static_cast<int64_t>(self.sizes.size());
  const size_t dim1 = normal_dim(args.integer("dim1"), rank);
  const size_t dim2 = normal_dim(args.integer("dim2"), rank);
  const int64_t offset = args.integer("offset");
  return {rearranged(self, args.result_sizes[0], [&](const Dims& index) {
    Dims source(self.sizes.size());
    size_t next = 0;
    for (size_t i = 0; i < source.size(); ++i) {
      if (i == dim1) {
        source[i] = index.back() + std::max<int64_t>(-offset, 0);
      } else {
        source[i] = i == dim2 ? index.back() + std::max<int64_t>(offset, 0) : index[next++];
      }
    }
    return source;
  })};
}

constexpr std::string_view kFlipSchemas[] = {"aten::flip(Tensor self, int[] dims) -> Tensor"};
constexpr std::string_view kRollSchemas[] = {
    "aten::roll(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor"};
constexpr std::string_view kRepeatSchemas[] = {
    "aten::repeat(Tensor self, SymInt[] repeats) -> Tensor",
    "aten::tile(Tensor self, SymInt[] dims) -> Tensor"};
constexpr std::string_view kDiagonalSchemas[] = {
    "aten::diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> Tensor(a)"};

Case make_case(std::string schema, std::vector<CaseArg> args, bool dynamic = false) {
  Case made{.schema = std::move(schema), .args = std::move(args)};
  made.dtypes = {DType::kF32, DType::kI64};
  made.dynamic = dynamic;
  return made;
}

constexpr OpDef kDefs[] = {
    {.name = "diagonal",
     .schemas = kDiagonalSchemas,
     .kind = OpKind::kView,
     .infer = [](const Node& node) -> std::vector<TensorType> {
       return {{node.tensor("self")->dtype(), diagonal_of(node).sizes}};
     },
     .element = diagonal_element,
     .reference = diagonal_reference,
     .cases =
         [] {
           return std::vector<Case>{
               make_case("aten.diagonal.default", {TensorArg{{4, 6}}}, true),
               make_case("aten.diagonal.default",
                         {TensorArg{{4, 2, 6}}, int64_t{-1}, int64_t{0}, int64_t{2}})};
         }},
    {.name = "flip",
     .schemas = kFlipSchemas,
     .kind = OpKind::kIndexing,
     .infer = infer_self,
     .element = flip_element,
     .reference = flip_reference,
     .cases =
         [] {
           return std::vector<Case>{
               make_case("aten.flip.default", {TensorArg{{3, 4, 5}}, Dims{0, -1}}, true)};
         }},
    {.name = "repeat",
     .schemas = kRepeatSchemas,
     .kind = OpKind::kIndexing,
     .infer = infer_repeat,
     .element = repeat_element,
     .reference = repeat_reference,
     .cases =
         [] {
           return std::vector<Case>{
               make_case("aten.repeat.default", {TensorArg{{3, 4}}, Dims{2, 1, 3}}, true),
               make_case("aten.tile.default", {TensorArg{{3, 4}}, Dims{2}})};
         }},
    {.name = "roll",
     .schemas = kRollSchemas,
     .kind = OpKind::kIndexing,
     .infer = infer_self,
     .element = roll_element,
     .reference = roll_reference,
     .cases =
         [] {
           return std::vector<Case>{
               make_case("aten.roll.default", {TensorArg{{3, 5}}, Dims{2, -1}, Dims{1, 0}}, true),
               make_case("aten.roll.default", {TensorArg{{3, 5}}, Dims{4}})};
         }},
};

}  // namespace

extern constexpr OpFamily k_rearranging{kDefs};

}  // namespace ingot::ops
