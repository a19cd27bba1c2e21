#include <nlohmann/json.hpp>

#include "import/describe.h"
#include "import/description.h"

namespace ingot::pt2 {
namespace {

using Json = nlohmann::ordered_json;

// Sizes are numbers where they are constant, else expressions.
Json to_json(const std::vector<std::string>& sizes) {
  Json list = Json::array();
  for (const std::string& size : sizes) {
    const bool is_number = size.find_first_not_of("0123456789") == size.npos && size.size() < 19;
    list.push_back(is_number ? Json(std::stoll(size)) : Json(size));
  }
  return list;
}

Json to_json(const std::vector<LeafDescription>& leaves) {
  Json list = Json::array();
  for (const LeafDescription& leaf : leaves) {
    Json entry = {{"name", leaf.name}, {"kind", leaf.kind}};
    if (leaf.kind == "tensor") {
      entry["dtype"] = leaf.dtype;
      entry["sizes"] = to_json(leaf.sizes);
    } else {
      entry["value"] = leaf.value;
    }
    list.push_back(std::move(entry));
  }
  return list;
}

Json weights_to_json(const Description& description) {
  Json list = Json::array();
  for (const WeightDescription& weight : description.weights) {
    list.push_back({{"name", weight.name},
                    {"kind", weight.kind},
                    {"dtype", weight.dtype},
                    {"sizes", to_json(weight.sizes)},
                    {"bytes", weight.bytes},
                    {"record", weight.record}});
  }
  return {{"count", description.weights.size()},
          {"records", description.weight_records},
          {"bytes", description.weight_bytes},
          {"list", std::move(list)}};
}

Json limit(const std::optional<int64_t>& value) { return value ? Json(*value) : Json(nullptr); }

}  // namespace

std::string describe_json(const Archive& archive, const ExportedProgram& program) {
  const Description description = make_description(archive, program);
  Json symbols = Json::array();
  for (const SymbolDescription& symbol : description.symbols) {
    symbols.push_back(
        {{"name", symbol.name}, {"min", limit(symbol.min)}, {"max", limit(symbol.max)}});
  }
  Json operators = Json::array();
  for (const OperatorDescription& op : description.operators) {
    operators.push_back({{"name", op.name}, {"count", op.count}, {"supported", op.supported}});
  }
  const Json root = {
      {"model", description.model},
      {"models", description.models},
      {"torch_version", description.torch_version},
      {"schema_version", description.schema_version},
      {"dialect", description.dialect},
      {"inputs", to_json(description.inputs)},
      {"symbols", std::move(symbols)},
      {"outputs", to_json(description.outputs)},
      {"updates", description.updates},
      {"weights", weights_to_json(description)},
      {"operators", std::move(operators)},
      {"supported", description.is_supported()},
      {"guards", description.guards},
      {"warnings", description.warnings},
  };
  // Names come from the archive and need not be UTF-8.
  return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ingot::pt2
