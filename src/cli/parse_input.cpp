#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <cstring>

#include "cli/call_values.h"
#include "cli/elements.h"
#include "support/diagnostics.h"

namespace ingot::cli {
namespace {

using arrays::Array;
using program::Literal;

// "2x3xf32": dimensions, then an element type.
struct TensorSpec {
  DType dtype = DType::kF32;
  std::vector<int64_t> sizes;
};

template <typename T>
bool parse_number(std::string_view text, T& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

std::optional<TensorSpec> parse_spec(std::string_view text) {
  TensorSpec spec;
  while (true) {
    const size_t x = text.find('x');
    if (x == std::string_view::npos) break;
    int64_t size = 0;
    if (!parse_number(text.substr(0, x), size) || size < 0) return std::nullopt;
    spec.sizes.push_back(size);
    text.remove_prefix(x + 1);
  }
  const std::optional<DType> dtype = parse_dtype(text);
  if (!dtype || !is_computable(*dtype)) return std::nullopt;
  spec.dtype = *dtype;
  return spec;
}

// Names are Python's, perhaps with a path: "batch.mask".
bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

class InputParser {
 public:
  InputParser(std::string_view whole, const program::Program& program)
      : whole_(whole), program_(program) {}

  CallValues parse() {
    const size_t equals = whole_.find('=');
    if (whole_.starts_with('@') || equals == std::string_view::npos ||
        parse_spec(whole_.substr(0, equals))) {
      return parse_value("", whole_);
    }
    if (equals == 0) fail("it has an empty name");
    if (!is_name_start(whole_[0])) {
      fail(fmt::format("'{}' is neither a name nor a shape and element type such as 2x3xf32",
                       whole_.substr(0, equals)));
    }
    return parse_value(std::string(whole_.substr(0, equals)), whole_.substr(equals + 1));
  }

 private:
  CallValues parse_value(std::string name, std::string_view text) {
    if (text.starts_with('@')) return parse_file(std::move(name), std::string(text.substr(1)));
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos) {
      return single(std::move(name), parse_literal(text));
    }
    const std::optional<TensorSpec> spec = parse_spec(text.substr(0, equals));
    if (!spec) {
      fail(
          fmt::format("'{}' is no shape and element type such as 2x3xf32", text.substr(0, equals)));
    }
    return single(std::move(name), filled(*spec, text.substr(equals + 1)));
  }

  static CallValues single(std::string name, std::variant<Array, Literal> value) {
    CallValues values;
    values.push_back({std::move(name), std::move(value)});
    return values;
  }

  CallValues parse_file(std::string name, const std::string& path) {
    if (!path.ends_with(".npz")) {
      return single(std::move(name), value_or_throw(arrays::read_npy(path)));
    }
    std::vector<arrays::NamedArray> arrays = value_or_throw(arrays::read_npz(path));
    if (name.empty()) return inputs_of(std::move(arrays), program_, path);
    if (arrays.size() != 1) {
      fail(fmt::format("{} holds {} arrays, so it cannot be one input", path, arrays.size()));
    }
    return single(std::move(name), std::move(arrays.front().array));
  }

  Array filled(const TensorSpec& spec, std::string_view text) {
    Array array{spec.dtype, spec.sizes, {}};
    const int64_t count = runtime::element_count(spec.sizes);
    int64_t bytes = 0;
    if (count < 0 || __builtin_mul_overflow(count, size_of(spec.dtype), &bytes)) {
      fail("the tensor is too large");
    }
    std::array<std::byte, 8> element{};
    if (!parse_element(spec.dtype, text, element)) {
      fail(fmt::format("'{}' is no value of the type {}", text, to_string(spec.dtype)));
    }
    array.bytes.resize(static_cast<size_t>(bytes));
    const auto width = static_cast<size_t>(size_of(spec.dtype));
    for (size_t at = 0; at < array.bytes.size(); at += width) {
      std::memcpy(array.bytes.data() + at, element.data(), width);
    }
    return array;
  }

  bool parse_element(DType dtype, std::string_view text, std::array<std::byte, 8>& element) {
    double real = 0;
    int64_t integer = 0;
    if (text == "true" || text == "True") text = "1";
    if (text == "false" || text == "False") text = "0";
    if (is_float(dtype)) {
      if (!parse_number(text, real)) return false;
      store_element(dtype, real, element.data());
      return true;
    }
    // "1.0" is the integer 1.
    if (!parse_number(text, integer)) {
      if (!parse_number(text, real) || real != std::trunc(real) || std::abs(real) > 0x1p53) {
        return false;
      }
      integer = static_cast<int64_t>(real);
    }
    if (!fits_integer(dtype, integer)) return false;
    store_element(dtype, integer, element.data());
    return true;
  }

  Literal parse_literal(std::string_view text) {
    Literal literal;
    const bool is_true = text == "True" || text == "true";
    if (is_true || text == "False" || text == "false") {
      literal.kind = Literal::Kind::kBool;
      literal.int_value = is_true;
    } else if (parse_number(text, literal.int_value)) {
      literal.kind = Literal::Kind::kInt;
    } else if (parse_number(text, literal.float_value)) {
      literal.kind = Literal::Kind::kFloat;
      literal.int_value = 0;
    } else if (text.size() >= 2 && (text[0] == '\'' || text[0] == '"') && text.back() == text[0]) {
      literal.kind = Literal::Kind::kString;
      literal.string_value = text.substr(1, text.size() - 2);
    } else if (text != "None") {
      fail(
          fmt::format("'{}' is no tensor such as 2x3xf32=1.0, no @file and no Python value", text));
    }
    return literal;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw CompileError(Diag::kBadOption, fmt::format("--input {}: {}", whole_, what));
  }

  std::string_view whole_;
  const program::Program& program_;
};

}  // namespace

CallValues parse_input(std::string_view text, const program::Program& program) {
  return InputParser(text, program).parse();
}

CallValues parse_inputs(const std::vector<std::string>& texts, const program::Program& program) {
  CallValues values;
  for (const std::string& text : texts) {
    for (CallValue& value : parse_input(text, program)) values.push_back(std::move(value));
  }
  adopt_types(values, program);
  return values;
}

}  // namespace ingot::cli
