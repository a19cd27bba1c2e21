#include "symbolic/expr.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "symbolic/facts.h"
#include "symbolic/node.h"

namespace ingot::sym {
namespace {

// Nodes with few operands hold them inside, so that they cost one allocation.
template <size_t kCount>
struct InlineNode : Expr::Node {
  template <size_t... kIndex>
  InlineNode(std::span<Expr> from, std::index_sequence<kIndex...>)
      : storage{std::move(from[kIndex])...} {}
  Expr storage[kCount];
};

struct LargeNode : Expr::Node {
  std::vector<Expr> storage;
};

uint64_t mix(uint64_t seed, uint64_t value) {
  uint64_t h = seed ^ (value + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2));
  h *= 0xff51afd7ed558ccdULL;
  return h ^ (h >> 32);
}

uint64_t hash_text(std::string_view text) {
  uint64_t h = 0xcbf29ce484222325ULL;
  for (char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return mix(h, text.size());
}

uint8_t own_flags(ExprKind kind, std::span<const Expr> operands) {
  switch (kind) {
    case ExprKind::kConst:
    case ExprKind::kSymbol:
      return 0;
    case ExprKind::kAdd: {
      size_t n = operands.size();
      bool two_constants = operands[n - 1].is_const() && operands[n - 2].is_const();
      return two_constants ? kHasOverflow : 0;
    }
    case ExprKind::kMul:
      return operands[0].is_const() && operands[1].is_const() ? kHasOverflow : 0;
    case ExprKind::kFloorDiv:
    case ExprKind::kMod:
      return kHasDivision;
    default:
      return kHasOther;
  }
}

void finish(Expr::Node& node, ExprKind kind, std::span<const Expr> operands) {
  node.kind = kind;
  node.operands = operands.data();
  node.operand_count = static_cast<uint32_t>(operands.size());
  node.flags = own_flags(kind, operands);
  uint64_t hash = mix(0x51ed270b, static_cast<uint64_t>(kind));
  uint64_t size = 1;
  for (const Expr& operand : operands) {
    const Expr::Node& child = *operand.node();
    node.flags |= child.flags;
    node.depth = std::max(node.depth, child.depth + 1);
    node.symbols |= child.symbols;
    size += child.tree_size;
    hash = mix(hash, child.hash);
  }
  node.tree_size = static_cast<uint32_t>(std::min<uint64_t>(size, UINT32_MAX));
  node.hash = hash;
}

template <size_t kCount>
Expr make_inline(ExprKind kind, std::span<Expr> operands) {
  auto node = std::make_shared<InlineNode<kCount>>(operands, std::make_index_sequence<kCount>());
  finish(*node, kind, node->storage);
  return Expr(std::shared_ptr<const Expr::Node>(std::move(node)));
}

std::shared_ptr<const Expr::Node> new_constant(int64_t value) {
  auto node = std::make_shared<Expr::Node>();
  node->value = value;
  node->hash = mix(0x2545f491, static_cast<uint64_t>(value));
  return node;
}

constexpr int64_t kFirstShared = -16;
constexpr int64_t kLastShared = 1024;
using SharedConstants =
    std::array<std::shared_ptr<const Expr::Node>, size_t{kLastShared - kFirstShared + 1}>;

// The usual constants are made once, and live as long as the process.
const SharedConstants& shared_constants() {
  static const SharedConstants& table = *[] {
    auto* made = new SharedConstants;
    for (int64_t v = kFirstShared; v <= kLastShared; ++v) {
      (*made)[static_cast<size_t>(v - kFirstShared)] = new_constant(v);
    }
    return made;
  }();
  return table;
}

std::shared_ptr<const Expr::Node> constant_node(int64_t value) {
  if (value < kFirstShared || value > kLastShared) return new_constant(value);
  return shared_constants()[static_cast<size_t>(value - kFirstShared)];
}

}  // namespace

uint64_t symbol_bit(std::string_view name) { return uint64_t{1} << (hash_text(name) & 63); }

Expr make_node(ExprKind kind, std::vector<Expr> operands) {
  switch (operands.size()) {
    case 1:
      return make_inline<1>(kind, operands);
    case 2:
      return make_inline<2>(kind, operands);
    case 3:
      return make_inline<3>(kind, operands);
    case 4:
      return make_inline<4>(kind, operands);
    default:
      break;
  }
  auto node = std::make_shared<LargeNode>();
  node->storage = std::move(operands);
  finish(*node, kind, node->storage);
  return Expr(std::shared_ptr<const Expr::Node>(std::move(node)));
}

Expr make_node(ExprKind kind, Expr a, Expr b) {
  Expr operands[] = {std::move(a), std::move(b)};
  return make_inline<2>(kind, operands);
}

Expr make_node(ExprKind kind, Expr a, Expr b, Expr c) {
  Expr operands[] = {std::move(a), std::move(b), std::move(c)};
  return make_inline<3>(kind, operands);
}

Expr::Expr() : node_(constant_node(0)) {}
Expr::Expr(int64_t value) : node_(constant_node(value)) {}

Expr Expr::symbol(std::string_view name) {
  auto node = std::make_shared<SymbolNode>();
  node->kind = ExprKind::kSymbol;
  node->name = name;
  node->hash = mix(0x1f83d9ab, hash_text(name));
  node->symbols = symbol_bit(name);
  return Expr(std::shared_ptr<const Node>(std::move(node)));
}

const std::string& Expr::symbol_name() const {
  static const std::string& none = *new std::string;
  if (!is_symbol()) return none;
  return static_cast<const SymbolNode&>(*node_).name;
}

bool operator==(const Expr& a, const Expr& b) {
  if (a.node() == b.node()) return true;
  if (a.hash() != b.hash() || a.kind() != b.kind()) return false;
  if (a.is_const()) return a.node()->value == b.node()->value;
  if (a.is_symbol()) return a.symbol_name() == b.symbol_name();
  return std::ranges::equal(a.operands(), b.operands());
}

int compare(const Expr& a, const Expr& b) {
  if (a.node() == b.node()) return 0;
  if (a.kind() != b.kind()) return a.kind() < b.kind() ? -1 : 1;
  if (a.is_const()) {
    int64_t x = a.node()->value;
    int64_t y = b.node()->value;
    return x == y ? 0 : x < y ? -1 : 1;
  }
  if (a.is_symbol()) {
    int order = a.symbol_name().compare(b.symbol_name());
    return order == 0 ? 0 : order < 0 ? -1 : 1;
  }
  std::span<const Expr> x = a.operands();
  std::span<const Expr> y = b.operands();
  for (size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    if (int order = compare(x[i], y[i]); order != 0) return order;
  }
  return x.size() == y.size() ? 0 : x.size() < y.size() ? -1 : 1;
}

Expr ceil_div(const Expr& a, const Expr& b) { return floor_div(a + b - 1, b); }
Expr align_up(const Expr& a, int64_t multiple) { return ceil_div(a, multiple) * multiple; }

std::optional<size_t> operand_count(ExprKind kind) {
  switch (kind) {
    case ExprKind::kConst:
    case ExprKind::kSymbol:
      return 0;
    case ExprKind::kAdd:
    case ExprKind::kMul:
    case ExprKind::kMin:
    case ExprKind::kMax:
    case ExprKind::kAnd:
    case ExprKind::kOr:
      return std::nullopt;
    case ExprKind::kNot:
      return 1;
    case ExprKind::kSelect:
      return 3;
    default:
      return 2;
  }
}

Expr rebuild(ExprKind kind, std::span<const Expr> x) {
  assert(operand_count(kind).value_or(x.size()) == x.size() && !x.empty());
  switch (kind) {
    case ExprKind::kConst:
    case ExprKind::kSymbol:
      break;
    case ExprKind::kAdd:
      return sum(x);
    case ExprKind::kMul:
      return product(x);
    case ExprKind::kFloorDiv:
      return floor_div(x[0], x[1]);
    case ExprKind::kMod:
      return mod(x[0], x[1]);
    case ExprKind::kMin:
    case ExprKind::kMax:
      return extremum(kind, x, Facts::none());
    case ExprKind::kLt:
      return lt(x[0], x[1]);
    case ExprKind::kLe:
      return le(x[0], x[1]);
    case ExprKind::kEq:
      return eq(x[0], x[1]);
    case ExprKind::kNe:
      return ne(x[0], x[1]);
    case ExprKind::kAnd:
    case ExprKind::kOr:
      return junction(kind, x);
    case ExprKind::kNot:
      return logical_not(x[0]);
    case ExprKind::kSelect:
      return select(x[0], x[1], x[2]);
  }
  return 0;
}

}  // namespace ingot::sym
