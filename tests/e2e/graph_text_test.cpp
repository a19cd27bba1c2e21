// The graph of every archive of tests/data prints as text that parses back, before and after the
// passes; and the passes leave nothing that they would change again.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "import/import_model.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "ops/op_table.h"
#include "passes/pipeline.h"

namespace ingot {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> archives() {
  std::vector<fs::path> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator("tests/data")) {
    if (entry.path().extension() == ".pt2") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// Prints, parses and prints again.
void expect_identity(const ir::Model& model) {
  const std::string text = ir::to_string(model);
  const auto parsed = ir::parse_model(text, ops::find_operator);
  EXPECT_EQ(ir::to_string(*parsed), text);
}

TEST(GraphText, PrintThenParseIsTheIdentityOnEveryArchive) {
  ASSERT_FALSE(archives().empty());
  for (const fs::path& path : archives()) {
    SCOPED_TRACE(path.string());
    const auto model = pt2::import_file(path.string());
    ASSERT_NO_THROW(ir::verify(*model));
    expect_identity(*model);
    passes::PassContext context(ops::op_table());
    passes::run_pipeline(*model, context);
    expect_identity(*model);
  }
}

TEST(GraphText, ThePassesSettle) {
  for (const fs::path& path : archives()) {
    SCOPED_TRACE(path.string());
    const auto model = pt2::import_file(path.string());
    passes::PassContext context(ops::op_table());
    passes::run_pipeline(*model, context);
    std::vector<passes::PassRecord> records;
    passes::RunOptions options;
    options.records = &records;
    passes::run_pipeline(*model, context, options);
    for (const passes::PassRecord& record : records) {
      EXPECT_FALSE(record.changed) << record.name << " changes the graph again:\n"
                                   << ir::to_string(*model);
    }
  }
}

}  // namespace
}  // namespace ingot
