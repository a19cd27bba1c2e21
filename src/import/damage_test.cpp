// Damages real programs at random: each is refused with a diagnostic or imported as a well-formed
// model, and nothing is ever a bug of Ingot.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "import/describe.h"
#include "import/payload.h"
#include "import/test_archive.h"
#include "import/test_damage.h"
#include "import/test_data.h"
#include "ir/verify.h"

namespace ingot::pt2 {
namespace {

// The archive's records with another program.
std::string with_program(const Archive& archive, const std::string& json) {
  TestZip zip;
  const Payloads payloads = read_payloads(archive, archive.models().front());
  std::set<std::string> names = {"archive_format", "data/weights/model_weights_config.json",
                                 "data/constants/model_constants_config.json"};
  for (const auto& [name, payload] : payloads) names.insert(payload.record);
  for (const std::string& name : names) {
    const Record* record = archive.find(name);
    if (!record) continue;
    zip.add("m/" + name,
            std::string(reinterpret_cast<const char*>(record->bytes.data()), record->bytes.size()));
  }
  zip.add("m/models/model.json", json);
  return zip.build();
}

TEST(Damage, IsRefusedOrHarmless) {
  constexpr uint64_t kMaxFileBytes = 100'000;
  constexpr int kRounds = 20;
  size_t refused = 0;
  size_t accepted = 0;
  std::mt19937 random(20260401);
  for (const auto& path : all_archives()) {
    if (std::filesystem::file_size(path) > kMaxFileBytes) continue;
    const auto archive = Archive::open(path);
    const Damager damager(std::string(archive->text("models/model.json")));
    for (int round = 0; round < kRounds; ++round) {
      const std::string json = damager.damage(random);
      SCOPED_TRACE(path.string() + ", round " + std::to_string(round));
      try {
        const TestFile file(with_program(*archive, json));
        const auto damaged = Archive::open(file.path());
        const ExportedProgram program = read_exported_program(*damaged, "model");
        describe(*damaged, program);
        const auto model = import_model(damaged, program, {.check_weights = false, .threads = 1});
        ir::verify(*model);
        ++accepted;
      } catch (const CompileError&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 0u);
  EXPECT_GT(accepted, 0u);
}

}  // namespace
}  // namespace ingot::pt2
