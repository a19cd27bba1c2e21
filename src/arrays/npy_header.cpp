#include "arrays/npy_header.h"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <optional>
#include <string>

#include "support/diagnostics.h"

namespace ingot::arrays {
namespace {

constexpr size_t kMaxRank = 64;  // NumPy's own limit

// Reads the dictionary {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, NpyHeader& header) : text_(text), header_(header) {}

  // An empty text, or what is wrong.
  std::string parse() {
    if (!take('{')) return "its header is no dictionary";
    while (!take('}')) {
      std::string_view key;
      if (!take_string(key) || !take(':')) return "its header is malformed";
      std::string problem = parse_value(key);
      if (!problem.empty()) return problem;
      if (!take(',') && peek() != '}') return "its header is malformed";
    }
    if (!seen_descr_ || !seen_order_ || !seen_shape_) return "its header lacks an entry";
    skip_space();
    return text_.empty() ? "" : "something follows its header";
  }

 private:
  std::string parse_value(std::string_view key) {
    if (key == "descr") {
      std::string_view descr;
      if (peek() == '[') return "it has a structured element type, which is not supported";
      if (!take_string(descr)) return "its element type is malformed";
      seen_descr_ = true;
      if (parse_descr(descr)) return "";
      return fmt::format("its element type '{}' is not supported", descr);
    }
    if (key == "fortran_order") {
      seen_order_ = true;
      header_.fortran_order = take_word("True");
      return header_.fortran_order || take_word("False") ? "" : "its memory order is malformed";
    }
    if (key == "shape") {
      seen_shape_ = true;
      return parse_shape() ? "" : "its shape is malformed";
    }
    return fmt::format("its header has the unknown entry '{}'", key);
  }

  bool parse_descr(std::string_view descr) {
    if (descr.size() < 3) return false;
    header_.big_endian = descr[0] == '>';
    if (std::string_view("<>|=").find(descr[0]) == std::string_view::npos) return false;
    struct Known {
      std::string_view code;
      DType dtype;
    };
    // V1 and V2 are how extensions of NumPy store float8 and bfloat16.
    static constexpr std::array kKnown = {
        Known{"b1", DType::kBool}, Known{"i1", DType::kI8},    Known{"u1", DType::kU8},
        Known{"i2", DType::kI16},  Known{"u2", DType::kU16},   Known{"i4", DType::kI32},
        Known{"u4", DType::kU32},  Known{"i8", DType::kI64},   Known{"u8", DType::kU64},
        Known{"f2", DType::kF16},  Known{"f4", DType::kF32},   Known{"f8", DType::kF64},
        Known{"c8", DType::kC64},  Known{"c16", DType::kC128}, Known{"V1", DType::kU8},
        Known{"V2", DType::kU16}};
    for (const Known& known : kKnown) {
      if (descr.substr(1) != known.code) continue;
      header_.dtype = known.dtype;
      return true;
    }
    return false;
  }

  bool parse_shape() {
    if (!take('(')) return false;
    while (!take(')')) {
      skip_space();
      int64_t size = 0;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), size);
      if (error != std::errc() || size < 0 || header_.sizes.size() == kMaxRank) return false;
      text_.remove_prefix(static_cast<size_t>(end - text_.data()));
      header_.sizes.push_back(size);
      if (!take(',') && peek() != ')') return false;
    }
    return true;
  }

  void skip_space() {
    while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\n')) text_.remove_prefix(1);
  }
  char peek() {
    skip_space();
    return text_.empty() ? '\0' : text_[0];
  }
  bool take(char c) {
    if (peek() != c || text_.empty()) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool take_word(std::string_view word) {
    skip_space();
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  bool take_string(std::string_view& value) {
    const char quote = peek();
    if (quote != '\'' && quote != '"') return false;
    const size_t end = text_.find(quote, 1);
    if (end == std::string_view::npos) return false;
    value = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return true;
  }

  std::string_view text_;
  NpyHeader& header_;
  bool seen_descr_ = false;
  bool seen_order_ = false;
  bool seen_shape_ = false;
};

}  // namespace

Result<NpyHeader> parse_npy_header(std::span<const std::byte> file, std::string_view name) {
  const auto fault = [name](std::string_view what) {
    return make_status(Diag::kArrayFile, fmt::format("{}: {}", name, what));
  };
  const std::string_view all(reinterpret_cast<const char*>(file.data()), file.size());
  if (!all.starts_with("\x93NUMPY") || all.size() < 10) return fault("this is no .npy file");
  const auto byte = [&all](size_t i) { return static_cast<size_t>(static_cast<uint8_t>(all[i])); };
  const size_t version = byte(6);
  if (version < 1 || version > 3) {
    return fault(fmt::format("version {} of the .npy format is not supported", version));
  }
  const size_t prefix = version == 1 ? 10 : 12;
  if (all.size() < prefix) return fault("the file is cut short");
  size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (all.size() - prefix < length) return fault("the file is cut short");
  NpyHeader header;
  header.bytes = prefix + length;
  const std::string problem = HeaderParser(all.substr(prefix, length), header).parse();
  if (!problem.empty()) return fault(problem);
  return header;
}

}  // namespace ingot::arrays
