// Tables of operators that differ in one scalar operation only: a row becomes an OpDef whose
// functions are instantiated for the row's position.
#pragma once

#include <array>
#include <utility>

#include "ops/op_def.h"

namespace ingot::ops {

// "add" of "aten::add.Tensor(…)".
constexpr std::string_view schema_base(std::string_view schema) {
  schema.remove_prefix(schema.find("::") + 2);
  return schema.substr(0, schema.find_first_of(".("));
}

// "aten.add.Tensor" of "aten::add.Tensor(…)", "aten.relu.default" of "aten::relu(…)".
std::string schema_full_name(std::string_view schema);

// The schemas of a row; unused places at the end are empty.
using RowSchemas = std::array<std::string_view, 5>;
constexpr std::span<const std::string_view> used(const RowSchemas& schemas) {
  size_t count = 0;
  while (count < schemas.size() && !schemas[count].empty()) ++count;
  return std::span<const std::string_view>(schemas).first(count);
}

// One OpDef per row: Maker::def<I>().
template <typename Maker, size_t... I>
constexpr std::array<OpDef, sizeof...(I)> make_family(std::index_sequence<I...>) {
  return {Maker::template def<I>()...};
}

}  // namespace ingot::ops
