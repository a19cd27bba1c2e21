// Splits the text of an expression into tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ingot::sym {

enum class TokenKind : uint8_t { kEnd, kNumber, kName, kString, kOperator, kBad };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;  // into the source; of a string: with its quotes
  size_t position = 0;    // of the first character
  size_t end = 0;         // after the last one

  bool is(std::string_view op) const { return kind == TokenKind::kOperator && text == op; }
  bool is_name(std::string_view name) const { return kind == TokenKind::kName && text == name; }
};

// The token at or after `position`.
Token next_token(std::string_view source, size_t position);

// What a string token stands for: quotes off, the character after a backslash taken as it is.
std::string string_value(const Token& token);

}  // namespace ingot::sym
