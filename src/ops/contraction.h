// Matrix products as the operators built on them need them.
#pragma once

#include "ir/builder.h"
#include "ops/index_space.h"
#include "ops/testing.h"

namespace ingot::ops {

// a[…, m, k] @ b[…, k, n] (equal ranks of at least 2) in the type products accumulate in: f32 for
// 16-bit operands, their own otherwise. Add to it, then round once.
ir::Value* wide_matmul(ir::Builder& b, ir::Value* lhs, ir::Value* rhs);

// The reference of the same, as doubles.
RefTensor matmul_reference(const RefTensor& a, const RefTensor& b);

}  // namespace ingot::ops
