// Symbol names in text: plain identifiers stand for themselves, others are quoted.
#pragma once

#include <string>
#include <string_view>

namespace ingot::sym {

bool is_name_start(char c);
bool is_name_char(char c);
// True for an identifier that is no keyword (and, or, not, True, False, true, false).
bool is_plain_name(std::string_view name);
// Appends the name, in quotes unless it is plain; a backslash precedes quotes and backslashes.
void append_symbol(std::string_view name, std::string& out);

}  // namespace ingot::sym
