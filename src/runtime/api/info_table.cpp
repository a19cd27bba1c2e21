#include "runtime/api/dlpack_conversion.h"
#include "runtime/api/handles.h"

namespace ingot::runtime {
namespace {

using Entry = InfoTable::Entry;

int32_t kind_of(program::Literal::Kind kind) {
  switch (kind) {
    case program::Literal::Kind::kNone:
      return INGOT_NONE;
    case program::Literal::Kind::kBool:
      return INGOT_BOOL;
    case program::Literal::Kind::kInt:
      return INGOT_INT;
    case program::Literal::Kind::kFloat:
      return INGOT_FLOAT;
    case program::Literal::Kind::kString:
      return INGOT_STRING;
  }
  return INGOT_NONE;
}

void set_literal(Entry& entry, const program::Literal& literal) {
  entry.info.kind = kind_of(literal.kind);
  entry.info.integer = literal.int_value;
  entry.info.real = literal.float_value;
  entry.info.string = literal.string_value.c_str();
}

void set_tensor(Entry& entry, DType dtype, std::span<const sym::Expr> sizes,
                const sym::Ranges& ranges) {
  entry.info.kind = INGOT_TENSOR;
  entry.info.dtype = to_dlpack(dtype);
  entry.info.dtype_name = to_string(dtype).data();  // a literal, so it ends in a zero
  for (const sym::Expr& size : sizes) {
    const sym::Range range = sym::bounds(size, ranges);
    entry.dims.push_back({std::max<int64_t>(range.lo, 0), range.hi, nullptr});
    entry.expressions.push_back(sym::to_string(size));
  }
}

void set_weight(Entry& entry, const program::Weight& weight) {
  entry.info.name = weight.name.c_str();
  const std::vector<sym::Expr> sizes(weight.sizes.begin(), weight.sizes.end());
  set_tensor(entry, weight.dtype, sizes, {});
}

Entry describe(const program::Input& input, const sym::Ranges& ranges) {
  Entry entry;
  entry.info.name = input.name.c_str();
  entry.info.mutated = input.mutated;
  switch (input.kind) {
    case program::InputKind::kTensor:
      set_tensor(entry, input.dtype, input.sizes, ranges);
      break;
    case program::InputKind::kScalar:
      entry.info.kind = INGOT_INT;
      break;
    case program::InputKind::kBurnedIn:
      entry.info.burned_in = 1;
      set_literal(entry, input.literal);
      break;
  }
  return entry;
}

Entry describe(const program::Program& program, const program::Output& output,
               const sym::Ranges& ranges) {
  Entry entry;
  entry.info.name = output.name.c_str();
  switch (output.kind) {
    case program::OutputKind::kTensor:
      set_tensor(entry, output.dtype, output.sizes, ranges);
      break;
    case program::OutputKind::kLiteral:
      set_literal(entry, output.literal);
      break;
    case program::OutputKind::kScalar:
      entry.info.kind = INGOT_INT;
      break;
    case program::OutputKind::kInput: {
      const program::Input& input = program.inputs[output.input];
      set_tensor(entry, input.dtype, input.sizes, ranges);
      entry.info.kind = INGOT_INPUT;
      entry.info.integer = output.input;
      break;
    }
  }
  return entry;
}

// Once the entries have their final place.
void connect(std::vector<Entry>& entries) {
  for (Entry& entry : entries) {
    for (size_t d = 0; d < entry.dims.size(); ++d) {
      entry.dims[d].expression = entry.expressions[d].c_str();
    }
    entry.info.rank = static_cast<int32_t>(entry.dims.size());
    entry.info.dims = entry.dims.data();
  }
}

}  // namespace

InfoTable describe_program(const LoadedProgram& loaded) {
  const program::Program& program = loaded.program();
  const sym::Ranges ranges = ranges_of(program);
  InfoTable table;
  for (const program::Input& input : program.inputs) {
    table.inputs.push_back(describe(input, ranges));
  }
  for (const program::Output& output : program.outputs) {
    table.outputs.push_back(describe(program, output, ranges));
  }
  for (const uint32_t source : state_weights(loaded.plan())) {
    set_weight(table.states.emplace_back(), program.weights[source]);
  }
  for (const program::Weight& weight : program.weights) {
    set_weight(table.weights.emplace_back(), weight);
  }
  for (std::vector<Entry>* entries :
       {&table.inputs, &table.outputs, &table.states, &table.weights}) {
    connect(*entries);
  }
  return table;
}

}  // namespace ingot::runtime
