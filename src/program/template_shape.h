// The sizes that template kernels give to their operands and epilogues, said once for validator,
// executors and printers. All are expressions over d0, d1, ….
#pragma once

#include <cstddef>
#include <vector>

#include "program/kernel.h"

namespace ingot::program {

// The operands that the template has: matmul A and B, conv input and weight, attention Q, K and V,
// scan input (and positions, for kArgMin and kArgMax), sort input, values and positions. None for
// a loop kernel.
size_t template_operand_count(const Kernel& kernel);

// The index space of operand `position`, outermost first.
std::vector<sym::Expr> operand_sizes(const Kernel& kernel, size_t position);

// True for the operands that the template writes itself: the positions of a scan, the values and
// positions of a sort.
bool is_written_operand(const Kernel& kernel, size_t position);

// The extents of the epilogue's axes; none for a sort, which has no epilogue.
std::vector<sym::Expr> epilogue_sizes(const Kernel& kernel);

// The extents of AttentionTemplate::score_body's axes.
std::vector<sym::Expr> score_sizes(const AttentionTemplate& attention);

}  // namespace ingot::program
