// Writes every case of every operator, with its inputs and the evaluator's results, for
// check_against_pytorch.py: OUT.json (one object per line) and OUT.bin (the tensors' bytes).
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "op_sample.h"
#include "support/diagnostics.h"

namespace ingot::ops {
namespace {

using Json = nlohmann::json;

class Dump {
 public:
  explicit Dump(const std::string& stem) : lines_(stem + ".json"), bytes_(stem + ".bin") {}

  void add(const Case& test_case, DType dtype) {
    const auto sample = make_sample(test_case, dtype, false);
    Json line = {{"op", test_case.schema}, {"case", test_case.name}, {"dtype", to_string(dtype)}};
    for (const ir::Arg& arg : sample->node->args) line["args"].push_back(to_json(arg, *sample));
    for (const HostTensor& result : evaluate(sample->graph, sample->inputs)) {
      line["results"].push_back(to_json(result));
    }
    lines_ << line.dump() << "\n";
  }

 private:
  Json to_json(const HostTensor& tensor) {
    const Json json = {{"dtype", torch_name(tensor.dtype)},
                       {"sizes", tensor.sizes},
                       {"at", static_cast<int64_t>(bytes_.tellp())}};
    bytes_.write(reinterpret_cast<const char*>(tensor.data.data()),
                 static_cast<std::streamsize>(tensor.data.size()));
    return json;
  }

  Json to_json(const ir::Value* value, const OpSample& sample) {
    if (!value) return nullptr;
    const auto& inputs = sample.graph.inputs();
    const auto found = std::find(inputs.begin(), inputs.end(), value);
    return {{"tensor", to_json(sample.inputs[static_cast<size_t>(found - inputs.begin())])}};
  }

  Json to_json(const ir::Arg& arg, const OpSample& sample) {
    return std::visit(
        [&](const auto& value) -> Json {
          using T = std::decay_t<decltype(value)>;
          if constexpr (std::is_same_v<T, ir::Value*>) {
            return to_json(value, sample);
          } else if constexpr (std::is_same_v<T, std::vector<ir::Value*>>) {
            Json list = Json::array();
            for (const ir::Value* element : value) list.push_back(to_json(element, sample));
            return list;
          } else if constexpr (std::is_same_v<T, sym::Expr>) {
            return value.as_const().value();
          } else if constexpr (std::is_same_v<T, std::vector<sym::Expr>>) {
            Json list = Json::array();
            for (const sym::Expr& expr : value) list.push_back(expr.as_const().value());
            return list;
          } else if constexpr (std::is_same_v<T, double>) {
            return {{"float", std::to_string(value)}, {"bits", std::bit_cast<uint64_t>(value)}};
          } else if constexpr (std::is_same_v<T, DType>) {
            return {{"dtype", torch_name(value)}};
          } else if constexpr (std::is_same_v<T, std::monostate> ||
                               std::is_same_v<T, std::shared_ptr<ir::Graph>>) {
            return nullptr;
          } else {
            return value;
          }
        },
        arg);
  }

  std::ofstream lines_;
  std::ofstream bytes_;
};

}  // namespace
}  // namespace ingot::ops

int main(int argc, char** argv) {
  using namespace ingot::ops;
  if (argc != 2) {
    std::fprintf(stderr, "usage: op_cases OUT\n");
    return 2;
  }
  try {
    Dump dump(argv[1]);
    for (const OpDef* def : all_ops()) {
      for (const Case& test_case : def->cases()) {
        for (const ingot::DType dtype : test_case.dtypes) dump.add(test_case, dtype);
      }
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 70;
  }
  return 0;
}
