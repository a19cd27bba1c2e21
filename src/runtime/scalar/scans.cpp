// Scan and sort.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "runtime/scalar/body_executor.h"
#include "runtime/scalar/operand_view.h"
#include "runtime/scalar/templates.h"
#include "support/diagnostics.h"

namespace ingot::runtime::scalar {
namespace {

using program::Kernel;
using program::ReduceOp;

bool is_empty(const std::vector<int64_t>& sizes) {
  return std::find(sizes.begin(), sizes.end(), 0) != sizes.end();
}

// The running fold of one row.
class RunningFold {
 public:
  RunningFold(const program::ScanTemplate& scan, DType dtype)
      : scan_(scan), dtype_(dtype), fold_(scan.op, dtype) {}

  void add(Element value) {
    if (scan_.log_sum_exp) {
      // log(exp(a) + exp(b)) from the larger of the two.
      const double a = std::max(log_sum_, value.real);
      const double b = std::min(log_sum_, value.real);
      const bool unequal_infinities = std::isinf(a) && a != b;
      if (std::isnan(log_sum_) || std::isnan(value.real)) {
        log_sum_ = std::numeric_limits<double>::quiet_NaN();
      } else {
        log_sum_ =
            unequal_infinities || (std::isinf(a) && a == b) ? a : a + std::log1p(std::exp(b - a));
      }
      return;
    }
    if (is_position()) {
      // cummax and cummin give the last of equal extrema.
      const bool greater = scan_.op == ReduceOp::kArgMax;
      const bool held =
          count_ > 0 &&
          (is_nan(best_) ? !is_nan(value)
                         : !is_nan(value) && (greater ? less(value, best_) : less(best_, value)));
      if (!held) {
        best_ = value;
        position_ = count_;
      }
      ++count_;
      return;
    }
    fold_.add(value);
  }

  Element value() const {
    if (scan_.log_sum_exp) return normalize({log_sum_, 0}, dtype_);
    return is_position() ? best_ : fold_.result();
  }
  int64_t position() const { return position_; }
  bool is_position() const {
    return scan_.op == ReduceOp::kArgMax || scan_.op == ReduceOp::kArgMin;
  }

 private:
  bool is_nan(Element e) const { return is_float(dtype_) && std::isnan(e.real); }
  bool less(Element a, Element b) const { return sorts_before(a, b, dtype_); }

  program::ScanTemplate scan_;
  DType dtype_;
  Fold fold_;
  double log_sum_ = -std::numeric_limits<double>::infinity();
  Element best_;
  int64_t position_ = 0;
  int64_t count_ = 0;
};

}  // namespace

Status run_scan(const Kernel& kernel, const KernelArgs& args) {
  const program::ScanTemplate& scan = kernel.scan;
  std::vector<int64_t> sizes;
  INGOT_RETURN_IF_ERROR(append_sizes(scan.rows, args, sizes));
  INGOT_RETURN_IF_ERROR(append_sizes({scan.extent}, args, sizes));
  if (is_empty(sizes)) return ok_status();
  INGOT_ASSIGN_OR_RETURN(const OperandView input, OperandView::create(kernel, 0, sizes, args));
  OperandView positions;
  const bool has_positions = scan.op == ReduceOp::kArgMax || scan.op == ReduceOp::kArgMin;
  if (has_positions) {
    INGOT_ASSIGN_OR_RETURN(positions, OperandView::create(kernel, 1, sizes, args));
  }
  INGOT_ASSIGN_OR_RETURN(BodyExecutor epilogue, BodyExecutor::create(kernel.body, kernel, args));
  std::vector<int64_t> point(sizes.size());
  RunningFold fold(scan, kernel.accumulator);
  do {
    if (point.back() == 0) fold = RunningFold(scan, kernel.accumulator);
    fold.add(cast(input.load(point), input.dtype(), kernel.accumulator));
    if (has_positions) positions.store(point, {0, fold.position()});
    INGOT_RETURN_IF_ERROR(epilogue.run_point(point, fold.value()));
  } while (next_point(point, sizes));
  return ok_status();
}

Status run_sort(const Kernel& kernel, const KernelArgs& args) {
  const program::SortTemplate& sort = kernel.sort;
  std::vector<int64_t> rows;
  INGOT_RETURN_IF_ERROR(append_sizes(sort.rows, args, rows));
  std::vector<int64_t> lengths;
  INGOT_RETURN_IF_ERROR(append_sizes({sort.extent, sort.keep}, args, lengths));
  if (is_empty(rows) || lengths[1] > lengths[0]) {
    return is_empty(rows) ? ok_status()
                          : make_status(Diag::kBadPackage, "a sort keeps more than there is");
  }
  std::vector<int64_t> in_sizes = rows;
  in_sizes.push_back(lengths[0]);
  std::vector<int64_t> out_sizes = rows;
  out_sizes.push_back(lengths[1]);
  INGOT_ASSIGN_OR_RETURN(const OperandView input, OperandView::create(kernel, 0, in_sizes, args));
  INGOT_ASSIGN_OR_RETURN(const OperandView values, OperandView::create(kernel, 1, out_sizes, args));
  INGOT_ASSIGN_OR_RETURN(const OperandView positions,
                         OperandView::create(kernel, 2, out_sizes, args));
  std::vector<int64_t> row(rows.size());
  do {
    std::vector<int64_t> point = row;
    point.push_back(0);
    std::vector<Element> elements;
    for (; point.back() < lengths[0]; ++point.back()) elements.push_back(input.load(point));
    std::vector<int64_t> order(elements.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      const Element& x = elements[static_cast<size_t>(sort.descending ? b : a)];
      const Element& y = elements[static_cast<size_t>(sort.descending ? a : b)];
      return sorts_before(x, y, input.dtype());
    });
    for (int64_t i = 0; i < lengths[1]; ++i) {
      point.back() = i;
      values.store(point, elements[static_cast<size_t>(order[static_cast<size_t>(i)])]);
      positions.store(point, {0, order[static_cast<size_t>(i)]});
    }
  } while (next_point(row, rows));
  return ok_status();
}

}  // namespace ingot::runtime::scalar
