#include "import/unsupported.h"

#include <fmt/core.h>

#include "support/diagnostics.h"

namespace ingot::pt2 {
namespace {

std::string first_line(const ir::Model& model, ir::LocId loc) {
  const std::vector<std::string> notes = ir::location_notes(model, loc);
  return notes.empty() ? std::string() : "; first " + notes.front();
}

std::string times(size_t count) { return count == 1 ? "once" : fmt::format("{} times", count); }

}  // namespace

void UnsupportedReport::add_operator(const std::string& name, const std::string& why,
                                     ir::LocId loc) {
  Entry& entry = operators_[why.empty() ? name : fmt::format("{} ({})", name, why)];
  if (entry.count++ == 0) entry.first = loc;
}

void UnsupportedReport::add_dtype(const std::string& dtype, const std::string& value,
                                  ir::LocId loc) {
  Entry& entry = dtypes_[dtype];
  if (entry.count++ > 0) return;
  entry.first = loc;
  entry.first_user = value;
}

void UnsupportedReport::throw_if_any(const ir::Model& model) const {
  std::vector<std::string> notes;
  if (!operators_.empty()) {
    size_t calls = 0;
    for (const auto& [name, entry] : operators_) {
      calls += entry.count;
      notes.push_back(
          fmt::format("{}: {}{}", name, times(entry.count), first_line(model, entry.first)));
    }
    throw CompileError(
        Diag::kUnsupportedOperator,
        fmt::format("the model calls {} operator{} that Ingot has no kernels for ({} "
                    "call{})",
                    operators_.size(), operators_.size() == 1 ? "" : "s", calls,
                    calls == 1 ? "" : "s"),
        std::move(notes));
  }
  if (dtypes_.empty()) return;
  for (const auto& [dtype, entry] : dtypes_) {
    notes.push_back(fmt::format("{}: {} value{}, first %{}{}", dtype, entry.count,
                                entry.count == 1 ? "" : "s", entry.first_user,
                                first_line(model, entry.first)));
  }
  throw CompileError(Diag::kUnsupportedDtype,
                     "the model uses element types that Ingot has no kernels for",
                     std::move(notes));
}

}  // namespace ingot::pt2
