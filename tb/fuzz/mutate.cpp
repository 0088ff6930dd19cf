#include "tb/fuzz/mutate.h"

#include <algorithm>
#include <fstream>

namespace strata::tb {
namespace {

const std::vector<std::string> numbers = {
    "0",          "-1",         "1e400",      "0x7fffffffffffffff",   "4294967296",
    "2147483647", "1000000000", "0xffffffff", "18446744073709551615", "nan"};
const std::vector<std::string> brackets = {"{", "}", "[", "]",  "(",  ")",   "\"",
                                           "'", ":", ",", "\n", "\t", "&a ", "*a"};

const std::string& one_of(const std::vector<std::string>& words, std::mt19937_64& random) {
  return words[random() % words.size()];
}

void change(std::string& text, const std::string& other, const std::vector<std::string>& words,
            std::mt19937_64& random) {
  const std::size_t at = text.empty() ? 0 : random() % text.size();
  const std::size_t length = std::min<std::size_t>(random() % 60, text.size() - at);
  switch (random() % 9) {
    case 0:
      if (!text.empty()) text[at] = static_cast<char>(random());
      break;
    case 1: {
      const std::size_t digit = text.find_first_of("0123456789", at);
      if (digit != std::string::npos) text[digit] = static_cast<char>('0' + random() % 10);
      break;
    }
    case 2: {
      const std::size_t digit = text.find_first_of("0123456789", at);
      if (digit == std::string::npos) break;
      const std::size_t end = std::min(text.find_first_not_of("0123456789", digit), text.size());
      text.replace(digit, end - digit, one_of(numbers, random));
      break;
    }
    case 3:
      text.erase(at, length);
      break;
    case 4:
      text.insert(text.empty() ? 0 : random() % text.size(), text.substr(at, length));
      break;
    case 5:
      text.insert(at, one_of(brackets, random));
      break;
    case 6: {
      const std::size_t from = other.empty() ? 0 : random() % other.size();
      text.replace(at, length, other.substr(from, random() % 60));
      break;
    }
    case 7: {  // the same many times: nesting, long words
      std::string many;
      const std::string piece = length == 0 ? "[" : text.substr(at, std::min<std::size_t>(length, 4));
      for (std::uint64_t n = random() % 300; n > 0; --n) many += piece;
      text.insert(at, many);
      break;
    }
    default:
      text.insert(at, words.empty() ? one_of(brackets, random) : one_of(words, random));
  }
}

}  // namespace

std::vector<std::string> dictionary(const std::string& path) {
  std::vector<std::string> words;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find('"'), last = line.rfind('"');
    if (line.compare(0, 1, "#") == 0 || first == last) continue;
    std::string word = line.substr(first + 1, last - first - 1);
    for (std::size_t at; (at = word.find("\\\"")) != std::string::npos;) word.erase(at, 1);
    words.push_back(word);
  }
  return words;
}

std::string mutate(std::string text, const std::string& other, const std::vector<std::string>& words,
                   std::mt19937_64& random) {
  for (std::uint64_t n = 1 + random() % 4; n > 0; --n) change(text, other, words, random);
  return text;
}

}  // namespace strata::tb
