// Reads every archive that PyTorch wrote for the tests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "import/archive.h"
#include "import/exported_program.h"
#include "import/import_model.h"
#include "import/payload.h"
#include "import/test_data.h"
#include "ir/verify.h"
#include "support/diagnostics.h"

namespace ingot::pt2 {
namespace {

using testing::HasSubstr;

TEST(Corpus, EveryArchiveOfTheSupportedLayoutDecodes) {
  INGOT_SKIP_WITHOUT_ARCHIVES();
  for (const char* version : {"torch-2.11", "torch-2.14.1"}) {
    for (const auto& path : archives_of(version)) {
      SCOPED_TRACE(path);
      const auto archive = Archive::open(path);
      ASSERT_THAT(archive->models(), testing::Not(testing::IsEmpty()));
      const ExportedProgram program = read_exported_program(*archive, archive->models().front());
      EXPECT_THAT(program.warnings, testing::IsEmpty());
      EXPECT_EQ(program.schema_major, 8);
      EXPECT_FALSE(program.graph.nodes.empty() && program.graph.outputs.empty());
      const Payloads payloads = read_payloads(*archive, program.model);
      std::vector<const Record*> records;
      for (const auto& [name, payload] : payloads) {
        check_payload(*archive, name, payload);
        records.push_back(archive->find(payload.record));
      }
      archive->check_crcs(records, 2);
    }
  }
}

TEST(Corpus, OlderLayoutsAreRefusedByName) {
  INGOT_SKIP_WITHOUT_ARCHIVES();
  const auto files = archives_of("torch-2.6.0");
  ASSERT_FALSE(files.empty());
  for (const auto& path : files) {
    try {
      Archive::open(path);
      FAIL() << path << " was read";
    } catch (const CompileError& error) {
      EXPECT_EQ(error.diagnostic().id, Diag::kArchiveLayout);
      EXPECT_THAT(error.diagnostic().message, HasSubstr("PyTorch 2.7 or earlier"));
    }
  }
}

// Every program either becomes a well-formed model or is refused for what Ingot lacks.
TEST(Corpus, EveryProgramImportsOrNamesWhatIsUnsupported) {
  INGOT_SKIP_WITHOUT_ARCHIVES();
  for (const char* version : {"torch-2.11", "torch-2.14.1"}) {
    for (const auto& path : archives_of(version)) {
      SCOPED_TRACE(path);
      try {
        const auto model = import_file(path);
        ir::verify(*model);
      } catch (const CompileError& error) {
        EXPECT_THAT(error.diagnostic().id,
                    testing::AnyOf(Diag::kUnsupportedOperator, Diag::kUnsupportedDtype));
        EXPECT_THAT(error.diagnostic().notes, testing::Not(testing::IsEmpty()));
      }
    }
  }
}

}  // namespace
}  // namespace ingot::pt2
