// Decides which operators share a kernel and which values get a buffer.
#pragma once

#include <vector>

#include "ir/model.h"
#include "schedule/placement.h"

namespace ingot::schedule {

enum class GroupKind : uint8_t {
  kLoop,      // pointwise work and reductions over one domain
  kTemplate,  // one matmul, convolution, attention, scan or sort with its epilogue
  kScatter,   // stores into (a copy of) an existing value
};

// The values one kernel stores, and the domain it runs over. Everything between the roots and
// values with buffers is computed in place.
struct Group {
  GroupKind kind = GroupKind::kLoop;
  std::vector<const ir::Value*> roots;
  const ir::Node* template_node = nullptr;  // kTemplate
  const ir::Node* scatter_node = nullptr;   // kScatter
  // kLoop: sizes of the domain, and the dimensions of it that reductions run over.
  std::vector<sym::Expr> domain;
  std::vector<int64_t> reduced;
  bool has_reduction = false;
  bool is_init = false;  // depends on constants alone: runs once, at load
};

struct Grouping {
  std::vector<Group> groups;  // in an order that respects all dependencies
  Placement placement;
};

Grouping form_groups(const ir::Model& model);

// True for operators whose operands must lie in memory: templates and scatters.
bool is_template(const ir::Node& node);

}  // namespace ingot::schedule
