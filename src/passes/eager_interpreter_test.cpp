// The implementation of eager_interpreter.h and a few tests of its own.
#include "passes/eager_interpreter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "passes/testing.h"
#include "support/diagnostics.h"

namespace ingot::passes {

namespace {

using Dims = std::vector<int64_t>;

int64_t product(const Dims& sizes) {
  int64_t elements = 1;
  for (const int64_t size : sizes) elements *= size;
  return elements;
}

// Calls visit(position in memory) for each element in row-major order.
template <typename Visit>
void for_each_element(const EagerTensor& tensor, Visit visit) {
  Dims index(tensor.sizes.size(), 0);
  for (int64_t n = product(tensor.sizes); n > 0; --n) {
    int64_t position = tensor.offset;
    for (size_t i = 0; i < index.size(); ++i) position += index[i] * tensor.strides[i];
    visit(static_cast<size_t>(position));
    for (size_t i = index.size(); i-- > 0;) {
      if (++index[i] < tensor.sizes[i]) break;
      index[i] = 0;
    }
  }
}

EagerTensor expanded(const EagerTensor& tensor, const Dims& sizes) {
  EagerTensor result = tensor;
  const size_t added = sizes.size() - tensor.sizes.size();
  result.sizes = sizes;
  result.strides.assign(sizes.size(), 0);
  for (size_t i = added; i < sizes.size(); ++i) {
    const bool repeats = tensor.sizes[i - added] != sizes[i];
    result.strides[i] = repeats ? 0 : tensor.strides[i - added];
  }
  return result;
}

EagerTensor from_elements(Dims sizes, const std::vector<double>& elements) {
  EagerTensor result = EagerTensor::make(std::move(sizes));
  *result.memory = elements;
  return result;
}

// The same memory seen in other sizes, by trying strides: the view exists if every element of the
// new shape lies where the old one has it.
std::optional<EagerTensor> viewed(const EagerTensor& tensor, const Dims& sizes) {
  std::vector<size_t> positions;
  for_each_element(tensor, [&](size_t position) { positions.push_back(position); });
  EagerTensor result = tensor;
  result.sizes = sizes;
  result.strides.assign(sizes.size(), 0);
  int64_t step = 1;  // elements of the old order per step of the dimension
  for (size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] > 1) {
      result.strides[i] = static_cast<int64_t>(positions[static_cast<size_t>(step)]) -
                          static_cast<int64_t>(positions[0]);
    }
    step *= sizes[i];
  }
  size_t next = 0;
  bool fits = true;
  for_each_element(result, [&](size_t position) { fits &= position == positions[next++]; });
  return fits ? std::optional(result) : std::nullopt;
}

Dims solved_sizes(const ir::Node& node, const EagerTensor& self) {
  Dims sizes = node.constants(node.has_param("shape") ? "shape" : "size");
  int64_t known = 1;
  for (const int64_t size : sizes) known *= size < 0 ? 1 : size;
  for (int64_t& size : sizes) {
    if (size < 0) size = product(self.sizes) / known;
  }
  return sizes;
}

size_t dim_of(const ir::Node& node, const char* param, size_t rank) {
  const int64_t dim = node.constant(param);
  return static_cast<size_t>(dim < 0 ? dim + static_cast<int64_t>(rank) : dim);
}

EagerTensor select(const ir::Node& node, EagerTensor self) {
  const size_t dim = dim_of(node, "dim", self.sizes.size());
  int64_t index = node.constant("index");
  if (index < 0) index += self.sizes[dim];
  self.offset += index * self.strides[dim];
  self.sizes.erase(self.sizes.begin() + static_cast<long>(dim));
  self.strides.erase(self.strides.begin() + static_cast<long>(dim));
  return self;
}

EagerTensor slice(const ir::Node& node, EagerTensor self) {
  const size_t dim = dim_of(node, "dim", self.sizes.size());
  const int64_t size = self.sizes[dim];
  const auto bound = [&](const char* param, int64_t otherwise) {
    if (ir::is_none(node.arg(param))) return otherwise;
    const int64_t value = node.constant(param);
    return std::clamp<int64_t>(value < 0 ? value + size : value, 0, size);
  };
  const int64_t start = bound("start", 0);
  const int64_t step = node.constant("step");
  self.offset += start * self.strides[dim];
  self.strides[dim] *= step;
  self.sizes[dim] = std::max<int64_t>(0, (bound("end", size) - start + step - 1) / step);
  return self;
}

EagerTensor transpose(const ir::Node& node, EagerTensor self) {
  const size_t a = dim_of(node, "dim0", self.sizes.size());
  const size_t b = dim_of(node, "dim1", self.sizes.size());
  std::swap(self.sizes[a], self.sizes[b]);
  std::swap(self.strides[a], self.strides[b]);
  return self;
}

// The view that a node makes, or nothing if it calls no view operator.
std::optional<EagerTensor> run_view(const ir::Node& node, const EagerTensor& self) {
  const std::string& base = node.op->schema.base;
  if (base == "select") return select(node, self);
  if (base == "slice") return slice(node, self);
  if (base == "transpose") return transpose(node, self);
  if (base == "detach" || base == "detach_") return self;
  if (base == "unsqueeze" || base == "unsqueeze_") {
    EagerTensor result = self;
    const size_t dim = dim_of(node, "dim", self.sizes.size() + 1);
    result.sizes.insert(result.sizes.begin() + static_cast<long>(dim), 1);
    result.strides.insert(result.strides.begin() + static_cast<long>(dim), 1);
    return result;
  }
  if (base == "expand") return expanded(self, node.constants("size"));
  if (base == "view") {
    std::optional<EagerTensor> result = viewed(self, solved_sizes(node, self));
    if (!result) throw std::invalid_argument("view of this layout");
    return result;
  }
  if (base == "reshape") {
    const Dims sizes = solved_sizes(node, self);
    std::optional<EagerTensor> result = viewed(self, sizes);
    return result ? result : from_elements(sizes, self.elements());
  }
  if (base == "contiguous" || base == "clone") {
    EagerTensor copy = from_elements(self.sizes, self.elements());
    bool is_contiguous = base == "contiguous";
    for (size_t i = 0; i < self.sizes.size(); ++i) {
      is_contiguous &= self.sizes[i] == 1 || self.strides[i] == copy.strides[i];
    }
    return is_contiguous ? self : copy;
  }
  return std::nullopt;
}

double apply_operator(const std::string& base, double a, double b) {
  if (base == "add") return a + b;
  if (base == "mul") return a * b;
  if (base == "copy" || base == "fill") return b;
  if (base == "zero") return 0;
  if (base == "relu") return std::max(a, 0.0);
  throw InternalError("the eager interpreter does not know " + base);
}

}  // namespace

EagerTensor EagerTensor::make(std::vector<int64_t> sizes) {
  EagerTensor tensor;
  tensor.memory = std::make_shared<std::vector<double>>(static_cast<size_t>(product(sizes)));
  tensor.strides.assign(sizes.size(), 1);
  for (size_t i = sizes.size(); i-- > 1;) tensor.strides[i - 1] = tensor.strides[i] * sizes[i];
  tensor.sizes = std::move(sizes);
  return tensor;
}

std::vector<double> EagerTensor::elements() const {
  std::vector<double> values;
  for_each_element(*this, [&](size_t position) { values.push_back((*memory)[position]); });
  return values;
}

void EagerInterpreter::run(const ir::Node& node) {
  const EagerTensor self = get(node.tensor("self"));
  if (std::optional<EagerTensor> view = run_view(node, self)) {
    // unsqueeze_ changes the tensor object itself.
    if (node.op->schema.is_mutating()) set(node.tensor("self"), *view);
    return set(node.results[0], *view);
  }
  std::string base = node.op->schema.base;
  const bool is_in_place = base.ends_with('_');
  if (is_in_place) base.pop_back();
  std::vector<double> other(static_cast<size_t>(product(self.sizes)), 0);
  for (const char* param : {"other", "src", "value"}) {
    if (!node.has_param(param)) continue;
    const auto* tensor = std::get_if<ir::Value*>(&node.arg(param));
    if (tensor) {
      other = expanded(get(*tensor), self.sizes).elements();
    } else {
      std::fill(other.begin(), other.end(), node.number(param));
    }
  }
  const std::vector<double> elements = self.elements();
  std::vector<double> results;
  for (size_t i = 0; i < elements.size(); ++i) {
    results.push_back(apply_operator(base, elements[i], other[i]));
  }
  if (!is_in_place) return set(node.results[0], from_elements(self.sizes, results));
  size_t next = 0;
  for_each_element(self, [&](size_t position) { (*self.memory)[position] = results[next++]; });
  set(node.results[0], self);
}

namespace {

TEST(EagerInterpreter, WritesThroughViews) {
  const auto model = parse(R"(graph main(%x: f64[2, 3]) {
  %t: f64[3, 2] = aten.transpose.int(%x, 0, 1)
  %row: f64[2] = aten.select.int(%t, 0, 1)
  %w: f64[2] = aten.fill_.Scalar(%row, 7.0)
  %r: f64[6] = aten.reshape.default(%t, [6])
  %z: f64[6] = aten.zero_.default(%r)
  return %x
})");
  EagerInterpreter eager;
  EagerTensor x = EagerTensor::make({2, 3});
  *x.memory = {0, 1, 2, 3, 4, 5};
  eager.set(model->graph.inputs()[0], x);
  for (const ir::Node* node : model->graph.nodes()) eager.run(*node);
  // The reshape of the transposed tensor was a copy.
  EXPECT_EQ(*x.memory, (std::vector<double>{0, 7, 2, 3, 7, 5}));
}

}  // namespace

}  // namespace ingot::passes
