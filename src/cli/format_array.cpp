#include "cli/format_array.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "cli/elements.h"

namespace ingot::cli {
namespace {

constexpr int64_t kSummariseAbove = 1000;  // elements
constexpr int64_t kEdge = 3;               // shown at each end of a dimension
constexpr size_t kLineWidth = 96;

class ArrayPrinter {
 public:
  explicit ArrayPrinter(const arrays::Array& array) : array_(array) {
    int64_t count = 1;
    for (const int64_t size : array.sizes) count *= size;
    summarise_ = count > kSummariseAbove;
    collect(0, 0);
    choose_format();
  }

  std::string print() {
    if (array_.sizes.empty()) return element(0);
    print_dim(0, 0, 1);
    return std::move(text_);
  }

 private:
  // Calls `visit(i)` for the shown positions of a dimension and `gap()` where some are left out.
  template <typename Visit, typename Gap>
  void for_shown(size_t dim, Visit visit, Gap gap) {
    const int64_t size = array_.sizes[dim];
    const bool cut = summarise_ && size > 2 * kEdge;
    for (int64_t i = 0; i < size; ++i) {
      if (cut && i == kEdge) {
        gap();
        i = size - kEdge;
      }
      visit(i);
    }
  }

  // The shown elements, to choose a common format.
  void collect(size_t dim, int64_t offset) {
    if (dim == array_.sizes.size()) {
      shown_.push_back(offset);
      return;
    }
    for_shown(
        dim, [&](int64_t i) { collect(dim + 1, offset * array_.sizes[dim] + i); }, [] {});
  }

  void choose_format() {
    if (is_float(array_.dtype)) {
      double largest = 0;
      double smallest = INFINITY;
      for (const int64_t offset : shown_) {
        const double value = std::abs(number(offset));
        if (!std::isfinite(value) || value == 0) continue;
        largest = std::max(largest, value);
        smallest = std::min(smallest, value);
      }
      scientific_ =
          largest >= 1e8 || (largest > 0 && (smallest < 1e-4 || largest / smallest > 1e6));
      for (const int64_t offset : shown_) {
        decimals_ = std::max(decimals_, needed_decimals(number(offset)));
      }
    }
    for (const int64_t offset : shown_) width_ = std::max(width_, element(offset).size());
  }

  int needed_decimals(double value) const {
    if (!std::isfinite(value)) return 0;
    const std::string text =
        scientific_ ? fmt::format("{:.4e}", value) : fmt::format("{:.4f}", value);
    const size_t point = text.find('.');
    size_t last = point;
    for (size_t i = point + 1; i < point + 5; ++i) {
      if (text[i] != '0') last = i;
    }
    return static_cast<int>(last - point);
  }

  double number(int64_t offset) const { return load_element(array_.dtype, address(offset)); }
  const std::byte* address(int64_t offset) const {
    return array_.bytes.data() + offset * size_of(array_.dtype);
  }

  std::string element(int64_t offset) const {
    if (array_.dtype == DType::kBool)
      return load_integer(DType::kBool, address(offset)) != 0 ? "True" : "False";
    if (!is_float(array_.dtype)) return std::to_string(load_integer(array_.dtype, address(offset)));
    const double value = number(offset);
    if (!std::isfinite(value)) return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
    std::string text = scientific_ ? fmt::format("{:.{}e}", value, decimals_)
                                   : fmt::format("{:.{}f}", value, decimals_);
    if (decimals_ == 0 && !scientific_) text += '.';
    return text;
  }

  void print_dim(size_t dim, int64_t offset, size_t indent) {
    text_ += '[';
    const bool innermost = dim + 1 == array_.sizes.size();
    bool first = true;
    const auto separate = [&](size_t next) {
      if (!first && !innermost) {
        text_.append(array_.sizes.size() - dim - 1, '\n').append(indent, ' ');
        column_ = indent;
      } else if (!first) {
        wrap(next, indent);
      }
      first = false;
    };
    column_ = indent;
    for_shown(
        dim,
        [&](int64_t i) {
          separate(width_);
          const int64_t at = offset * array_.sizes[dim] + i;
          if (!innermost) return print_dim(dim + 1, at, indent + 1);
          const std::string value = element(at);
          text_.append(width_ - value.size(), ' ').append(value);
          column_ += width_;
        },
        [&] {
          separate(3);
          text_ += "...";
          column_ += 3;
        });
    text_ += ']';
  }

  void wrap(size_t next, size_t indent) {
    if (column_ + 1 + next > kLineWidth) {
      text_.append("\n").append(indent, ' ');
      column_ = indent;
    } else {
      text_ += ' ';
      ++column_;
    }
  }

  const arrays::Array& array_;
  bool summarise_ = false;
  bool scientific_ = false;
  int decimals_ = 0;
  size_t width_ = 0;
  std::vector<int64_t> shown_;
  std::string text_;
  size_t column_ = 0;
};

}  // namespace

std::string format_array(const arrays::Array& array) {
  if (!is_computable(array.dtype)) return "(" + std::string(to_string(array.dtype)) + ")";
  return ArrayPrinter(array).print();
}

}  // namespace ingot::cli
