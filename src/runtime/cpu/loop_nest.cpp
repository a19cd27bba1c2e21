#include "runtime/cpu/loop_nest.h"

#include <algorithm>
#include <optional>

#include "support/diagnostics.h"

namespace ingot::runtime::cpu {
namespace {

using program::InstKind;

// Shorter pieces are not worth a loop of their own.
constexpr int64_t kLeastSplit = 8;
constexpr int kMaxSplits = 6;
constexpr int64_t kMaxPoints = int64_t{1} << 60;

class NestBuilder {
 public:
  NestBuilder(const program::Body& body, const LaunchSizes& sizes) : body_(body), sizes_(sizes) {}

  Result<LoopNest> build(AxisFreedom freedom) {
    INGOT_RETURN_IF_ERROR(read_axes());
    INGOT_RETURN_IF_ERROR(build_forms());
    if (freedom == AxisFreedom::kFree) {
      for (int i = 0; i < kMaxSplits && split_one_axis(); ++i) INGOT_RETURN_IF_ERROR(build_forms());
      drop_trivial_axes();
      join_axes();
    }
    return std::move(nest_);
  }

 private:
  Status read_axes() {
    __int128 points = 1;
    for (const program::Axis& axis : body_.axes) {
      IndexForms sizes(sizes_.scalars, {}, {});
      INGOT_ASSIGN_OR_RETURN(const IndexForm extent, sizes.build(axis.extent));
      if (!extent.is_constant() || extent.constant < 0) {
        return make_status(Diag::kBadPackage, "an axis has no valid extent");
      }
      points *= std::max<int64_t>(extent.constant, 1);
      if (points > kMaxPoints)
        return make_status(Diag::kBadPackage, "a kernel has too many points");
      nest_.axes.push_back({extent.constant, axis.inner});
    }
    for (size_t k = 0; k < nest_.axes.size(); ++k) {
      IndexForm form{.constant = 0, .axis = std::vector<int64_t>(nest_.axes.size()), .terms = {}};
      form.axis[k] = 1;
      symbols_.push_back(std::move(form));
    }
    return ok_status();
  }

  Status build_forms() {
    std::vector<int64_t> extents;
    for (const LoopAxis& axis : nest_.axes) extents.push_back(axis.extent);
    IndexForms forms(sizes_.scalars, std::move(extents), symbols_);
    nest_.index.clear();
    for (const program::Inst& inst : body_.insts) {
      INGOT_ASSIGN_OR_RETURN(IndexForm form, forms.build(inst.index));
      nest_.index.push_back(std::move(form));
    }
    nest_.terms = std::move(forms.terms());
    return ok_status();
  }

  // The axis and divisor of a term axis // divisor or axis mod divisor that splits evenly.
  std::optional<std::pair<size_t, int64_t>> splittable(const IndexTerm& term) const {
    if (term.kind != sym::ExprKind::kFloorDiv && term.kind != sym::ExprKind::kMod) return {};
    const IndexForm& dividend = term.operands[0];
    const int64_t divisor = term.operands[1].constant;
    if (!term.operands[1].is_constant() || divisor < kLeastSplit || dividend.constant != 0 ||
        !dividend.terms.empty()) {
      return {};
    }
    std::optional<size_t> axis;
    for (size_t k = 0; k < dividend.axis.size(); ++k) {
      if (dividend.axis[k] == 0) continue;
      if (axis || dividend.axis[k] != 1) return {};
      axis = k;
    }
    if (!axis || nest_.axes[*axis].extent % divisor != 0) return {};
    return std::pair(*axis, divisor);
  }

  bool split_one_axis() {
    std::optional<std::pair<size_t, int64_t>> best;
    for (const IndexTerm& term : nest_.terms) {
      const auto found = splittable(term);
      if (found && (!best || found->second < best->second)) best = found;
    }
    if (!best) return false;
    const auto [axis, divisor] = *best;
    LoopAxis low = nest_.axes[axis];
    nest_.axes[axis].extent /= divisor;
    low.extent = divisor;
    nest_.axes.insert(nest_.axes.begin() + static_cast<std::ptrdiff_t>(axis) + 1, low);
    for (IndexForm& form : symbols_) {
      const int64_t coefficient = form.axis[axis];
      form.axis[axis] = coefficient * divisor;
      form.axis.insert(form.axis.begin() + static_cast<std::ptrdiff_t>(axis) + 1, coefficient);
    }
    return true;
  }

  // Calls visit on every form of the nest.
  template <typename Visit>
  void for_each_form(Visit&& visit) {
    for (IndexForm& form : nest_.index) visit(form);
    for (IndexTerm& term : nest_.terms) {
      for (IndexForm& form : term.operands) visit(form);
    }
  }

  void erase_axis(size_t axis) {
    nest_.axes.erase(nest_.axes.begin() + static_cast<std::ptrdiff_t>(axis));
    for_each_form([&](IndexForm& form) {
      form.axis.erase(form.axis.begin() + static_cast<std::ptrdiff_t>(axis));
    });
  }

  // The coordinate of an axis of one point is always 0.
  void drop_trivial_axes() {
    for (size_t k = nest_.axes.size(); k-- > 0;) {
      if (nest_.axes[k].extent == 1) erase_axis(k);
    }
  }

  // Axes k and k + 1 become one where every index steps evenly through both.
  void join_axes() {
    for (size_t k = nest_.axes.size(); k-- > 1;) {
      const int64_t extent = nest_.axes[k].extent;
      if (nest_.axes[k - 1].inner != nest_.axes[k].inner || extent == 0) continue;
      bool even = true;
      for_each_form([&](const IndexForm& form) {
        even = even && static_cast<__int128>(form.axis[k]) * extent == form.axis[k - 1];
      });
      if (!even) continue;
      nest_.axes[k].extent *= nest_.axes[k - 1].extent;
      erase_axis(k - 1);
    }
  }

  const program::Body& body_;
  const LaunchSizes& sizes_;
  LoopNest nest_;
  std::vector<IndexForm> symbols_;  // what a<k> is over nest_.axes
};

// The cost model of choose_tile. Costs are in about a tenth of a nanosecond per point.
constexpr double kUnevenAccess = 6;    // an element that is not beside the one before
constexpr double kStripOverhead = 80;  // dispatching an instruction, per strip
constexpr double kRowOverhead = 30;    // folding one row of a strip

struct Access {
  const IndexForm* form = nullptr;
  bool inner = false;
};

std::vector<Access> accesses_of(const program::Body& body, const LoopNest& nest) {
  std::vector<Access> found;
  for (const program::Stage& stage : body.stages) {
    for (uint32_t id = stage.first; id < stage.last; ++id) {
      const InstKind kind = body.insts[id].kind;
      if (kind != InstKind::kLoad && kind != InstKind::kStore) continue;
      found.push_back({&nest.index[id], stage.inner});
    }
  }
  return found;
}

bool term_uses(const LoopNest& nest, TermId id, size_t axis);

bool form_uses(const LoopNest& nest, const IndexForm& form, size_t axis) {
  return form.axis[axis] != 0 ||
         std::any_of(form.terms.begin(), form.terms.end(),
                     [&](const ScaledTerm& t) { return term_uses(nest, t.term, axis); });
}

bool term_uses(const LoopNest& nest, TermId id, size_t axis) {
  const IndexTerm& term = nest.terms[id];
  return std::any_of(term.operands.begin(), term.operands.end(),
                     [&](const IndexForm& form) { return form_uses(nest, form, axis); });
}

double access_cost(const LoopNest& nest, const IndexForm& form, size_t axis) {
  for (const ScaledTerm& term : form.terms) {
    if (term_uses(nest, term.term, axis)) return kUnevenAccess;
  }
  return form.axis[axis] == 0 || form.axis[axis] == 1 ? 1 : kUnevenAccess;
}

// Splits `extent` into strips of at most kMaxLanes that are about equally long.
int64_t even_strip(int64_t extent) {
  if (extent <= kMaxLanes) return extent;
  const int64_t strips = (extent + kMaxLanes - 1) / kMaxLanes;
  const int64_t length = (extent + strips - 1) / strips;
  return std::min((length + 63) / 64 * 64, kMaxLanes);
}

// A tile with `col` along its rows and as many rows along `row` as there is room for.
TileShape fill_tile(const LoopNest& nest, int row, int col) {
  TileShape tile{.row_axis = row, .col_axis = col};
  if (col != kNoAxis) tile.cols = even_strip(std::max<int64_t>(nest.axes[col].extent, 1));
  if (row != kNoAxis) {
    const bool whole_rows = col == kNoAxis || tile.cols == nest.axes[col].extent;
    const int64_t room = whole_rows ? kMaxLanes / tile.cols : 1;
    tile.rows = std::clamp<int64_t>(room, 1, std::max<int64_t>(nest.axes[row].extent, 1));
  }
  return tile;
}

// Where memory is read along another axis than it is written, a tile that is not flat uses whole
// cache lines of both.
void widen_for_transposition(const LoopNest& nest, const std::vector<Access>& accesses,
                             TileShape& tile) {
  constexpr int64_t kCols = 32;
  if (tile.col_axis == kNoAxis) return;
  for (const Access& access : accesses) {
    if (access.form->axis[tile.col_axis] == 0 || access.form->axis[tile.col_axis] == 1) continue;
    for (size_t k = 0; k < nest.parallel_axes(); ++k) {
      if (static_cast<int>(k) == tile.col_axis || access.form->axis[k] != 1) continue;
      tile.row_axis = static_cast<int>(k);
      tile.cols = std::clamp<int64_t>(nest.axes[tile.col_axis].extent, 1, kCols);
      tile.rows = std::clamp<int64_t>(nest.axes[k].extent, 1, kMaxLanes / tile.cols);
      return;
    }
  }
}

double tile_cost(const LoopNest& nest, const std::vector<Access>& accesses, const TileShape& tile,
                 int folds) {
  const double lanes = static_cast<double>(tile.rows * tile.cols);
  double cost = kStripOverhead / lanes * (1 + static_cast<double>(accesses.size()));
  const int axis = tile.col_axis != kNoAxis ? tile.col_axis : tile.row_axis;
  for (const Access& access : accesses) {
    if (access.inner && axis != kNoAxis) {
      cost += access_cost(nest, *access.form, static_cast<size_t>(axis));
    }
  }
  cost += folds * (tile.cols_are_inner ? 1 + kRowOverhead / static_cast<double>(tile.cols) : 2);
  return cost;
}

}  // namespace

size_t LoopNest::parallel_axes() const {
  return static_cast<size_t>(
      std::count_if(axes.begin(), axes.end(), [](const LoopAxis& axis) { return !axis.inner; }));
}

int64_t LoopNest::points(bool inner) const {
  int64_t count = 1;
  for (const LoopAxis& axis : axes) {
    if (axis.inner == inner) count *= axis.extent;
  }
  return count;
}

Result<LoopNest> build_loop_nest(const program::Body& body, const LaunchSizes& sizes,
                                 AxisFreedom freedom) {
  return NestBuilder(body, sizes).build(freedom);
}

TileShape choose_tile(const program::Body& body, const LoopNest& nest) {
  const int parallel = static_cast<int>(nest.parallel_axes());
  const int all = static_cast<int>(nest.axes.size());
  const std::vector<Access> accesses = accesses_of(body, nest);
  TileShape lanes =
      fill_tile(nest, parallel > 1 ? parallel - 2 : kNoAxis, parallel > 0 ? parallel - 1 : kNoAxis);
  if (parallel == all) {
    widen_for_transposition(nest, accesses, lanes);
    return lanes;
  }
  TileShape rows = fill_tile(nest, parallel > 0 ? parallel - 1 : kNoAxis, all - 1);
  rows.cols_are_inner = true;
  const auto folds = static_cast<int>(
      std::count_if(body.insts.begin(), body.insts.end(),
                    [](const program::Inst& inst) { return inst.kind == InstKind::kReduce; }));
  return tile_cost(nest, accesses, lanes, folds) < tile_cost(nest, accesses, rows, folds) ? lanes
                                                                                          : rows;
}

}  // namespace ingot::runtime::cpu
