// Damages real programs at random: each is refused with a diagnostic or imported as a well-formed
// model, and nothing is ever a bug of Ingot.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "import/describe.h"
#include "import/payload.h"
#include "import/test_archive.h"
#include "import/test_data.h"
#include "ir/verify.h"

namespace ingot::pt2 {
namespace {

struct Token {
  size_t begin = 0;
  size_t end = 0;
};

// The strings (with their quotes) and the numbers of a JSON text.
struct Tokens {
  std::vector<Token> strings;
  std::vector<Token> numbers;
};

Tokens find_tokens(const std::string& text) {
  Tokens tokens;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    if (text[at] == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at) {
        if (text[at] == '\\') ++at;
      }
      tokens.strings.push_back({begin, ++at});
    } else if (std::isdigit(static_cast<unsigned char>(text[at]))) {
      at = text.find_first_not_of("0123456789.e-", at);
      tokens.numbers.push_back({begin, at});
    } else {
      ++at;
    }
  }
  return tokens;
}

class Damager {
 public:
  explicit Damager(std::string text) : text_(std::move(text)), tokens_(find_tokens(text_)) {}

  std::string damage(std::mt19937& random) const {
    const auto pick = [&](const auto& list) { return list[random() % list.size()]; };
    std::string out = text_;
    switch (random() % 4) {
      case 0: {  // another number
        static const std::vector<std::string> kNumbers = {
            "0", "1", "2", "7", "-1", "99", "4294967296", "9223372036854775807", "0.5", "NaN"};
        const Token token = pick(tokens_.numbers);
        return out.replace(token.begin, token.end - token.begin, pick(kNumbers));
      }
      case 1: {  // another string of the program
        const Token from = pick(tokens_.strings);
        const Token to = pick(tokens_.strings);
        return out.replace(to.begin, to.end - to.begin,
                           text_.substr(from.begin, from.end - from.begin));
      }
      case 2: {  // an element or member is left out
        const Token token = pick(tokens_.strings);
        const size_t end = text_.find_first_of(",}]", token.end);
        if (end != text_.npos) out.erase(token.begin, end - token.begin + (text_[end] == ','));
        return out;
      }
      default: {  // a stretch is there twice
        const Token token = pick(tokens_.strings);
        const size_t size = random() % 200;
        return out.insert(token.begin, text_.substr(token.begin, size));
      }
    }
  }

 private:
  std::string text_;
  Tokens tokens_;
};

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
