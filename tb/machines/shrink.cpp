#include "tb/machines/shrink.h"

#include <charconv>

namespace strata::tb {
namespace {

class Shrinker {
 public:
  Shrinker(Machine machine, const StillFails& still_fails, int tries)
      : machine_(std::move(machine)), still_fails_(still_fails), tries_(tries) {}

  Machine run() {
    bool better = true;
    while (better && tries_ > 0) {
      better = leave_out_parts();
      better = leave_out_pairs() || better;
      better = simpler_platform() || better;
      better = simpler_words() || better;
    }
    return machine_;
  }

 private:
  bool accept(Machine candidate) {
    if (tries_-- <= 0 || !still_fails_(candidate)) return false;
    machine_ = std::move(candidate);
    return true;
  }

  bool leave_out_parts() {
    bool better = false;
    for (std::size_t i = machine_.parts.size(); i-- > 0;) {
      Machine candidate = machine_;
      candidate.parts.erase(candidate.parts.begin() + static_cast<std::ptrdiff_t>(i));
      better = accept(std::move(candidate)) || better;
    }
    return better;
  }

  /// Within a part of several options, such as a shape.
  bool leave_out_pairs() {
    bool better = false;
    for (std::size_t p = 0; p < machine_.parts.size(); ++p)
      for (std::size_t i = machine_.parts[p].size(); i >= 4; i -= 2) {
        if (i > machine_.parts[p].size()) continue;
        Machine candidate = machine_;
        auto& words = candidate.parts[p];
        words.erase(words.begin() + static_cast<std::ptrdiff_t>(i - 2),
                    words.begin() + static_cast<std::ptrdiff_t>(i));
        better = accept(std::move(candidate)) || better;
      }
    return better;
  }

  bool simpler_words() {
    bool better = false;
    for (std::size_t p = 0; p < machine_.parts.size(); ++p)
      for (std::size_t i = 1; i < machine_.parts[p].size(); ++i) {
        better = simpler_program(p, i) || better;
        better = smaller_numbers(p, i) || better;
        better = drop_items(p, i) || better;
      }
    return better;
  }

  bool try_word(std::size_t part, std::size_t word, std::string text) {
    if (machine_.parts[part][word] == text) return false;
    Machine candidate = machine_;
    candidate.parts[part][word] = std::move(text);
    return accept(std::move(candidate));
  }

  bool simpler_program(std::size_t part, std::size_t word) {
    const std::string& option = machine_.parts[part].front();
    if (option != "--trace" && option != "--workload") return false;
    if (machine_.parts[part][word].rfind("synthetic:", 0) == 0) return false;
    Machine candidate = machine_;
    candidate.parts[part] = {"--trace", "synthetic:random:ctas=4,warps=4,loads=8"};
    return accept(std::move(candidate));
  }

  /// The items of synthetic:pattern:a=1,b=2.
  bool drop_items(std::size_t part, std::size_t word) {
    bool better = false;
    if (machine_.parts[part][word].rfind("synthetic:", 0) != 0) return false;
    for (std::size_t end = machine_.parts[part][word].size(); end != std::string::npos && end > 10;) {
      std::string text = machine_.parts[part][word];
      const std::size_t begin = text.find_last_of(":,", end - 1);
      if (begin == std::string::npos || begin < 10) break;
      if (text[begin] == ',')
        text.erase(begin, end - begin);
      else if (end < text.size())
        text.erase(begin + 1, end - begin);
      better = try_word(part, word, text) || better;
      end = begin;
    }
    return better;
  }

  /// Each number behind a `=`: 1, then by halves, then one less.
  bool smaller_numbers(std::size_t part, std::size_t word) {
    bool better = false;
    for (std::size_t at = 0; (at = machine_.parts[part][word].find('=', at)) != std::string::npos; ++at)
      for (int kind = 0; kind < 3; ++kind)
        while (smaller_number(part, word, at + 1, kind)) better = true;
    return better;
  }

  bool smaller_number(std::size_t part, std::size_t word, std::size_t at, int kind) {
    const std::string text = machine_.parts[part][word];
    std::int64_t value = 0;
    const auto parsed = std::from_chars(text.data() + at, text.data() + text.size(), value);
    const auto end = static_cast<std::size_t>(parsed.ptr - text.data());
    if (parsed.ec != std::errc() || value <= 1 || (end < text.size() && text[end] == '.')) return false;
    const std::int64_t smaller = kind == 0 ? 1 : kind == 1 ? value / 2 : value - 1;
    return try_word(part, word, text.substr(0, at) + std::to_string(smaller) + text.substr(end));
  }

  bool simpler_platform() {
    for (const char* name : {"tiny", "isca19/shared", "isca19/traffic_full_crossbar", "isca19/traffic_shared",
                             "selrep20/shared"}) {
      if (machine_.platform == name) return false;
      Machine candidate = machine_;
      candidate.platform = name;
      if (accept(std::move(candidate))) return true;
    }
    return false;
  }

  Machine machine_;
  const StillFails& still_fails_;
  int tries_;
};

}  // namespace

Machine shrink(Machine machine, const StillFails& still_fails, int tries) {
  return Shrinker(std::move(machine), still_fails, tries).run();
}

}  // namespace strata::tb
