// Collects everything in a model that Ingot cannot compile, so that one error names it all.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/model.h"

namespace ingot::pt2 {

class UnsupportedReport {
 public:
  // A call of an operator that Ingot lacks, or that it cannot use in this way (`why`, may be
  // empty).
  void add_operator(const std::string& name, const std::string& why, ir::LocId loc);
  // A value whose element type has no kernels.
  void add_dtype(const std::string& dtype, const std::string& value, ir::LocId loc);
  bool empty() const { return operators_.empty() && dtypes_.empty(); }

  // Throws CompileError if anything was added: kUnsupportedOperator with a line per operator, or
  // kUnsupportedDtype with a line per type. `model` has the locations.
  void throw_if_any(const ir::Model& model) const;

 private:
  struct Entry {
    size_t count = 0;
    std::string first_user;        // the first value of a dtype
    ir::LocId first = ir::kNoLoc;  // where it is used first
  };
  std::map<std::string, Entry> operators_;  // by "name" or "name (why)"
  std::map<std::string, Entry> dtypes_;
};

}  // namespace ingot::pt2
