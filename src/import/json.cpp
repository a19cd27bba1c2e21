#include "import/json.h"

#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "support/diagnostics.h"

namespace ingot::pt2 {
namespace {

constexpr size_t kMaxPathText = 200;

void append_utf8(std::string& out, uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | (code >> 18));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3f));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  }
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The value of the spellings of what JSON has no numbers for.
bool parse_special(std::string_view text, double& value) {
  if (text == "NaN") {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (text == "Infinity") {
    value = std::numeric_limits<double>::infinity();
  } else if (text == "-Infinity") {
    value = -std::numeric_limits<double>::infinity();
  } else {
    return false;
  }
  return true;
}

// True for JSON's own grammar of numbers: no leading zeros or plus, digits on both sides of a
// point.
bool is_json_number(std::string_view text) {
  size_t at = 0;
  const auto digits = [&] {
    const size_t first = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return at > first;
  };
  if (at < text.size() && text[at] == '-') ++at;
  const size_t first = at;
  if (!digits() || (text[first] == '0' && at > first + 1)) return false;
  if (at < text.size() && text[at] == '.') {
    ++at;
    if (!digits()) return false;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    if (!digits()) return false;
  }
  return at == text.size();
}

}  // namespace

JsonReader::JsonReader(std::string_view text, std::string record)
    : text_(text), record_(std::move(record)) {}

std::string JsonReader::where() const {
  std::string path = "$";
  for (const Level& level : levels_) {
    path += level.is_object ? fmt::format(".{}", level.key) : fmt::format("[{}]", level.index);
  }
  if (path.size() > kMaxPathText) path = "…" + path.substr(path.size() - kMaxPathText);
  return record_ + ": " + path;
}

void JsonReader::fail(std::string_view what) const {
  throw CompileError(Diag::kArchiveJson, fmt::format("{}: {} (at byte {})", where(), what, at_));
}

void JsonReader::skip_space() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c != ' ' && c != '\n' && c != '\t' && c != '\r') return;
    ++at_;
  }
}

// The next character that is not white space.
char JsonReader::next_char() {
  skip_space();
  if (at_ >= text_.size()) fail("the text ends too early");
  return text_[at_];
}

void JsonReader::expect(char c, std::string_view what) {
  if (next_char() != c) fail(fmt::format("expected {}", what));
  ++at_;
}

bool JsonReader::take_word(std::string_view word) {
  if (text_.substr(at_, word.size()) != word) return false;
  at_ += word.size();
  return true;
}

JsonReader::Kind JsonReader::peek() {
  switch (next_char()) {
    case '{':
      return Kind::kObject;
    case '[':
      return Kind::kArray;
    case '"':
      return Kind::kString;
    case 't':
    case 'f':
      return Kind::kBool;
    case 'n':
      return Kind::kNull;
    default:
      return Kind::kNumber;
  }
}

void JsonReader::begin(char bracket, std::string_view what) {
  expect(bracket, what);
  if (levels_.size() >= kMaxDepth) fail(fmt::format("nested deeper than {} levels", kMaxDepth));
  levels_.push_back({.is_object = bracket == '{', .key = {}, .decoded_key = {}});
}

// Moves to the next member or element; false (and the level is closed) when there is none.
bool JsonReader::separator(char close) {
  Level& level = levels_.back();
  if (next_char() == close) {
    ++at_;
    levels_.pop_back();
    return false;
  }
  if (!level.is_empty) expect(',', fmt::format("',' or '{}'", close));
  level.is_empty = false;
  return true;
}

bool JsonReader::next_key(std::string_view& key) {
  if (!separator('}')) return false;
  Level& level = levels_.back();
  bool has_escapes = false;
  const std::string_view raw = raw_string(has_escapes);
  if (has_escapes) {
    level.decoded_key = unescape(raw);
    level.key = level.decoded_key;
  } else {
    level.key = raw;
  }
  key = level.key;
  expect(':', "':'");
  return true;
}

bool JsonReader::next_element() {
  Level& level = levels_.back();
  const bool is_first = level.is_empty;
  if (!separator(']')) return false;
  if (!is_first) ++level.index;
  return true;
}

std::string_view JsonReader::raw_string(bool& has_escapes) {
  expect('"', "a string");
  const size_t first = at_;
  has_escapes = false;
  while (at_ < text_.size() && text_[at_] != '"') {
    if (static_cast<unsigned char>(text_[at_]) < 0x20) fail("a control character in a string");
    if (text_[at_] == '\\') {
      has_escapes = true;
      ++at_;
    }
    ++at_;
  }
  if (at_ >= text_.size()) {
    at_ = text_.size();
    fail("the text ends inside a string");
  }
  ++at_;
  return text_.substr(first, at_ - 1 - first);
}

uint32_t JsonReader::hex4(std::string_view raw, size_t at) const {
  uint32_t code = 0;
  if (at + 4 > raw.size()) fail("a malformed \\u escape");
  const char* end = raw.data() + at + 4;
  const auto [stop, error] = std::from_chars(raw.data() + at, end, code, 16);
  if (error != std::errc() || stop != end) fail("a malformed \\u escape");
  return code;
}

std::string JsonReader::unescape(std::string_view raw) {
  constexpr std::string_view kNames = "\"\\/bfnrt";
  constexpr std::string_view kValues = "\"\\/\b\f\n\r\t";
  constexpr uint32_t kReplacement = 0xfffd;
  std::string out;
  out.reserve(raw.size());
  for (size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\') {
      out += raw[i];
      continue;
    }
    const char name = raw[++i];  // raw_string has seen to it that something follows
    if (name != 'u') {
      const size_t known = kNames.find(name);
      if (known == kNames.npos) fail("an unknown escape in a string");
      out += kValues[known];
      continue;
    }
    uint32_t code = hex4(raw, i + 1);
    i += 4;
    if (code >= 0xd800 && code < 0xdc00 && raw.substr(i + 1, 2) == "\\u") {
      const uint32_t low = hex4(raw, i + 3);
      if (low >= 0xdc00 && low < 0xe000) {
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        i += 6;
      }
    }
    // Half of a surrogate pair is no character; Python writes it all the same.
    append_utf8(out, code >= 0xd800 && code < 0xe000 ? kReplacement : code);
  }
  return out;
}

std::string JsonReader::string() {
  bool has_escapes = false;
  const std::string_view raw = raw_string(has_escapes);
  return has_escapes ? unescape(raw) : std::string(raw);
}

std::string_view JsonReader::number_token() {
  next_char();
  for (const std::string_view word : {"NaN", "Infinity", "-Infinity"}) {
    if (take_word(word)) return word;
  }
  const size_t first = at_;
  while (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '-' || text_[at_] == '+' ||
                                text_[at_] == '.' || text_[at_] == 'e' || text_[at_] == 'E')) {
    ++at_;
  }
  const std::string_view token = text_.substr(first, at_ - first);
  if (!is_json_number(token)) {
    at_ = first;
    fail("expected a number");
  }
  return token;
}

int64_t JsonReader::integer() {
  const std::string_view token = number_token();
  int64_t value = 0;
  const char* end = token.data() + token.size();
  const auto [stop, error] = std::from_chars(token.data(), end, value);
  if (error == std::errc::result_out_of_range) fail("an integer that does not fit 64 bits");
  if (error != std::errc() || stop != end) fail("expected an integer");
  return value;
}

std::optional<int64_t> JsonReader::integer_or_infinity() {
  const char c = next_char();
  const bool is_special = c == '"' || c == 'I' || (c == '-' && text_.substr(at_, 2) == "-I");
  if (!is_special) return integer();
  if (!std::isinf(real())) fail("expected an integer");
  return std::nullopt;
}

double JsonReader::real() {
  double value = 0;
  if (next_char() == '"') {
    if (!parse_special(string(), value)) fail("expected a number");
    return value;
  }
  const std::string_view token = number_token();
  if (parse_special(token, value)) return value;
  const char* end = token.data() + token.size();
  const auto [stop, error] = std::from_chars(token.data(), end, value);
  // Beyond the range of doubles: infinity or zero, as Python reads it.
  if (error == std::errc::result_out_of_range)
    value = std::strtod(std::string(token).c_str(), nullptr);
  return value;
}

bool JsonReader::boolean() {
  next_char();
  if (take_word("true")) return true;
  if (take_word("false")) return false;
  fail("expected true or false");
}

bool JsonReader::null() {
  if (next_char() != 'n') return false;
  if (!take_word("null")) fail("expected a value");
  return true;
}

void JsonReader::skip() {
  switch (peek()) {
    case Kind::kNull:
      null();
      return;
    case Kind::kBool:
      boolean();
      return;
    case Kind::kNumber:
      number_token();
      return;
    case Kind::kString: {
      bool has_escapes = false;
      const std::string_view raw = raw_string(has_escapes);
      if (has_escapes) unescape(raw);
      return;
    }
    case Kind::kArray:
      array([&] { skip(); });
      return;
    case Kind::kObject:
      object([&](std::string_view) { skip(); });
      return;
  }
}

void JsonReader::finish() {
  skip_space();
  if (at_ != text_.size()) fail("text follows the value");
}

}  // namespace ingot::pt2
