// The functional twins of operators that write one of their arguments.
#pragma once

#include <string>
#include <vector>

#include "ir/builder.h"
#include "ir/graph.h"

namespace ingot::passes {

// A writing call computed without a write.
struct FunctionalCall {
  struct Write {
    size_t param = 0;            // the position of the written argument
    ir::Value* value = nullptr;  // its new contents, of its own type
  };
  std::vector<Write> writes;
  std::vector<ir::Value*> results;  // one per result of the call; null: an alias of a written one
};

// The name of the operator that computes what `schema` (aten.add_.Tensor, aten.add.out) writes, or
// "" if the table has none.
std::string functional_twin(const ir::OperatorTable& table, const ir::Schema& schema);

// Whether the call writes an argument: by its schema, or because a batch norm in training mode
// updates its running statistics.
bool is_writing(const ir::Node& node);

// Emits the functional form of a writing call. Throws CompileError (kUnsupportedOperator) if there
// is none.
FunctionalCall call_functional(ir::Builder& builder, const ir::OperatorTable& table,
                               const ir::Node& node);

}  // namespace ingot::passes
