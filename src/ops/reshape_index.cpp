#include "ops/reshape_index.h"

namespace ingot::ops {
namespace {

// Converts dimensions [from_begin, from_end) into [to_begin, to_end), which have equal products.
void convert_run(const Sizes& from, const Index& index, size_t from_begin, size_t from_end,
                 const Sizes& to, size_t to_begin, size_t to_end, Index& result) {
  sym::Expr position = 0;
  for (size_t i = from_begin; i < from_end; ++i) position = position * from[i] + index[i];
  for (size_t j = to_end; j-- > to_begin;) {
    if (to[j].is_const(1)) {
      result[j] = 0;
    } else if (j == to_begin) {
      result[j] = position;
    } else {
      result[j] = sym::mod(position, to[j]);
      position = sym::floor_div(position, to[j]);
    }
  }
}

}  // namespace

Index reshape_index(const Sizes& from, const Index& index, const Sizes& to) {
  Index result(to.size(), sym::Expr(0));
  size_t i = 0;
  size_t j = 0;
  while (i < from.size() || j < to.size()) {
    const size_t from_begin = i;
    const size_t to_begin = j;
    sym::Expr from_product = i < from.size() ? from[i++] : sym::Expr(1);
    sym::Expr to_product = j < to.size() ? to[j++] : sym::Expr(1);
    // Extend the shorter side until the products agree; at the latest when both are used up.
    while (!(from_product == to_product) && (i < from.size() || j < to.size())) {
      const auto a = from_product.as_const();
      const auto b = to_product.as_const();
      const bool extend_to = i == from.size() || (j < to.size() && a && b && *b < *a) ||
                             (j < to.size() && !(a && b) && j - to_begin <= i - from_begin);
      if (extend_to) {
        to_product = to_product * to[j++];
      } else {
        from_product = from_product * from[i++];
      }
    }
    convert_run(from, index, from_begin, i, to, to_begin, j, result);
  }
  return result;
}

}  // namespace ingot::ops
