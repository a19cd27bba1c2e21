// Decodes the structs of the export schema from JSON; the parts share one Decoder.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "import/exported_program.h"
#include "import/json.h"

namespace ingot::pt2 {

// A JSON reader that collects warnings about members that it does not know.
class Decoder {
 public:
  Decoder(std::string_view text, const std::string& record) : json(text, record) {}

  // Skips a member that the schema of this program does not have.
  void unknown_member(std::string_view type, std::string_view member);
  // Refuses a member of a union or a value of an enum that a newer schema must have added.
  [[noreturn]] void unknown_tag(std::string_view type, std::string_view tag) const;
  [[noreturn]] void unknown_number(std::string_view type, int64_t number) const;

  // Reads an object with exactly one member: on_tag(tag) reads its value.
  template <typename OnTag>
  void tagged(std::string_view type, OnTag on_tag) {
    size_t count = 0;
    json.object([&](std::string_view tag) {
      if (++count > 1) json.fail(std::string(type) + " has more than one member");
      on_tag(tag);
    });
    if (count == 0) json.fail(std::string(type) + " has no member");
  }
  // Reads a list with read_element() for each.
  template <typename Read>
  auto list(Read read_element) {
    std::vector<decltype(read_element())> elements;
    json.array([&] { elements.push_back(read_element()); });
    return elements;
  }
  std::vector<std::string> strings() {
    return list([&] { return json.string(); });
  }
  // A string, or "" for null.
  std::string string_or_null() { return json.null() ? std::string() : json.string(); }

  // Sorted and each once.
  std::vector<std::string> warnings() const { return {warnings_.begin(), warnings_.end()}; }

  JsonReader json;

 private:
  std::set<std::string> warnings_;
};

DType decode_dtype(Decoder& in);
SymInt decode_sym_int(Decoder& in);
TensorMeta decode_tensor_meta(Decoder& in);
Argument decode_argument(Decoder& in);
// {"name": …} of a TensorArgument and the like; `class_fqn` of custom objects goes to *class_name.
std::string decode_name(Decoder& in, std::string* class_name = nullptr);
Graph decode_graph(Decoder& in);
void decode_signature(Decoder& in, ExportedProgram& program);

}  // namespace ingot::pt2
