// Damages JSON the way that finds faults: numbers, names and members change places.
#pragma once

#include <cctype>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace ingot::pt2 {

struct Token {
  size_t begin = 0;
  size_t end = 0;
};

// The strings (with their quotes) and the numbers of a JSON text.
struct Tokens {
  std::vector<Token> strings;
  std::vector<Token> numbers;
};

inline Tokens find_tokens(const std::string& text) {
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
    if (tokens_.strings.empty() || tokens_.numbers.empty()) return text_;
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

}  // namespace ingot::pt2
