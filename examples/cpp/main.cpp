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
    for (int d = 0; d < info.rank; ++d) shape.push_back(std::max<int64_t>(info.dims[d].min, 1));
    size_t count = 1;
    for (const int64_t size : shape) count *= size;
    inputs.emplace_back(count, 1.0f);
    arguments.push_back(ingot::tensor(inputs.back(), shape));
  }
  for (const ingot::Value& value : context.run(arguments)) {
    const ingot::Tensor& output = value.tensor();
    std::printf("%zu elements, the first is %g\n", output.size(), *output.data<float>());
  }
} catch (const ingot::Error& error) {
  std::fprintf(stderr, "error[E%04d]: %s\n", error.id(), error.what());
  return 1;
}
