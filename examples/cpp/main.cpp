// Loads a package and runs it once on inputs of ones: example MODEL.ingot
#include <ingot/ingot.hpp>

#include <algorithm>
#include <cstdio>

int main(int argc, char** argv) try {
  if (argc != 2) return std::fprintf(stderr, "usage: example MODEL.ingot\n"), 2;
  const ingot::Program program = ingot::Program::load(argv[1]);
  ingot::Context context(program);

  std::vector<std::vector<float>> inputs;
  std::vector<ingot::Argument> arguments;
  for (const ingot_info& info : program.inputs()) {
    std::vector<int64_t> shape;
    int64_t count = 1;
    for (int d = 0; d < info.rank; ++d) {
      shape.push_back(std::max<int64_t>(info.dims[d].min, 1));
      count *= shape.back();
    }
    inputs.emplace_back(count, 1.0f);
    arguments.push_back(ingot::tensor(inputs.back(), shape));
  }

  for (const ingot::Value& value : context.run(arguments)) {
    const float* data = value.tensor().data<float>();
    std::printf("%zu elements, the first is %g\n", value.tensor().size(), data[0]);
  }
  return 0;
} catch (const ingot::Error& error) {
  std::fprintf(stderr, "error[E%04d]: %s\n", error.id(), error.what());
  return 1;
}
