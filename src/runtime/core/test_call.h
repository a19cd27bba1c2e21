// Arguments for the affine program of test_programs.h, with something of each to change.
#pragma once

#include <array>
#include <vector>

#include "runtime/core/arguments.h"
#include "runtime/core/context.h"

namespace ingot::runtime::testing {

// A row-major float tensor that owns its values, aligned as the runtime likes it.
struct FloatTensor {
  explicit FloatTensor(std::vector<int64_t> shape, float first = 0, float step = 0)
      : sizes(std::move(shape)) {
    size_t count = 1;
    for (const int64_t size : sizes) count *= static_cast<size_t>(size);
    values.resize(count);
    for (size_t i = 0; i < count; ++i) values[i] = first + step * static_cast<float>(i);
  }
  TensorView view() { return {values.data(), DType::kF32, {}, sizes, {}, false}; }
  Argument argument(std::string_view name = {}) { return {name, true, view(), {}}; }

  std::vector<int64_t> sizes;
  std::vector<float> values;
};

inline Argument int_argument(int64_t value, std::string_view name = {}) {
  return {name, false, {}, {program::Literal::Kind::kInt, value, 0, {}}};
}
inline Argument bool_argument(bool value, std::string_view name = {}) {
  return {name, false, {}, {program::Literal::Kind::kBool, value, 0, {}}};
}

// x: 0, 1, 2, … of `rows` x 4; step 5; mask all 1.
struct AffineCall {
  explicit AffineCall(int64_t rows) : x({rows, 4}, 0, 1), mask({rows + 1}, 1) {}
  std::vector<Argument> arguments() {
    return {x.argument(), bool_argument(true), int_argument(step), mask.argument()};
  }
  // y of the program with its weights as they are: x * (w * 2) + bias.
  std::vector<float> expected_y() const {
    std::vector<float> y;
    for (size_t i = 0; i < x.values.size(); ++i) {
      y.push_back(x.values[i] * (static_cast<float>(i % 4) + 1) * 2 + 0.5f);
    }
    return y;
  }

  FloatTensor x;
  FloatTensor mask;
  int64_t step = 5;
};

inline std::vector<float> floats_of(const OutputHandle& tensor) {
  const auto* data = static_cast<const float*>(tensor->data());
  return {data, data + element_count(tensor->sizes)};
}

}  // namespace ingot::runtime::testing
