// Counts every allocation of the program while a context runs shapes that it knows.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "runtime/core/context.h"
#include "runtime/core/fake_device.h"
#include "runtime/core/test_call.h"
#include "runtime/core/test_programs.h"

namespace {
thread_local bool counting = false;
thread_local size_t allocations = 0;
}  // namespace

// Not inlined: g++ takes the pair for a mismatch where it sees only one.
[[gnu::noinline]] void* operator new(size_t bytes) {
  if (counting) ++allocations;
  if (void* block = std::malloc(bytes == 0 ? 1 : bytes)) return block;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* block) noexcept { std::free(block); }
[[gnu::noinline]] void operator delete(void* block, size_t) noexcept { std::free(block); }

namespace ingot::runtime {
namespace {

using testing::AffineCall;

TEST(Allocation, RepeatedShapesAllocateNothingOnTheHost) {
  auto device = std::make_shared<testing::FakeDevice>();
  testing::add_affine_kernels(device->log());
  ProgramSource source = testing::affine_program();
  // A text as output is copied, which its length decides.
  source.program.outputs.pop_back();
  auto program = LoadedProgram::load(device, std::move(source)).value();
  auto context = Context::create(program).value();
  device->log().is_quiet = true;
  AffineCall small(2);
  AffineCall large(8);
  // A strided one, so that staging is part of it.
  const std::array<int64_t, 2> strides{1, 2};
  std::vector<Argument> strided = small.arguments();
  strided[0].tensor.strides = strides;
  const std::vector<std::vector<Argument>> calls = {small.arguments(), large.arguments(), strided};
  std::vector<OutputSlot> outputs(4);
  const auto run_all = [&] {
    for (const std::vector<Argument>& call : calls) {
      EXPECT_TRUE(context->run(call, outputs).ok());
      for (OutputSlot& slot : outputs) slot.tensor.reset();
    }
  };
  run_all();
  run_all();
  allocations = 0;
  counting = true;
  run_all();
  counting = false;
  EXPECT_EQ(allocations, 0u);
}

}  // namespace
}  // namespace ingot::runtime
