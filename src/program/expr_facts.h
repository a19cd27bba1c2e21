// What the validator asks about expressions, found once per expression however often it is used.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "symbolic/expr.h"

namespace ingot::program {

// The symbols of a kernel's expressions are d<n>, a<n> and v<n> (program/kernel.h).
enum class KernelSymbolKind : uint8_t { kScalar, kAxis, kValue, kOther };
struct KernelSymbol {
  KernelSymbolKind kind = KernelSymbolKind::kOther;
  uint32_t position = 0;
};
// kOther for a name that is none of them, such as "d01" or "s0".
KernelSymbol parse_kernel_symbol(std::string_view name);

struct ExprFacts {
  std::vector<std::string> symbols;  // sorted
  uint32_t scalar_count = 0;         // one more than the largest n of a d<n>
  uint32_t axis_count = 0;           // likewise of a<n>
  std::vector<uint32_t> values;      // the n of each v<n>
  std::string other;                 // a symbol that is none of them, if there is one
  bool varying_divisor = false;      // a divisor uses an a<n> or v<n>
  bool bad_divisor = false;          // a divisor is a constant below 1
};

// Facts by the identity of the expression's root: expressions that were looked up must outlive it.
class ExprFactsCache {
 public:
  const ExprFacts& of(const sym::Expr& expr);

 private:
  std::unordered_map<const sym::Expr::Node*, ExprFacts> facts_;
};

}  // namespace ingot::program
