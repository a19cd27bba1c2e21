// What every device must do (runtime/core/device.h), and programs of every feature run on it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "runtime/api/open_device.h"
#include "runtime/core/block.h"
#include "runtime/core/context.h"
#include "runtime/core/test_call.h"
#include "runtime/core/test_programs.h"
#include "support/diagnostics.h"

namespace ingot::runtime {
namespace {

using program::BufferKind;
using program::ScalarOp;
using testing::AffineCall;
using ::testing::Each;
using ::testing::ElementsAre;
using testing::FloatTensor;
using ::testing::HasSubstr;

class DeviceTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    auto device = open_device(GetParam());
    if (!device.ok()) GTEST_SKIP() << GetParam() << ": " << device.status().message();
    device_ = std::move(device).value();
    queue_ = device_->create_queue().value();
  }

  Block allocate(size_t bytes) {
    auto block = Block::allocate(device_, bytes);
    EXPECT_TRUE(block.ok());
    return std::move(block).value();
  }
  template <typename T>
  Block upload(const std::vector<T>& values) {
    Block block = allocate(values.size() * sizeof(T));
    EXPECT_TRUE(queue_->upload(block.data(), values.data(), values.size() * sizeof(T)).ok());
    return block;
  }
  template <typename T>
  std::vector<T> download(const Block& block) {
    std::vector<T> values(block.bytes() / sizeof(T));
    EXPECT_TRUE(queue_->download(values.data(), block.data(), block.bytes()).ok());
    return values;
  }
  std::shared_ptr<LoadedProgram> load(ProgramSource source) {
    auto loaded = LoadedProgram::load(device_, std::move(source));
    EXPECT_TRUE(loaded.ok()) << loaded.status().message();
    return loaded.ok() ? std::move(loaded).value() : nullptr;
  }

  std::shared_ptr<Device> device_;
  std::unique_ptr<Queue> queue_;
};

INSTANTIATE_TEST_SUITE_P(Devices, DeviceTest, ::testing::Values("cpu", "cuda"),
                         [](const auto& param) { return std::string(param.param); });

TEST_P(DeviceTest, IsDescribed) {
  EXPECT_NE(device_->description(), "");
  EXPECT_FALSE(device_->targets().empty());
  EXPECT_GT(device_->id().type, 0);
}

TEST_P(DeviceTest, BlocksAreAlignedAndDistinct) {
  std::vector<Block> blocks;
  for (const size_t bytes : {0, 1, 63, 64, 65, 4096, 1000001}) {
    blocks.push_back(allocate(bytes));
    EXPECT_NE(blocks.back().data(), nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(blocks.back().data()) % kAllocationAlignment, 0u);
    EXPECT_EQ(blocks.back().bytes(), bytes);
  }
  device_->free(nullptr);
}

TEST_P(DeviceTest, HugeAllocationsFail) {
  for (const size_t bytes : {SIZE_MAX, SIZE_MAX - 64, SIZE_MAX / 4}) {
    const auto block = Block::allocate(device_, bytes);
    ASSERT_FALSE(block.ok());
    EXPECT_EQ(block.status().id(), static_cast<int>(Diag::kOutOfMemory));
  }
}

TEST_P(DeviceTest, MovesBytes) {
  const std::vector<int32_t> values = {1, 2, 3, 4, 5, 6, 7, 8};
  const Block source = upload(values);
  const Block copy = allocate(32);
  ASSERT_TRUE(queue_->fill(copy.data(), 0x11, 32).ok());
  ASSERT_TRUE(queue_->copy(static_cast<std::byte*>(copy.data()) + 8, source.data(), 16).ok());
  EXPECT_THAT(download<int32_t>(copy),
              ElementsAre(0x11111111, 0x11111111, 1, 2, 3, 4, 0x11111111, 0x11111111));
  ASSERT_TRUE(queue_->copy(copy.data(), source.data(), 0).ok());
  ASSERT_TRUE(queue_->fill(copy.data(), 0, 0).ok());
  EXPECT_TRUE(queue_->synchronize().ok());
}

TEST_P(DeviceTest, UploadsLeaveTheHostMemoryFree) {
  const Block block = allocate(4);
  int32_t value = 5;
  ASSERT_TRUE(queue_->upload(block.data(), &value, 4).ok());
  value = 6;
  EXPECT_THAT(download<int32_t>(block), ElementsAre(5));
}

TEST_P(DeviceTest, CopiesStrides) {
  const Block source = upload<int16_t>({0, 1, 2, 3, 4, 5});
  const Block target = allocate(12);
  const std::vector<int64_t> sizes = {3, 2};
  const std::vector<int64_t> dense = {2, 1};
  const std::vector<int64_t> transposed = {1, 3};
  const StridedCopy copy{target.data(), source.data(), 2, sizes, dense, transposed};
  ASSERT_TRUE(queue_->copy_strided(copy).ok());
  EXPECT_THAT(download<int16_t>(target), ElementsAre(0, 3, 1, 4, 2, 5));
}

TEST_P(DeviceTest, EventsOrderQueues) {
  auto other = device_->create_queue().value();
  const Block block = allocate(4);
  ASSERT_TRUE(queue_->fill(block.data(), 1, 4).ok());
  auto event = queue_->record();
  ASSERT_TRUE(event.ok());
  ASSERT_TRUE(other->wait_for(**event).ok());
  int32_t value = 0;
  ASSERT_TRUE(other->download(&value, block.data(), 4).ok());
  EXPECT_EQ(value, 0x01010101);
  EXPECT_TRUE((*event)->wait().ok());
  EXPECT_TRUE((*event)->is_done());
}

TEST_P(DeviceTest, RunsEveryKindOfStep) {
  const auto program = load(testing::affine_program());
  ASSERT_NE(program, nullptr);
  if (!device_->uses_host_memory()) GTEST_SKIP() << "tensors of the host do not reach the device";
  auto context = Context::create(program).value();
  for (const int64_t rows : {1, 3, 8, 2, 3}) {
    AffineCall call(rows);
    std::vector<OutputSlot> outputs(5);
    ASSERT_TRUE(context->reset_states().ok());
    const Status status = context->run(call.arguments(), outputs);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(testing::floats_of(outputs[0].tensor), call.expected_y());
    EXPECT_THAT(testing::floats_of(outputs[1].tensor), ElementsAre(12, 22, 32, 42));
    EXPECT_THAT(call.mask.values, Each(1.5f));
  }
}

// y[i] = table[index[i]]; the table has 5 elements.
ProgramSource gather_program() {
  ProgramSource source;
  program::Program& p = source.program;
  const sym::Expr n = sym::Expr::symbol("n");
  p.symbols = {{"n", {0, 100}}};
  p.inputs = {{"index", program::InputKind::kTensor, DType::kI64, {n}, "", {}, false}};
  p.outputs = {{"y", program::OutputKind::kTensor, DType::kF32, {n}, {}, 0, 0}};
  testing::set_storages(source, {{10, 11, 12, 13, 14}});
  p.weights = {{"table", DType::kF32, {5}, {1}, 0, 0}};
  program::Kernel kernel;
  kernel.name = "gather";
  kernel.buffers = {{DType::kI64, program::Access::kRead},
                    {DType::kF32, program::Access::kRead},
                    {DType::kF32, program::Access::kWrite}};
  kernel.scalar_count = 1;
  testing::BodyWriter writer;
  const auto index = writer.load(0, DType::kI64, testing::axis(0));
  const sym::Expr checked = writer.check_index(index, 5);
  writer.store(2, DType::kF32, testing::axis(0), writer.load(1, DType::kF32, checked));
  kernel.body = writer.finish({testing::scalar(0)});
  p.kernels = {kernel};
  p.locations = {{"model.py", 7, "forward", "return self.table[index]", "", "index_1"}};
  program::Plan plan;
  plan.target = "cpu";
  plan.buffers = {testing::buffer("index", BufferKind::kInput, n, 0, DType::kI64),
                  testing::buffer("table", BufferKind::kConstant, 5, 0),
                  testing::buffer("y", BufferKind::kOutput, n, 0)};
  plan.steps = {testing::launch(0, {0, 1, 2}, {n})};
  plan.steps[0].loc = 0;
  p.plans = {plan};
  return source;
}

TEST_P(DeviceTest, IndicesOutsideTheirRangeAreErrors) {
  const auto program = load(gather_program());
  ASSERT_NE(program, nullptr);
  if (!device_->uses_host_memory()) GTEST_SKIP() << "tensors of the host do not reach the device";
  auto context = Context::create(program).value();
  const auto run = [&context](std::vector<int64_t> index, std::vector<OutputSlot>& outputs) {
    const std::array<int64_t, 1> sizes{static_cast<int64_t>(index.size())};
    const Argument argument{{}, true, {index.data(), DType::kI64, {}, sizes, {}, false}, {}};
    return context->run({&argument, 1}, outputs);
  };
  std::vector<OutputSlot> outputs(1);
  ASSERT_TRUE(run({0, 4, -1, -5}, outputs).ok());
  EXPECT_THAT(testing::floats_of(outputs[0].tensor), ElementsAre(10, 14, 14, 10));
  for (const int64_t bad : {5L, -6L, INT64_MAX, INT64_MIN}) {
    const Status status = run({0, bad}, outputs);
    EXPECT_EQ(status.id(), static_cast<int>(Diag::kIndexRange)) << bad;
    EXPECT_THAT(status.message(), HasSubstr("at model.py:7 in forward"));
  }
  // A failure leaves nothing behind.
  ASSERT_TRUE(run({1}, outputs).ok());
  EXPECT_THAT(testing::floats_of(outputs[0].tensor), ElementsAre(11));
  ASSERT_TRUE(run({}, outputs).ok());
}

}  // namespace
}  // namespace ingot::runtime
