#include "cli/compare.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "cli/call_values.h"
#include "cli/elements.h"
#include "runtime/core/tensor.h"

namespace ingot::cli {
namespace {

using arrays::Array;

double element(const Array& array, int64_t i) {
  return load_element(array.dtype, array.bytes.data() + i * size_of(array.dtype));
}

std::string position(int64_t offset, const std::vector<int64_t>& sizes) {
  std::string text;
  for (size_t d = sizes.size(); d-- > 0;) {
    text.insert(0, fmt::format("{}{}", offset % sizes[d], text.empty() ? "" : ", "));
    offset /= sizes[d];
  }
  return "[" + text + "]";
}

// Collects the elements that differ beyond a tolerance.
class Differences {
 public:
  Differences(const Array& actual, const Array& expected, DType expected_dtype)
      : actual_(actual), expected_(expected), dtype_(expected_dtype) {}

  Comparison within(Tolerance tolerance) {
    Comparison result;
    const int64_t count = runtime::element_count(actual_.sizes);
    int64_t wrong = 0;
    int64_t first = -1;
    for (int64_t i = 0; i < count; ++i) {
      const bool close = is_exact() ? exact_equal(i) : is_close(a(i), e(i), tolerance);
      measure(i, result);
      if (close) continue;
      if (first < 0) first = i;
      ++wrong;
    }
    result.equal = wrong == 0;
    result.text = is_exact()
                      ? "exact"
                      : fmt::format("rtol {:g}, atol {:g}", tolerance.relative, tolerance.absolute);
    if (wrong > 0) {
      result.text +=
          fmt::format("; {} of {} elements differ, the first at {}: {} instead of {}", wrong, count,
                      position(first, actual_.sizes), show(actual_, first), show(expected_, first));
    }
    return result;
  }

  // The error of `actual` against the reference is at most kErrorRatioOf16Bit times that of
  // `expected`: root mean square and largest alike.
  Comparison against(const Array& reference) {
    Comparison result;
    double ours = 0;
    double theirs = 0;
    double our_max = 0;
    double their_max = 0;
    const int64_t count = runtime::element_count(actual_.sizes);
    for (int64_t i = 0; i < count; ++i) {
      measure(i, result);
      if (!std::isfinite(e(i)) || !std::isfinite(a(i))) {
        if (is_close(a(i), e(i), {})) continue;
        result.text = fmt::format("{} at {} instead of {}", show(actual_, i),
                                  position(i, actual_.sizes), show(expected_, i));
        return result;
      }
      const double our_error = std::abs(a(i) - element(reference, i));
      const double their_error = std::abs(e(i) - element(reference, i));
      ours += our_error * our_error;
      theirs += their_error * their_error;
      our_max = std::max(our_max, our_error);
      their_max = std::max(their_max, their_error);
    }
    result.equal = std::sqrt(ours) <= kErrorRatioOf16Bit * std::sqrt(theirs) &&
                   our_max <= kErrorRatioOf16Bit * their_max;
    const auto ratio = [](double x, double y) { return x == y ? 1.0 : x / y; };
    result.text = fmt::format("against float64: {:.2f} times PyTorch's error, {:.2f} the largest",
                              ratio(std::sqrt(ours), std::sqrt(theirs)), ratio(our_max, their_max));
    return result;
  }

 private:
  bool is_exact() const { return !is_float(dtype_); }
  double a(int64_t i) const { return element(actual_, i); }
  double e(int64_t i) const {
    return load_element(dtype_, expected_.bytes.data() + i * size_of(dtype_));
  }
  bool exact_equal(int64_t i) const {
    const int64_t at = i * size_of(dtype_);
    return load_integer(dtype_, actual_.bytes.data() + at) ==
           load_integer(dtype_, expected_.bytes.data() + at);
  }
  void measure(int64_t i, Comparison& result) const {
    const double difference = std::abs(a(i) - e(i));
    if (!std::isfinite(difference)) return;
    result.max_absolute = std::max(result.max_absolute, difference);
    if (e(i) != 0) {
      result.max_relative = std::max(result.max_relative, difference / std::abs(e(i)));
    }
  }
  std::string show(const Array& array, int64_t i) const {
    const std::byte* at = array.bytes.data() + i * size_of(dtype_);
    return is_exact() ? std::to_string(load_integer(dtype_, at))
                      : fmt::format("{:.8g}", load_element(dtype_, at));
  }

  const Array& actual_;
  const Array& expected_;
  DType dtype_;
};

}  // namespace

Comparison compare(const Array& actual, const Array& expected, const Array* reference,
                   std::optional<Tolerance> tolerance) {
  Comparison result;
  if (actual.sizes != expected.sizes ||
      (actual.dtype != expected.dtype && !holds_bits_of(expected.dtype, actual.dtype))) {
    result.text =
        fmt::format("it is {} instead of {}", runtime::describe(actual.dtype, actual.sizes),
                    runtime::describe(expected.dtype, expected.sizes));
    return result;
  }
  Differences differences(actual, expected, actual.dtype);
  const bool has_reference = reference != nullptr && reference->dtype == DType::kF64 &&
                             reference->sizes == actual.sizes && is_half(actual.dtype);
  if (has_reference && !tolerance) {
    return differences.against(*reference);
  }
  return differences.within(tolerance.value_or(tolerance_of(actual.dtype)));
}

}  // namespace ingot::cli
