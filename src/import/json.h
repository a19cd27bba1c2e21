// A pull reader for the JSON of exported programs: no tree is built, numbers keep their 64 bits,
// and errors say where in which record they are.
//
// It differs from strict JSON where PyTorch's writers do: bare NaN, Infinity and -Infinity are
// numbers (2.6 and earlier), and real() also accepts them as strings (2.7 and later).
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ingot::pt2 {

class JsonReader {
 public:
  // Deeper nesting is refused; real programs stay below 40.
  static constexpr size_t kMaxDepth = 200;

  enum class Kind { kNull, kBool, kNumber, kString, kArray, kObject };

  // `text` must outlive the reader. `record` names it in messages.
  JsonReader(std::string_view text, std::string record);

  // The kind of the next value. Every function below throws CompileError (kArchiveJson) for
  // malformed text or a value of another kind.
  Kind peek();

  // Calls on_member(key) for each member, which must read the value. The key is valid until then.
  template <typename OnMember>
  void object(OnMember on_member) {
    begin('{', "an object");
    std::string_view key;
    while (next_key(key)) on_member(key);
  }
  // Calls on_element() for each element, which must read it.
  template <typename OnElement>
  void array(OnElement on_element) {
    begin('[', "an array");
    while (next_element()) on_element();
  }

  std::string string();
  int64_t integer();  // refuses fractions and what does not fit 64 bits
  // An integer, or nothing for an infinity in either spelling.
  std::optional<int64_t> integer_or_infinity();
  double real();
  bool boolean();
  // Consumes a null if the next value is one.
  bool null();
  // Skips the next value, checking its syntax.
  void skip();
  // Checks that nothing follows the value read last.
  void finish();

  // Throws CompileError (kArchiveJson) about the value at the current position.
  [[noreturn]] void fail(std::string_view what) const;
  // "models/model.json: $.graph_module.graph.nodes[3].target", for messages.
  std::string where() const;

 private:
  // One open object or array and the member or element being read.
  struct Level {
    bool is_object = false;
    bool is_empty = true;
    std::string_view key;
    std::string decoded_key;  // holds `key` if it was written with escapes
    size_t index = 0;
  };

  void skip_space();
  char next_char();
  void expect(char c, std::string_view what);
  bool take_word(std::string_view word);
  void begin(char bracket, std::string_view what);
  bool next_key(std::string_view& key);
  bool next_element();
  bool separator(char close);
  std::string_view number_token();
  // The text of a string between its quotes, still with escapes; has_escapes says whether any.
  std::string_view raw_string(bool& has_escapes);
  std::string unescape(std::string_view raw);
  uint32_t hex4(std::string_view raw, size_t at) const;

  std::string_view text_;
  size_t at_ = 0;
  std::string record_;
  std::deque<Level> levels_;  // a deque: keys handed out stay where they are
};

}  // namespace ingot::pt2
