#include "symbolic/names.h"

#include <algorithm>
#include <array>

namespace ingot::sym {

bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

bool is_name_char(char c) { return is_name_start(c) || (c >= '0' && c <= '9'); }

bool is_plain_name(std::string_view name) {
  constexpr std::array<std::string_view, 7> kKeywords = {"and",   "or",   "not",  "True",
                                                         "False", "true", "false"};
  if (name.empty() || !is_name_start(name[0])) return false;
  if (!std::all_of(name.begin(), name.end(), is_name_char)) return false;
  return std::find(kKeywords.begin(), kKeywords.end(), name) == kKeywords.end();
}

void append_symbol(std::string_view name, std::string& out) {
  if (is_plain_name(name)) {
    out += name;
    return;
  }
  out += '\'';
  for (char c : name) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  out += '\'';
}

}  // namespace ingot::sym
