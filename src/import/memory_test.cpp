// Importing gigabytes of weights takes no memory of its own for them.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

#include "import/test_archive.h"

namespace ingot::pt2 {
namespace {

using test_zip::put;

constexpr uint64_t kGiB = uint64_t{1} << 30;

// The CRC of that many zero bytes, by doubling.
uint32_t crc_of_zeros(uint64_t count) {
  uint32_t total = 0;
  uint32_t power = test_zip::crc_of(std::string(1, '\0'));
  for (uint64_t bytes = 1; bytes <= count; bytes *= 2) {
    const auto length = static_cast<z_off_t>(bytes);
    if (count & bytes) total = static_cast<uint32_t>(::crc32_combine(total, power, length));
    power = static_cast<uint32_t>(::crc32_combine(power, power, length));
  }
  return total;
}

// Writes an archive whose large records are holes of the file: zip64, as PyTorch writes it beyond
// 4 GiB, at no cost of disk.
class SparseArchive {
 public:
  explicit SparseArchive(const std::string& path)
      : file_(::open(path.c_str(), O_CREAT | O_TRUNC | O_RDWR, 0600)) {}
  ~SparseArchive() { ::close(file_); }

  void add(const std::string& name, const std::string& data) {
    add_record(name, data.size(), test_zip::crc_of(data));
    write(data);
  }
  void add_zeros(const std::string& name, uint64_t bytes) {
    add_record(name, bytes, crc_of_zeros(bytes));
    at_ += bytes;
  }
  void finish() {
    const uint64_t offset = at_;
    write(directory_);
    std::string end;
    put<uint32_t>(end, 0x06064b50);
    put<uint64_t>(end, 44);
    put<uint32_t>(end, 0);
    put<uint64_t>(end, 0);
    put<uint64_t>(end, count_);
    put<uint64_t>(end, count_);
    put<uint64_t>(end, directory_.size());
    put<uint64_t>(end, offset);
    put<uint32_t>(end, 0x07064b50);
    put<uint32_t>(end, 0);
    put<uint64_t>(end, at_);
    put<uint32_t>(end, 1);
    put<uint32_t>(end, 0x06054b50);
    put<uint32_t>(end, 0);
    put<uint32_t>(end, 0xffffffff);
    put<uint64_t>(end, UINT64_MAX);
    put<uint16_t>(end, 0);
    write(end);
  }

 private:
  void write(const std::string& data) {
    ASSERT_EQ(::pwrite(file_, data.data(), data.size(), static_cast<off_t>(at_)),
              static_cast<ssize_t>(data.size()));
    at_ += data.size();
  }

  void add_record(const std::string& name, uint64_t bytes, uint32_t crc) {
    std::string extra;
    const bool is_large = bytes >= 0xffffffff;
    if (is_large) {
      put<uint32_t>(extra, 0x00100001);
      put<uint64_t>(extra, bytes);
      put<uint64_t>(extra, bytes);
    }
    put_central(name, bytes, crc);
    const uint64_t padding = 64 - (at_ + 30 + name.size() + extra.size() + 4) % 64;
    extra += "FB";
    put<uint16_t>(extra, padding);
    extra += std::string(padding, 'Z');
    std::string local;
    put<uint32_t>(local, 0x04034b50);
    put<uint16_t>(local, 0);
    put<uint16_t>(local, 0x0808);
    put<uint16_t>(local, 0);
    put<uint32_t>(local, 0);
    put<uint32_t>(local, 0);
    put<uint64_t>(local, 0);
    put<uint16_t>(local, name.size());
    put<uint16_t>(local, extra.size());
    write(local + name + extra);
  }

  void put_central(const std::string& name, uint64_t bytes, uint32_t crc) {
    const bool is_large = bytes >= 0xffffffff;
    const bool is_far = at_ >= 0xffffffff;
    std::string extra;
    if (is_large || is_far) {
      put<uint16_t>(extra, 1);
      put<uint16_t>(extra, (is_large ? 16u : 0u) + (is_far ? 8u : 0u));
      if (is_large) {
        put<uint64_t>(extra, bytes);
        put<uint64_t>(extra, bytes);
      }
      if (is_far) put<uint64_t>(extra, at_);
    }
    put<uint32_t>(directory_, 0x02014b50);
    put<uint32_t>(directory_, 0);
    put<uint16_t>(directory_, 0x0808);
    put<uint16_t>(directory_, 0);
    put<uint32_t>(directory_, 0);
    put<uint32_t>(directory_, crc);
    put<uint32_t>(directory_, is_large ? 0xffffffff : bytes);
    put<uint32_t>(directory_, is_large ? 0xffffffff : bytes);
    put<uint16_t>(directory_, name.size());
    put<uint16_t>(directory_, extra.size());
    put<uint64_t>(directory_, 0);
    put<uint16_t>(directory_, 0);
    put<uint32_t>(directory_, is_far ? 0xffffffff : at_);
    directory_ += name + extra;
    ++count_;
  }

  int file_;
  uint64_t at_ = 0;
  uint64_t count_ = 0;
  std::string directory_;
};

// Anonymous memory of this process, in bytes.
int64_t anonymous_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssAnon:")) return std::stoll(line.substr(8)) * 1024;
  }
  return -1;
}

// A program that reads parameters of so many bytes, all zeros.
void write_archive(const std::string& path, const std::vector<uint64_t>& weights) {
  using namespace test_json;
  TestProgram program;
  program.add_input("x", meta(7, {"1"}));
  for (size_t i = 0; i < weights.size(); ++i) {
    const std::string name = "w" + std::to_string(i);
    const std::string type = meta(7, {std::to_string(weights[i] / 4)});
    program.add_weight("p_" + name, name, type, "weight_" + std::to_string(i));
    program.graph.value("y" + name, type);
    program.graph.nodes.push_back(call(
        "torch.ops.aten.mul.Tensor",
        {named("self", tensor("p_" + name)), named("other", tensor("x"))}, {tensor("y" + name)}));
    program.add_output("y" + name);
  }
  SparseArchive archive(path);
  for (size_t i = 0; i < weights.size(); ++i) {
    archive.add_zeros("m/data/weights/weight_" + std::to_string(i), weights[i]);
  }
  for (const TestZipRecord& record : program.zip().records) archive.add(record.name, record.data);
  archive.finish();
}

class MemoryTest : public testing::Test {
 protected:
  MemoryTest() : file_("") {}
  TestFile file_;
};

// 512 MiB with their checksums by default; INGOT_TEST_WEIGHT_GIB=5 for the real thing.
TEST_F(MemoryTest, WeightsTakeNoAnonymousMemory) {
  const char* chosen = std::getenv("INGOT_TEST_WEIGHT_GIB");
  const uint64_t bytes = chosen ? std::stoull(chosen) * kGiB : kGiB / 2;
  write_archive(file_.path(), {bytes, kGiB / 4});
  const int64_t before = anonymous_bytes();
  const auto start = std::chrono::steady_clock::now();
  const auto model = import_file(file_.path());
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const int64_t added = anonymous_bytes() - before;
  std::printf("%.2f GiB of weights, checksums included: %.1f MiB of RssAnon, %.2f s\n",
              static_cast<double>(bytes + kGiB / 4) / static_cast<double>(kGiB),
              static_cast<double>(added) / (1 << 20), seconds.count());
  EXPECT_LT(added, int64_t{50} << 20);
  EXPECT_EQ(model->storages[0].bytes, bytes);
}

// Records and offsets beyond 4 GiB are found where they are.
TEST_F(MemoryTest, ReadsBeyondFourGigabytes) {
  write_archive(file_.path(), {5 * kGiB, 64});
  const auto model = import_file(file_.path(), {.check_weights = false, .threads = 1});
  ASSERT_EQ(model->storages.size(), 2u);
  EXPECT_EQ(model->storages[0].bytes, 5 * kGiB);
  EXPECT_EQ(model->storages[1].bytes, 64u);
  const auto distance = model->storages[1].data - model->storages[0].data;
  EXPECT_GT(distance, static_cast<std::ptrdiff_t>(5 * kGiB));
  EXPECT_EQ(model->storages[1].data[63], std::byte{0});
}

}  // namespace
}  // namespace ingot::pt2
