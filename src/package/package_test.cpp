#include "package/package.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "package/testing.h"
#include "package/weights_file.h"
#include "package/writer.h"
#include "program/codec.h"
#include "program/print.h"
#include "program/testing.h"
#include "support/atomic_file.h"
#include "support/diagnostics.h"

namespace ingot::package {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

int id_of(Diag diag) { return static_cast<int>(diag); }

class PackageTest : public ::testing::Test {
 protected:
  PackageTest() : folder_(fs::temp_directory_path() / fs::path(unique_name())) {
    fs::create_directories(folder_);
  }
  ~PackageTest() override { fs::remove_all(folder_); }

  static std::string unique_name() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    return "ingot_package_" + std::to_string(::getpid()) + "_" + test->name();
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::vector<std::byte> read(const std::string& name) const {
    std::ifstream in(path(name), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
    return {bytes.begin(), bytes.end()};
  }
  void write(const std::string& name, std::span<const std::byte> bytes) const {
    const Status status = write_file(path(name), bytes);
    ASSERT_TRUE(status.ok()) << status.message();
  }
  // The test package, written and read again.
  std::vector<std::byte> packed(WeightsPlace place = WeightsPlace::kInside) const {
    PackageContents contents = test_.contents();
    contents.weights = place;
    const Status status = write_package(path("m.ingot"), contents);
    EXPECT_TRUE(status.ok()) << status.message();
    return read("m.ingot");
  }

  fs::path folder_;
  TestPackage test_;
};

TEST_F(PackageTest, RoundTripKeepsEverything) {
  packed();
  auto package = open_package(path("m.ingot"));
  ASSERT_TRUE(package.ok()) << package.status().message();
  EXPECT_EQ(program::print_all(package->program()), program::print_all(test_.program));
  EXPECT_EQ(package->program().locations, test_.program.locations);
  ASSERT_EQ(package->storage_count(), test_.storages.size());
  for (size_t i = 0; i < test_.storages.size(); ++i) {
    EXPECT_TRUE(package->verify_storage(i).ok());
    EXPECT_TRUE(std::ranges::equal(package->storage(i), test_.storages[i]));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(package->storage(i).data()) % 64, 0u);
  }
  EXPECT_THAT(package->image_names(), ElementsAre("a.ptx", "topk_sm_80.cubin"));
  EXPECT_EQ(*package->image("topk_sm_80.cubin"), test_.image);
  EXPECT_EQ(package->image("other").status().id(), id_of(Diag::kBadPackage));
  EXPECT_EQ(*package->manifest(), "{\"producer\": \"ingot test\"}\n");
  // Still there when the package has moved and its program is taken.
  const Package moved = std::move(*package);
  EXPECT_TRUE(moved.verify_storage(1).ok());
}

TEST_F(PackageTest, LocationsCanBeStripped) {
  PackageContents contents = test_.contents();
  contents.with_debug = false;
  ASSERT_TRUE(write_package(path("m.ingot"), contents).ok());
  const auto package = open_package(path("m.ingot"));
  ASSERT_TRUE(package.ok()) << package.status().message();
  EXPECT_TRUE(package->program().locations.empty());
  EXPECT_EQ(package->header().find(kDebugName), nullptr);
}

TEST_F(PackageTest, EqualContentsGiveEqualBytes) {
  const std::vector<std::byte> first = packed();
  PackageContents contents = test_.contents();
  std::swap(contents.images[0], contents.images[1]);
  contents.images.push_back(contents.images[0]);
  fs::create_directories(folder_ / "a b");
  ASSERT_TRUE(write_package(path("a b/other.ingot"), contents).ok());
  EXPECT_EQ(read("a b/other.ingot"), first);
}

TEST_F(PackageTest, EveryChangedByteIsFoundOrHarmless) {
  const std::vector<std::byte> intact = packed();
  ASSERT_EQ(exercise_package(intact, &test_), "");
  std::mt19937 random(3);
  std::vector<std::byte> changed = intact;
  for (size_t i = 0; i < intact.size(); ++i) {
    changed[i] ^= static_cast<std::byte>(1u << random() % 8);
    ASSERT_EQ(exercise_package(changed, &test_), "") << "byte " << i;
    changed[i] = intact[i];
  }
}

TEST_F(PackageTest, OnlyManifestAndWeightsAreNotCheckedOnOpening) {
  const std::vector<std::byte> intact = packed();
  const auto package = open_package_bytes(intact);
  ASSERT_TRUE(package.ok());
  const ZipRecord& manifest = package->header().find(kManifestName)->zip;
  const ZipRecord& weights = package->header().find(kWeightsName)->zip;
  const auto inside = [](size_t at, const ZipRecord& record) {
    return at >= record.data_offset && at < record.data_offset + record.stored_bytes;
  };
  std::vector<std::byte> changed = intact;
  for (size_t i = 0; i < intact.size(); i += 3) {
    changed[i] ^= std::byte{0x10};
    const auto opened = open_package_bytes(changed);
    EXPECT_EQ(opened.ok(), inside(i, manifest) || inside(i, weights)) << "byte " << i;
    if (inside(i, manifest)) {
      EXPECT_EQ(opened->manifest().status().id(), id_of(Diag::kBadPackage));
    }
    changed[i] = intact[i];
  }
}

TEST_F(PackageTest, DamagedWeightsAreNamed) {
  std::vector<std::byte> bytes = packed();
  const auto intact = open_package_bytes(bytes);
  const size_t at = intact->header().find(kWeightsName)->zip.data_offset +
                    intact->program().storages[1].offset + 8;
  bytes[at] ^= std::byte{1};
  const auto package = open_package_bytes(bytes);
  ASSERT_TRUE(package.ok());
  EXPECT_TRUE(package->verify_storage(0).ok());
  EXPECT_THAT(package->verify_storage(1).message(), HasSubstr("fc.bias"));
}

TEST_F(PackageTest, TruncatedAndExtendedFilesAreRefused) {
  const std::vector<std::byte> intact = packed();
  for (size_t size = 0; size < intact.size(); size += size < 600 ? 1 : 97) {
    const auto package = open_package_bytes(std::span(intact).first(size));
    ASSERT_EQ(package.status().id(), id_of(Diag::kBadPackage)) << size;
  }
  std::vector<std::byte> longer = intact;
  longer.push_back(std::byte{0});
  EXPECT_THAT(open_package_bytes(longer).status().message(), HasSubstr("bytes follow its end"));
  longer = intact;
  longer.insert(longer.begin(), std::byte{0});
  EXPECT_FALSE(open_package_bytes(longer).ok());
}

TEST_F(PackageTest, OtherVersionsNameBoth) {
  for (const size_t field : {72, 76}) {  // format version, plan version
    std::vector<std::byte> bytes = packed();
    bytes[field] = std::byte{9};
    write("v.ingot", bytes);
    const Status status = open_package(path("v.ingot")).status();
    EXPECT_EQ(status.id(), id_of(Diag::kPackageVersion));
    EXPECT_THAT(status.message(), HasSubstr(path("v.ingot")));
    EXPECT_THAT(status.message(), HasSubstr("version 9"));
    EXPECT_THAT(status.message(), HasSubstr("reads format version 1 and plan version " +
                                            std::to_string(program::kPlanVersion)));
  }
}

TEST_F(PackageTest, UnknownFeaturesAreRefused) {
  PackageHeader header;
  header.plan_version = program::kPlanVersion;
  header.features = 4;
  const Status status = open_package_bytes(assemble(header, {})).status();
  EXPECT_EQ(status.id(), id_of(Diag::kPackageVersion));
  EXPECT_THAT(status.message(), HasSubstr("0x4"));
}

TEST_F(PackageTest, OtherFilesAreRefused) {
  const char text[] = "PK\3\4 but then something else, long enough to have room for a header ....";
  write("t.ingot", std::as_bytes(std::span(text)));
  const Status status = open_package(path("t.ingot")).status();
  EXPECT_EQ(status.id(), id_of(Diag::kBadPackage));
  EXPECT_THAT(status.message(), HasSubstr("not an Ingot package"));
  EXPECT_EQ(open_package(path("missing.ingot")).status().id(), id_of(Diag::kFileUnreadable));
  EXPECT_EQ(open_package(folder_.string()).status().id(), id_of(Diag::kFileUnreadable));
}

// Packages whose checksums are right and whose header lies.
class HostilePackage : public ::testing::Test {
 protected:
  HostilePackage() {
    header_.plan_version = program::kPlanVersion;
    header_.weights = WeightsPlace::kNone;
    header_.weights_id = weights_id({});
    header_.records = {named(kProgramName)};
    data_ = {program::encode({})};
  }
  static PackageRecord named(std::string_view name) {
    PackageRecord record;
    record.zip.name = std::string(name);
    return record;
  }
  void add(PackageRecord record, std::vector<std::byte> bytes) {
    header_.records.push_back(std::move(record));
    data_.push_back(std::move(bytes));
  }
  Status open() { return open_package_bytes(assemble(header_, data_)).status(); }
  void expect_refused(const std::string& message) {
    const auto package = open_package_bytes(assemble(header_, data_));
    ASSERT_FALSE(package.ok()) << message;
    EXPECT_EQ(package.status().id(), id_of(Diag::kBadPackage));
    EXPECT_THAT(package.status().message(), HasSubstr(message));
  }

  PackageHeader header_;
  std::vector<std::vector<std::byte>> data_;
  const std::vector<std::byte> some_ = std::vector<std::byte>(10, std::byte{7});
};

TEST_F(HostilePackage, TheBaseIsFine) {
  const auto package = open_package_bytes(assemble(header_, data_));
  EXPECT_TRUE(package.ok()) << package.status().message();
}

TEST_F(HostilePackage, NamesThatAreNotOurs) {
  for (const char* name : {"../evil", "/etc/passwd", "kernels/../x", "kernels/a/b", "kernels/",
                           "kernels/..", "kernels/a b", "program\\x", "header", "", "Program"}) {
    add(named(name), some_);
    expect_refused("wrong name");
    header_.records.pop_back();
    data_.pop_back();
  }
  add(named("kernels/" + std::string(kMaxImageName + 1, 'k')), some_);
  expect_refused("wrong name");
}

TEST_F(HostilePackage, NamesTwice) {
  add(named("kernels/a"), some_);
  add(named("kernels/a"), some_);
  expect_refused("wrong name");
}

TEST_F(HostilePackage, NoProgram) {
  header_.records[0].zip.name = "kernels/a";
  expect_refused("no program");
}

TEST_F(HostilePackage, SizesThatLie) {
  PackageRecord record = named("kernels/a");
  record.zip.stored_bytes = UINT64_MAX - 100;
  record.zip.bytes = UINT64_MAX - 100;
  add(record, some_);
  expect_refused("cut short");
  header_.records[1].zip.stored_bytes = 10;
  header_.records[1].zip.bytes = 11;
  expect_refused("sizes of record 'kernels/a' disagree");
}

TEST_F(HostilePackage, UnknownPacking) {
  PackageRecord record = named("kernels/a");
  record.zip.method = 12;
  add(record, some_);
  expect_refused("packed in an unknown way");
  header_.records.pop_back();
  data_.pop_back();
  header_.records[0].zip.method = kZipDeflated;
  expect_refused("packed in an unknown way");
}

TEST_F(HostilePackage, ImagesThatDoNotUnpack) {
  PackageRecord record = named("kernels/a");
  record.zip.method = kZipDeflated;
  record.zip.bytes = 100;
  add(record, some_);
  record.zip.name = "kernels/b";
  record.zip.bytes = uint64_t{1} << 40;
  add(record, some_);
  const std::vector<std::byte> file = assemble(header_, data_);
  const auto package = open_package_bytes(file);
  ASSERT_TRUE(package.ok()) << package.status().message();
  EXPECT_THAT(package->image("a").status().message(), HasSubstr("does not unpack"));
  EXPECT_THAT(package->image("b").status().message(), HasSubstr("larger than it can be"));
}

TEST_F(HostilePackage, WeightsThatDisagree) {
  header_.weights = WeightsPlace::kInside;
  expect_refused("disagree about the weights");
  header_.weights = WeightsPlace::kNone;
  header_.weights_id ^= 1;
  expect_refused("header and program disagree");
}

TEST_F(HostilePackage, StoragesThatOverlap) {
  program::Program program;
  program.storages = {{.offset = 0, .bytes = 100}, {.offset = 64, .bytes = 10}};
  data_[0] = program::encode(program);
  header_.weights_id = weights_id(program.storages);
  expect_refused("overlap");
  program.storages[1].offset = 128;
  program.storages[1].bytes = UINT64_MAX - 10;
  data_[0] = program::encode(program);
  expect_refused("overlap");
}

TEST_F(HostilePackage, ProgramsThatAreNotValid) {
  program::Program program = program::make_test_program();
  program.plans[0].steps[1].kernel = 99;
  data_[0] = program::encode(program);
  expect_refused("there is no such kernel");
}

TEST_F(PackageTest, WeightsBeside) {
  packed(WeightsPlace::kBeside);
  auto package = open_package(path("m.ingot"));
  ASSERT_TRUE(package.ok()) << package.status().message();
  for (size_t i = 0; i < test_.storages.size(); ++i) {
    EXPECT_TRUE(package->verify_storage(i).ok());
    EXPECT_TRUE(std::ranges::equal(package->storage(i), test_.storages[i]));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(package->storage(i).data()) % 64, 0u);
  }
  // Both moved to another folder.
  fs::create_directories(folder_ / "moved");
  for (const char* name : {"m.ingot", "m.weights"}) {
    fs::rename(path(name), folder_ / "moved" / name);
  }
  EXPECT_TRUE(open_package(path("moved/m.ingot")).ok());
}

TEST_F(PackageTest, WeightsBesideMustBeThere) {
  packed(WeightsPlace::kBeside);
  fs::rename(path("m.weights"), path("w"));
  const Status status = open_package(path("m.ingot")).status();
  EXPECT_EQ(status.id(), id_of(Diag::kWeightsMissing));
  EXPECT_THAT(status.message(), HasSubstr(path("m.weights")));
  const auto without = open_package(path("m.ingot"), {.weights_path = "", .need_weights = false});
  ASSERT_TRUE(without.ok());
  EXPECT_FALSE(without->has_weights());
  EXPECT_TRUE(without->storage(0).empty());
  EXPECT_EQ(without->verify_storage(0).id(), id_of(Diag::kWeightsMissing));
  EXPECT_TRUE(open_package(path("m.ingot"), {.weights_path = path("w")}).ok());
}

TEST_F(PackageTest, WeightsNone) {
  packed(WeightsPlace::kBeside);
  fs::rename(path("m.weights"), path("w"));
  packed(WeightsPlace::kNone);
  EXPECT_FALSE(fs::exists(path("m.weights")));
  EXPECT_EQ(open_package(path("m.ingot")).status().id(), id_of(Diag::kWeightsMissing));
  const auto package = open_package(path("m.ingot"), {.weights_path = path("w")});
  ASSERT_TRUE(package.ok()) << package.status().message();
  EXPECT_TRUE(package->verify_storage(2).ok());
}

TEST_F(PackageTest, BytesInMemoryNeedTheirWeightsInside) {
  const std::vector<std::byte> bytes = packed(WeightsPlace::kBeside);
  EXPECT_EQ(open_package_bytes(bytes).status().id(), id_of(Diag::kWeightsMissing));
}

TEST_F(PackageTest, ModelsWithoutWeightsNeedNone) {
  const program::Program empty;
  for (const auto place : {WeightsPlace::kInside, WeightsPlace::kBeside, WeightsPlace::kNone}) {
    const PackageContents contents{
        .program = &empty, .storages = {}, .images = {}, .manifest = "", .weights = place};
    ASSERT_TRUE(write_package(path("m.ingot"), contents).ok());
    fs::remove(path("m.weights"));
    const auto package = open_package(path("m.ingot"));
    EXPECT_TRUE(package.ok()) << to_string(place);
  }
}

TEST_F(PackageTest, WeightsOfAnotherPackageAreRefused) {
  packed(WeightsPlace::kBeside);
  fs::rename(path("m.weights"), path("w"));
  test_.storages[0][5] ^= std::byte{1};
  packed(WeightsPlace::kBeside);
  const Status status = open_package(path("m.ingot"), {.weights_path = path("w")}).status();
  EXPECT_EQ(status.id(), id_of(Diag::kBadPackage));
  EXPECT_THAT(status.message(), HasSubstr("belongs to another package"));
  EXPECT_THAT(status.message(), HasSubstr(path("w")));
}

TEST_F(PackageTest, DamagedWeightsFilesAreFound) {
  packed(WeightsPlace::kBeside);
  const std::vector<std::byte> intact = read("m.weights");
  const auto refused_or_found = [&] {
    const auto package = open_package(path("m.ingot"));
    if (!package.ok()) return true;
    for (size_t i = 0; i < package->storage_count(); ++i) {
      if (!package->verify_storage(i).ok()) return true;
    }
    return false;
  };
  ASSERT_FALSE(refused_or_found());
  std::vector<std::byte> changed = intact;
  for (size_t i = 0; i < intact.size(); i += i < 64 ? 1 : 501) {
    changed[i] ^= std::byte{0x40};
    write("m.weights", changed);
    EXPECT_TRUE(refused_or_found()) << "byte " << i;
    changed[i] = intact[i];
  }
  for (const size_t size : {size_t{0}, size_t{10}, size_t{64}, intact.size() - 1}) {
    write("m.weights", std::span(intact).first(size));
    EXPECT_FALSE(open_package(path("m.ingot")).ok()) << size;
  }
}

TEST_F(PackageTest, InconsistentContentsAreABug) {
  PackageContents contents = test_.contents();
  contents.storages.pop_back();
  EXPECT_EQ(write_package(path("m.ingot"), contents).id(), id_of(Diag::kInternal));
  contents = test_.contents();
  contents.images[0].name = contents.images[1].name;
  EXPECT_EQ(write_package(path("m.ingot"), contents).id(), id_of(Diag::kInternal));
  contents.images[0].name = "../x";
  EXPECT_EQ(write_package(path("m.ingot"), contents).id(), id_of(Diag::kInternal));
  EXPECT_TRUE(fs::is_empty(folder_));
}

}  // namespace
}  // namespace ingot::package
