// What a launch touches once its sizes are known: whether every access stays inside its buffer.
//
// The kernel is valid (program/validate.h). An access that is not proved here may still be right
// (it is predicated, or its index comes from data): who executes it then checks it at every point.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "program/kernel.h"
#include "support/status.h"

namespace ingot::program {

// The values of d0, d1, …, and how many elements of each of Kernel::buffers are there to be used.
struct LaunchSizes {
  std::span<const int64_t> scalars;
  std::span<const int64_t> buffer_elements;
};

struct BodyAccess {
  std::vector<int64_t> extents;  // of Body::axes
  // By instruction: the values that Inst::index takes over all points, the int64 limits when
  // nothing is known (also when an intermediate result might overflow: arithmetic wraps there).
  std::vector<sym::Range> index;
  // By instruction: false for a load or store whose index may be outside its buffer.
  std::vector<bool> proved;
};

// Fails with Diag::kBadPackage when an extent is negative, when the number of points is beyond
// 64 bits, or when a divisor that would be used is not positive.
Result<BodyAccess> body_access(const Body& body, const LaunchSizes& sizes);

// Checks what a template relies on beyond its bodies: sizes are not negative, fit together (groups
// divide channels, key heads divide heads, a sort keeps no more than it has) and do not overflow,
// and every element of every operand is inside its buffer. Ok for a loop kernel.
Status check_template_sizes(const Kernel& kernel, const LaunchSizes& sizes);

// The value of an expression over d0, d1, …, such as a template's sizes and strides. Fails with
// Diag::kBadPackage on overflow or a divisor that is not positive.
Result<int64_t> evaluate_size(const sym::Expr& expr, std::span<const int64_t> scalars);

}  // namespace ingot::program
