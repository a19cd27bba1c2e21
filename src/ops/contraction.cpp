#include "ops/contraction.h"

namespace ingot::ops {

ir::Value* wide_matmul(ir::Builder& b, ir::Value* lhs, ir::Value* rhs) {
  return b.call("ingot.matmul.default", {lhs, rhs, compute_type(lhs->dtype())});
}

RefTensor matmul_reference(const RefTensor& a, const RefTensor& b) {
  RefTensor result;
  result.dtype = a.dtype;
  const size_t rank = a.sizes.size();
  for (size_t i = 0; i + 2 < rank; ++i) {
    result.sizes.push_back(a.sizes[i] == 1 ? b.sizes[i] : a.sizes[i]);
  }
  result.sizes.push_back(a.sizes[rank - 2]);
  result.sizes.push_back(b.sizes[rank - 1]);
  for_each_index(result.sizes, [&](const std::vector<int64_t>& index) {
    std::vector<int64_t> in_a = index;
    std::vector<int64_t> in_b = index;
    for (size_t i = 0; i + 2 < rank; ++i) {
      if (a.sizes[i] == 1) in_a[i] = 0;
      if (b.sizes[i] == 1) in_b[i] = 0;
    }
    double sum = 0;
    for (int64_t k = 0; k < a.sizes[rank - 1]; ++k) {
      in_a[rank - 1] = k;
      in_b[rank - 2] = k;
      sum +=
          a.data[static_cast<size_t>(a.offset(in_a))] * b.data[static_cast<size_t>(b.offset(in_b))];
    }
    result.data.push_back(sum);
  });
  return result;
}

}  // namespace ingot::ops
