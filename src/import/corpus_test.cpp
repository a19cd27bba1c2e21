// Reads every archive that PyTorch wrote for the tests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/archive.h"
#include "import/describe.h"
#include "import/exported_program.h"
#include "import/import_model.h"
#include "import/payload.h"
#include "import/test_data.h"
#include "ir/verify.h"
#include "support/diagnostics.h"

namespace ingot::pt2 {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(Corpus, EveryArchiveDecodes) {
  for (const auto& path : all_archives()) {
    SCOPED_TRACE(path);
    const auto archive = Archive::open(path);
    ASSERT_THAT(archive->models(), Not(IsEmpty()));
    const ExportedProgram program = read_exported_program(*archive, archive->models().front());
    EXPECT_THAT(program.warnings, IsEmpty());
    EXPECT_EQ(program.schema_major, 8);
    EXPECT_THAT(program.graph.outputs, Not(IsEmpty()));
    const Payloads payloads = read_payloads(*archive, program.model);
    std::vector<const Record*> records;
    for (const auto& [name, payload] : payloads) {
      check_payload(*archive, name, payload);
      records.push_back(archive->find(payload.record));
    }
    archive->check_crcs(records, 2);
  }
}

// Every program either becomes a well-formed model or is refused for what Ingot lacks.
TEST(Corpus, EveryProgramImportsOrNamesWhatIsUnsupported) {
  size_t imported = 0;
  for (const auto& path : all_archives()) {
    SCOPED_TRACE(path);
    try {
      const auto model = import_file(path);
      ir::verify(*model);
      EXPECT_THAT(model->warnings, IsEmpty());
      ++imported;
    } catch (const CompileError& error) {
      EXPECT_THAT(error.diagnostic().id,
                  testing::AnyOf(Diag::kUnsupportedOperator, Diag::kUnsupportedDtype));
      EXPECT_THAT(error.diagnostic().notes, Not(IsEmpty()));
    }
  }
  EXPECT_GT(imported, 0u);
}

TEST(Corpus, EveryProgramIsDescribed) {
  for (const auto& path : all_archives()) {
    SCOPED_TRACE(path);
    const auto archive = Archive::open(path);
    const ExportedProgram program = read_exported_program(*archive, archive->models().front());
    EXPECT_THAT(describe(*archive, program), HasSubstr("aten."));
    EXPECT_THAT(describe_json(*archive, program), HasSubstr("\"operators\""));
  }
}

TEST(Corpus, OlderLayoutsAreRefusedByName) {
  INGOT_SKIP_WITHOUT_OPTIONAL_ARCHIVES();
  const auto files = archives_in(optional_archives() / "torch-2.6.0");
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

}  // namespace
}  // namespace ingot::pt2
