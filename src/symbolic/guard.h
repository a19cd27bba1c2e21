// The conditions an export relies on, as torch.export writes them: Python over the model's inputs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "symbolic/expr.h"

namespace ingot::sym {

// The "dimension" of an input that is a Python number itself: L['n'] rather than a size.
inline constexpr int64_t kGuardValue = -1;

// The expression for an input's size, or for its value (kGuardValue); nothing when there is no such
// input or dimension. The path is what stands in L[…]: "x", "flat_args[0]", "cache['k'][1].keys".
using SymbolOf = std::function<std::optional<Expr>(std::string_view path, int64_t dim)>;

// Parses one entry of `guards_code`, such as "L['x'].size()[0] == (2*L['y'].size()[0])". An error
// also for what is well-formed but not a condition over sizes: strides, offsets, types.
Result<Expr> parse_guard(std::string_view text, const SymbolOf& symbol_of);

}  // namespace ingot::sym
