// The named functions of the parser's languages.
#include <numeric>

#include "symbolic/names.h"
#include "symbolic/parser.h"

namespace ingot::sym {

struct FunctionTable {
  using Arguments = std::vector<Quantity>;
  using Function = Quantity (*)(Parser&, const Arguments&);
  struct Entry {
    std::string_view name;
    uint8_t languages;
    size_t min_arguments;
    size_t max_arguments;
    Function function;
  };

  static constexpr size_t kAny = SIZE_MAX;
  static constexpr uint8_t kPython = kSympy | kGuardCode;

  static const Entry* find(std::string_view name, Language language);

  // Builders of two operands, and of any number.
  template <Expr (*kBuilder)(const Expr&, const Expr&)>
  static Quantity binary(Parser& p, const Arguments& x) {
    return p.made(kBuilder(p.integer(x[0]), p.integer(x[1])));
  }
  template <ExprKind kKind>
  static Quantity fold(Parser& p, const Arguments& x) {
    std::vector<Expr> operands;
    for (const Quantity& one : x) operands.push_back(p.integer(one));
    return p.made(rebuild(kKind, operands));
  }
  // One comparison, by the operator's position among these.
  static constexpr std::string_view kOperators[] = {"<", "<=", ">", ">=", "==", "!="};
  template <size_t kOperator>
  static Quantity compare(Parser& p, const Arguments& x) {
    return p.compare(kOperators[kOperator], x[0], x[1]);
  }

  static Quantity add(Parser& p, const Arguments& x);
  static Quantity multiply(Parser& p, const Arguments& x) { return p.multiply_all(x); }
  static Quantity power(Parser& p, const Arguments& x) { return p.power(x[0], x[1]); }
  static Quantity divide(Parser& p, const Arguments& x) { return p.divide(x[0], x[1]); }
  static Quantity integer(Parser& p, const Arguments& x);
  static Quantity rational(Parser& p, const Arguments& x);
  static Quantity identity(Parser&, const Arguments& x) { return x[0]; }
  static Quantity to_float(Parser& p, const Arguments& x);
  static Quantity floor(Parser& p, const Arguments& x);
  static Quantity ceil(Parser& p, const Arguments& x);
  static Quantity trunc(Parser& p, const Arguments& x);
  static Quantity abs(Parser& p, const Arguments& x);
  static Quantity left_shift(Parser& p, const Arguments& x);
  static Quantity right_shift(Parser& p, const Arguments& x);
  static Quantity modular_indexing(Parser& p, const Arguments& x);
  static Quantity negation(Parser& p, const Arguments& x);
  static Quantity choice(Parser& p, const Arguments& x);
  static Quantity pair(Parser& p, const Arguments& x);
  static Quantity piecewise(Parser& p, const Arguments& x);
};

using Table = FunctionTable;

namespace {

constexpr Table::Entry kEntries[] = {
    {"min", kOwnText | kGuardCode, 1, Table::kAny, Table::fold<ExprKind::kMin>},
    {"max", kOwnText | kGuardCode, 1, Table::kAny, Table::fold<ExprKind::kMax>},
    {"select", kOwnText, 3, 3, Table::choice},
    {"abs", Table::kPython, 1, 1, Table::abs},
    {"int", kGuardCode, 1, 1, Table::trunc},
    {"math.floor", kGuardCode, 1, 1, Table::floor},
    {"math.ceil", kGuardCode, 1, 1, Table::ceil},
    {"math.trunc", kGuardCode, 1, 1, Table::trunc},
    {"torch.sym_float", kGuardCode, 1, 1, Table::to_float},
    {"float", kGuardCode, 1, 1, Table::to_float},
    {"torch.sym_max", kGuardCode, 1, Table::kAny, Table::fold<ExprKind::kMax>},
    {"torch.sym_min", kGuardCode, 1, Table::kAny, Table::fold<ExprKind::kMin>},
    {"Integer", kSympy, 1, 1, Table::integer},
    {"Rational", kSympy, 2, 2, Table::rational},
    {"Add", kSympy, 0, Table::kAny, Table::add},
    {"Mul", kSympy, 0, Table::kAny, Table::multiply},
    {"Pow", kSympy, 2, 2, Table::power},
    {"PowByNatural", kSympy, 2, 2, Table::power},
    {"Mod", Table::kPython, 2, 2, Table::binary<mod>},
    {"PythonMod", Table::kPython, 2, 2, Table::binary<mod>},
    {"FloorDiv", Table::kPython, 2, 2, Table::binary<floor_div>},
    {"CleanDiv", Table::kPython, 2, 2, Table::binary<floor_div>},
    {"CeilDiv", Table::kPython, 2, 2, Table::binary<ceil_div>},
    {"IntTrueDiv", Table::kPython, 2, 2, Table::divide},
    {"FloatTrueDiv", Table::kPython, 2, 2, Table::divide},
    {"ToFloat", Table::kPython, 1, 1, Table::to_float},
    {"FloorToInt", Table::kPython, 1, 1, Table::floor},
    {"CeilToInt", Table::kPython, 1, 1, Table::ceil},
    {"TruncToInt", Table::kPython, 1, 1, Table::trunc},
    {"floor", kSympy, 1, 1, Table::floor},
    {"ceiling", kSympy, 1, 1, Table::ceil},
    {"ceil", kSympy, 1, 1, Table::ceil},
    {"Abs", kSympy, 1, 1, Table::abs},
    {"LShift", kSympy, 2, 2, Table::left_shift},
    {"RShift", kSympy, 2, 2, Table::right_shift},
    {"ModularIndexing", kSympy, 3, 3, Table::modular_indexing},
    {"Min", Table::kPython, 1, Table::kAny, Table::fold<ExprKind::kMin>},
    {"Max", Table::kPython, 1, Table::kAny, Table::fold<ExprKind::kMax>},
    {"Identity", Table::kPython, 1, 1, Table::identity},
    {"Where", Table::kPython, 3, 3, Table::choice},
    {"ExprCondPair", kSympy, 2, 2, Table::pair},
    {"Tuple", kSympy, 2, 2, Table::pair},
    {"Piecewise", kSympy, 1, Table::kAny, Table::piecewise},
    {"Not", Table::kPython, 1, 1, Table::negation},
    {"And", Table::kPython, 1, Table::kAny, Table::fold<ExprKind::kAnd>},
    {"Or", Table::kPython, 1, Table::kAny, Table::fold<ExprKind::kOr>},
    {"StrictLessThan", kSympy, 2, 2, Table::compare<0>},
    {"LessThan", kSympy, 2, 2, Table::compare<1>},
    {"StrictGreaterThan", kSympy, 2, 2, Table::compare<2>},
    {"GreaterThan", kSympy, 2, 2, Table::compare<3>},
    {"Equality", kSympy, 2, 2, Table::compare<4>},
    {"Unequality", kSympy, 2, 2, Table::compare<5>},
    {"Eq", Table::kPython, 2, 2, Table::compare<4>},
    {"Ne", Table::kPython, 2, 2, Table::compare<5>},
    {"Lt", Table::kPython, 2, 2, Table::compare<0>},
    {"Le", Table::kPython, 2, 2, Table::compare<1>},
    {"Gt", Table::kPython, 2, 2, Table::compare<2>},
    {"Ge", Table::kPython, 2, 2, Table::compare<3>},
};

}  // namespace

const Table::Entry* Table::find(std::string_view name, Language language) {
  for (const Entry& entry : kEntries) {
    if (entry.name == name && (entry.languages & language) != 0) return &entry;
  }
  return nullptr;
}

Quantity Table::add(Parser& p, const Arguments& x) {
  std::vector<Expr> terms;
  Quantity fractions{0};
  for (const Quantity& term : x) {
    if (term.is_integer()) {
      terms.push_back(term.numerator);
    } else {
      fractions = p.add(fractions, term);
    }
  }
  Quantity total = p.made(sum(terms));
  return fractions.is_integer() && terms.size() == x.size() ? total : p.add(total, fractions);
}

Quantity Table::integer(Parser& p, const Arguments& x) {
  return x[0].numerator.is_const() ? x[0] : p.fail("Integer(...) takes a number");
}

Quantity Table::rational(Parser& p, const Arguments& x) {
  Quantity result = p.made(p.integer(x[0]));
  result.denominator = p.integer(x[1]);
  std::optional<int64_t> value = result.denominator.as_const();
  if (p.ok() && (!value || *value <= 0)) return p.fail("Rational(...) with a bad denominator");
  return result;
}

Quantity Table::to_float(Parser&, const Arguments& x) {
  Quantity result = x[0];
  result.is_float = true;
  return result;
}

Quantity Table::floor(Parser& p, const Arguments& x) {
  if (x[0].condition) return p.fail("a pair where a number belongs");
  return p.made(floor_div(x[0].numerator, x[0].denominator));
}

Quantity Table::ceil(Parser& p, const Arguments& x) {
  if (x[0].condition) return p.fail("a pair where a number belongs");
  std::optional<int64_t> divisor = x[0].denominator.as_const();
  if (divisor && *divisor > 0) return p.made(ceil_div(x[0].numerator, *divisor));
  return p.made(-floor_div(-x[0].numerator, x[0].denominator));
}

// Rounds towards zero.
Quantity Table::trunc(Parser& p, const Arguments& x) {
  std::optional<int64_t> divisor = x[0].denominator.as_const();
  if (divisor && *divisor == 1) return p.made(x[0].numerator);
  if (!divisor || *divisor <= 0) return p.fail_not_integer("a truncated fraction");
  Quantity down = floor(p, x);
  Quantity up = ceil(p, x);
  return p.made(select(le(0, x[0].numerator), down.numerator, up.numerator));
}

Quantity Table::abs(Parser& p, const Arguments& x) {
  Expr value = p.integer(x[0]);
  return p.made(max(value, -value));
}

Quantity Table::left_shift(Parser& p, const Arguments& x) {
  std::optional<int64_t> shift = p.integer(x[1]).as_const();
  if (!shift || *shift < 0 || *shift > 62) return p.fail("a shift by other than 0 to 62");
  return p.made(p.integer(x[0]) * (int64_t{1} << *shift));
}

Quantity Table::right_shift(Parser& p, const Arguments& x) {
  std::optional<int64_t> shift = p.integer(x[1]).as_const();
  if (!shift || *shift < 0 || *shift > 62) return p.fail("a shift by other than 0 to 62");
  return p.made(floor_div(p.integer(x[0]), int64_t{1} << *shift));
}

Quantity Table::modular_indexing(Parser& p, const Arguments& x) {
  Quantity quotient = p.made(floor_div(p.integer(x[0]), p.integer(x[1])));
  return p.made(mod(quotient.numerator, p.integer(x[2])));
}

Quantity Table::negation(Parser& p, const Arguments& x) {
  return p.made(logical_not(p.integer(x[0])));
}

Quantity Table::choice(Parser& p, const Arguments& x) {
  return p.made(select(p.integer(x[0]), p.integer(x[1]), p.integer(x[2])));
}

Quantity Table::pair(Parser& p, const Arguments& x) {
  if (x[0].condition) return p.fail("a pair where a number belongs");
  Quantity result = x[0];
  result.condition = p.integer(x[1]);
  return result;
}

Quantity Table::piecewise(Parser& p, const Arguments& x) {
  Expr result;
  for (size_t i = x.size(); i-- > 0 && p.ok();) {
    if (!x[i].condition) return p.fail("Piecewise(...) takes pairs");
    Quantity value = x[i];
    value.condition.reset();
    bool is_last = i + 1 == x.size();
    if (is_last && !x[i].condition->is_const(1))
      return p.fail("Piecewise(...) without a last case");
    Expr number = p.integer(value);
    result = p.made(select(*x[i].condition, number, result)).numerator;
  }
  return {result};
}

// After "name(".
Quantity Parser::parse_call(std::string_view name) {
  if (language_ == kSympy && name == "Symbol") return parse_sympy_symbol();
  if (language_ == kSympy && name == "Float") return parse_sympy_float();
  const Table::Entry* entry = Table::find(name, language_);
  if (!entry) {
    std::string text(name);
    if (language_ == kSympy) return fail_not_integer("function '" + text + "'");
    return fail("unknown function '" + text + "'");
  }
  Quantities arguments;
  while (ok() && !token_.is(")")) {
    if (!arguments.empty()) expect(",");
    arguments.push_back(parse_or());
  }
  expect(")");
  if (!ok()) return {};
  if (arguments.size() < entry->min_arguments || arguments.size() > entry->max_arguments) {
    return fail("wrong number of arguments for '" + std::string(name) + "'");
  }
  return entry->function(*this, arguments);
}

}  // namespace ingot::sym
