#include "arrays/array.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "support/diagnostics.h"

namespace ingot::arrays {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return {data, data + text.size()};
}

// A .npy file of version 1 with any header text.
std::vector<std::byte> npy(const std::string& header, std::string_view data) {
  std::string file = std::string("\x93NUMPY\x01", 7) + std::string(1, '\0');
  file += static_cast<char>(header.size());
  file += static_cast<char>(header.size() >> 8);
  return bytes_of(file + header + std::string(data));
}

template <typename T>
std::vector<T> values(const Array& array) {
  std::vector<T> result(array.bytes.size() / sizeof(T));
  std::memcpy(result.data(), array.bytes.data(), array.bytes.size());
  return result;
}

class ArrayTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("array_test." + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const char* name) { return folder_ / name; }
  void write(const char* name, std::span<const std::byte> bytes) {
    std::ofstream(path(name), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
  std::filesystem::path folder_;
};

TEST_F(ArrayTest, FormatsAsNumPyDoes) {
  // What np.save writes for np.array([[1, 2, 3]], np.int16).
  const std::string header = "{'descr': '<i2', 'fortran_order': False, 'shape': (1, 3), }";
  std::string padded = header + std::string(118 - header.size() - 1, ' ') + "\n";
  const Array array{DType::kI16, {1, 3}, bytes_of(std::string_view("\1\0\2\0\3\0", 6))};
  EXPECT_EQ(format_npy(array), npy(padded, std::string_view("\1\0\2\0\3\0", 6)));
}

TEST_F(ArrayTest, RoundTripsShapesAndTypes) {
  for (const std::vector<int64_t>& sizes :
       {std::vector<int64_t>{}, {5}, {0}, {2, 3}, {1, 0, 4}, {2, 1, 2, 1}}) {
    for (const DType dtype : {DType::kBool, DType::kU8, DType::kI8, DType::kI16, DType::kI32,
                              DType::kI64, DType::kF16, DType::kF32, DType::kF64, DType::kC64}) {
      Array array{dtype, sizes, {}};
      size_t count = 1;
      for (const int64_t size : sizes) count *= static_cast<size_t>(size);
      array.bytes.resize(count * static_cast<size_t>(size_of(dtype)), std::byte{1});
      const auto back = parse_npy(format_npy(array), "x");
      ASSERT_TRUE(back.ok()) << back.status().message();
      EXPECT_EQ(back->dtype, dtype);
      EXPECT_EQ(back->sizes, sizes);
      EXPECT_EQ(back->bytes, array.bytes);
    }
  }
}

TEST_F(ArrayTest, TypesThatNumPyLacksAreBits) {
  const Array array{DType::kBF16, {1}, bytes_of("ab")};
  EXPECT_EQ(parse_npy(format_npy(array), "x")->dtype, DType::kI16);
  EXPECT_EQ(
      parse_npy(npy("{'descr': '<V2', 'fortran_order': False, 'shape': (1,)}", "ab"), "x")->dtype,
      DType::kU16);
}

TEST_F(ArrayTest, ReadsOtherOrders) {
  const auto columns =
      parse_npy(npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }\n", "adbecf"), "x");
  ASSERT_TRUE(columns.ok());
  EXPECT_EQ(columns->bytes, bytes_of("abcdef"));
  const auto big = parse_npy(npy("{'descr':'>i4','fortran_order':False,'shape':(2,)}",
                                 std::string_view("\0\0\0\1\0\0\1\0", 8)),
                             "x");
  ASSERT_TRUE(big.ok());
  EXPECT_THAT(values<int32_t>(*big), ElementsAre(1, 256));
}

TEST_F(ArrayTest, RefusesWhatItCannotRead) {
  const auto error = [](const std::vector<std::byte>& file) {
    const auto result = parse_npy(file, "x.npy");
    return result.ok() ? std::string() : result.status().message();
  };
  EXPECT_THAT(error(bytes_of("PK")), HasSubstr("x.npy: this is no .npy file"));
  EXPECT_THAT(error(npy("{'descr': '|O', 'fortran_order': False, 'shape': (), }", "")),
              HasSubstr("element type '|O'"));
  EXPECT_THAT(error(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (), }", "")),
              HasSubstr("structured"));
  EXPECT_THAT(error(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "abcd")),
              HasSubstr("holds 4 bytes of elements, its shape needs 8"));
  EXPECT_THAT(
      error(
          npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4), }", "")),
      HasSubstr("far more"));
  EXPECT_THAT(error(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", "")),
              HasSubstr("shape"));
  EXPECT_THAT(error(npy("{'descr': '<f4', 'shape': (), }", "abcd")), HasSubstr("lacks an entry"));
  EXPECT_THAT(error(npy("{'descr': '<f4'", "")), HasSubstr("malformed"));
  const std::vector<std::byte> whole = format_npy({DType::kU8, {3}, bytes_of("abc")});
  for (size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(parse_npy(std::span(whole).first(length), "x").ok()) << length;
  }
}

TEST_F(ArrayTest, FilesRoundTrip) {
  const std::vector<NamedArray> arrays = {{"in0", {DType::kF32, {1}, bytes_of("abcd")}},
                                          {"out0", {DType::kU8, {}, bytes_of("e")}}};
  ASSERT_TRUE(write_npz(path("x.npz"), arrays).ok());
  const auto back = read_npz(path("x.npz"));
  ASSERT_TRUE(back.ok()) << back.status().message();
  ASSERT_EQ(back->size(), 2u);
  EXPECT_EQ((*back)[0].name, "in0");
  EXPECT_EQ((*back)[1].array.bytes, bytes_of("e"));
  ASSERT_TRUE(write_npy(path("x.npy"), arrays[0].array).ok());
  EXPECT_EQ(read_npy(path("x.npy"))->bytes, bytes_of("abcd"));
}

// np.savez_compressed(file, a=np.arange(1000, dtype=np.float32) // 100)
constexpr std::string_view kCompressed =
    "504b03042d0000000800000021008882e3c8ffffffffffffffff05001400612e6e707901001000201000000000"
    "00007b000000000000009bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a06e9366a2aea3a09e965f54529498"
    "179f5f94920a12774bcc294e058a17672416a402f91a860606063a9a3a0ab50ae4022e865130c84083fd281e4c"
    "98c161140f26ec308a07156e18c5830a2f18c5830a1f18c5830a3f18c5830a33388ee2c1840546f120c200504b"
    "01022d032d0000000800000021008882e3c87b0000002010000005000000000000000000000080010000000061"
    "2e6e7079504b0506000000000100010033000000b20000000000";

TEST_F(ArrayTest, ReadsWhatNumPyCompressed) {
  std::vector<std::byte> file;
  for (size_t i = 0; i < kCompressed.size(); i += 2) {
    file.push_back(
        static_cast<std::byte>(std::stoi(std::string(kCompressed.substr(i, 2)), nullptr, 16)));
  }
  write("numpy.npz", file);
  const auto arrays = read_npz(path("numpy.npz"));
  ASSERT_TRUE(arrays.ok()) << arrays.status().message();
  ASSERT_EQ((*arrays)[0].name, "a");
  const std::vector<float> read = values<float>((*arrays)[0].array);
  ASSERT_EQ(read.size(), 1000u);
  for (size_t i = 0; i < 1000; ++i) EXPECT_EQ(read[i], static_cast<float>(i / 100));
}

TEST_F(ArrayTest, FlippedBytesAreFoundOrHarmless) {
  const std::vector<NamedArray> arrays = {{"in0", {DType::kF32, {1}, bytes_of("abcd")}}};
  ASSERT_TRUE(write_npz(path("x.npz"), arrays).ok());
  std::ifstream file(path("x.npz"), std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 4);
    write("y.npz", bytes_of(damaged));
    const auto result = read_npz(path("y.npz"));
    if (!result.ok() || (*result)[0].name != "in0") continue;
    EXPECT_EQ((*result)[0].array.bytes, bytes_of("abcd")) << "byte " << i;
  }
}

TEST_F(ArrayTest, MissingFilesAreErrors) {
  EXPECT_EQ(read_npz(path("none.npz")).status().id(), static_cast<int>(Diag::kFileUnreadable));
  EXPECT_EQ(read_npy(path("none.npy")).status().id(), static_cast<int>(Diag::kFileUnreadable));
  write("text.npz", bytes_of("hello"));
  EXPECT_EQ(read_npz(path("text.npz")).status().id(), static_cast<int>(Diag::kArrayFile));
}

}  // namespace
}  // namespace ingot::arrays
