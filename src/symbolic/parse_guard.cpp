// Accesses to inputs in guards: L['x'].size()[0].
#include "symbolic/names.h"
#include "symbolic/parser.h"

namespace ingot::sym {
namespace {

// What an input's path may end in that is no size.
bool is_layout_method(std::string_view name) {
  return name == "stride" || name == "storage_offset" || name == "dtype" || name == "device";
}

}  // namespace

// After ".": size()[k] or shape[k], which set `dim`, or an attribute, which extends the path.
void Parser::parse_attribute(std::string& path, int64_t& dim) {
  std::string name(token_.text);
  if (token_.kind != TokenKind::kName) {
    fail("expected a name after '.'");
    return;
  }
  advance();
  if (is_layout_method(name)) {
    fail("'" + name + "' of '" + path + "' is not supported in guards");
    return;
  }
  if (name != "size" && name != "shape") {
    path += '.' + name;
    return;
  }
  if (name == "size") {
    expect("(");
    expect(")");
  }
  expect("[");
  std::optional<int64_t> position = integer(parse_unary()).as_const();
  expect("]");
  if (ok() && (!position || *position < 0)) fail("a size without its dimension");
  dim = position.value_or(0);
}

// After "L": the path of an input, and which of its numbers is meant.
Quantity Parser::parse_access() {
  std::string path;
  expect("[");
  if (!ok() || token_.kind != TokenKind::kString) return fail("L[...] takes a name");
  path = string_value(token_);
  advance();
  expect("]");
  int64_t dim = kGuardValue;
  while (ok() && dim == kGuardValue) {
    if (accept("[")) {
      if (token_.kind != TokenKind::kString && token_.kind != TokenKind::kNumber) {
        return fail("[...] takes a number or a text");
      }
      path += '[' + std::string(token_.text) + ']';
      advance();
      expect("]");
    } else if (accept(".")) {
      parse_attribute(path, dim);
    } else {
      break;
    }
  }
  if (!ok()) return {};
  std::optional<Expr> value = (*symbol_of_)(path, dim);
  if (!value) return fail("'" + path + "' names no input, or has no such dimension");
  return made(*std::move(value));
}

Result<Expr> parse_guard(std::string_view text, const SymbolOf& symbol_of) {
  return Parser(text, kGuardCode, &symbol_of).parse_all();
}

}  // namespace ingot::sym
