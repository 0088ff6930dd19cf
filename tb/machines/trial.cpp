#include "tb/machines/trial.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <regex>

namespace strata::tb {

namespace {

/// Line by line, without the numbers: the same fault of two machines reads the same.
std::string kind_of(const std::string& text) {
  std::string kind;
  bool digits = false;
  for (const char c : text.substr(0, text.find('\n'))) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (digit && !digits) kind += '#';
    if (!digit) kind += c;
    digits = digit;
  }
  return kind.substr(0, 160);
}

/// Words that are not for users: what SystemC, the C++ library or the JSON library say.
const char* raw_text(const std::string& text) {
  for (const char* sign : {"internal error", "(E", "(W", "(F", "(I8", "std::", "[json.exception",
                           "In file:", "terminate called", "runtime error:", "Sanitizer", "yaml-cpp"})
    if (text.find(sign) != std::string::npos) return sign;
  return nullptr;
}

std::string digest_of(const std::string& out) {
  const std::size_t at = out.find("digest: ");
  return at == std::string::npos ? "" : out.substr(at + 8, 16);
}

class Case {
 public:
  Case(const Machine& machine, std::uint64_t number, const TrialOptions& options)
      : machine_(machine), number_(number), options_(options) {}

  Trial run() {
    const Ending first = start(machine_, {}, "a");
    if (!judge(first, "")) return trial_;
    digest_ = digest_of(first.out);
    if (digest_.empty()) return fail("no digest", first.out + first.err);
    run_again();
    return trial_;
  }

 private:
  Ending start(const Machine& machine, const Part& more, const char* out) {
    const std::string results = options_.folder + "/" + out;
    std::error_code ignored;
    std::filesystem::remove_all(results, ignored);
    std::vector<std::string> words = arguments_of(machine);
    words.insert(words.begin(), options_.program);
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), {"--quiet", "--out", results});
    Ending ending = run_child(words, options_.folder, options_.limits);
    trial_.cpu_seconds += ending.cpu_seconds;
    trial_.peak_bytes = std::max(trial_.peak_bytes, ending.peak_bytes);
    ++trial_.runs;
    return ending;
  }

  Trial fail(const std::string& what, const std::string& text) {
    trial_.verdict = Verdict::failed;
    trial_.what = what;
    trial_.text = text;
    return trial_;
  }

  /// What a good run with `timing: lt` says.
  static constexpr const char* lt_sentence =
      "strata: timing: lt runs the at blocks until the new lt design is in\n";

  /// True when the run ended well; else the trial says why not. `when`: " with --check-protocol".
  bool judge(const Ending& ending, const std::string& when) {
    if (ending.out_of_time) return fail("does not end" + when, ending.err), false;
    if (ending.signal != 0) return fail(std::string(strsignal(ending.signal)) + when, ending.err), false;
    if (const char* sign = raw_text(ending.err))
      return fail("raw text '" + std::string(sign) + "'" + when + ": " + kind_of(ending.err), ending.err),
             false;
    if (ending.exit_code == 0) {
      if (ending.err.empty() || ending.err == lt_sentence) return true;
      return fail("messages of a good run" + when + ": " + kind_of(ending.err), ending.err), false;
    }
    const bool first = when.empty();
    if (first && ending.exit_code == 1) return refused(ending);
    // A CTA that no SM of the machine can hold is a fault of the trace on this machine.
    if (first && ending.exit_code == 2 && ending.err.find("fits no SM") != std::string::npos)
      return refused(ending);
    return fail("exit code " + std::to_string(ending.exit_code) + when + ": " + kind_of(ending.err),
                ending.err),
           false;
  }

  bool refused(const Ending& ending) {
    trial_.verdict = Verdict::refused;
    trial_.what = kind_of(ending.err);
    trial_.text = ending.err;
    if (ending.err.rfind("strata: ", 0) != 0) fail("a refusal without a message", ending.err);
    if (ending.exit_code == 1 && std::filesystem::exists(options_.folder + "/a"))
      fail("a refusal that leaves results", ending.err);
    return false;
  }

  /// The same machine in other words: all that differs from the first run is what must not matter.
  void run_again() {
    Machine twin = machine_;
    twin.platform = options_.folder + "/a/config.yaml";
    twin.parts.erase(std::remove_if(twin.parts.begin(), twin.parts.end(),
                                    [](const Part& part) {
                                      return part.front() == "--with" || part.front() == "--set" ||
                                             part.front() == "--timing" || part.front() == "--epoch";
                                    }),
                     twin.parts.end());
    const Part epoch = {"--epoch", std::to_string(50 + number_ * 7919 % 20'000)};
    const Part all = {"--check-protocol", epoch[0], epoch[1]};
    if (agrees(twin, all, " of config.yaml with --check-protocol and --epoch")) return;
    if (trial_.verdict == Verdict::failed && trial_.what.rfind("another digest", 0) != 0) return;
    trial_.verdict = Verdict::clean;  // again, one change at a time, to say which one it is
    Machine other = machine_;
    other.parts.erase(std::remove_if(other.parts.begin(), other.parts.end(),
                                     [](const Part& part) { return part.front() == "--epoch"; }),
                      other.parts.end());
    if (!agrees(machine_, {}, " when repeated") || !agrees(other, epoch, " with another --epoch") ||
        !agrees(machine_, {"--check-protocol"}, " with --check-protocol") ||
        !agrees(twin, {}, " of config.yaml"))
      return;
    fail("another digest with several changes", "");
  }

  bool agrees(const Machine& machine, const Part& more, const std::string& when) {
    const Ending ending = start(machine, more, "b");
    if (!judge(ending, when)) return false;
    const std::string digest = digest_of(ending.out);
    if (digest == digest_) return true;
    fail("another digest" + when, digest_ + " became " + digest + "\n");
    return false;
  }

  const Machine& machine_;
  const std::uint64_t number_;
  const TrialOptions& options_;
  std::string digest_;
  Trial trial_;
};

}  // namespace

Trial try_machine(const Machine& machine, std::uint64_t number, const TrialOptions& options) {
  return Case(machine, number, options).run();
}

bool take_proposal(Machine& machine, const std::string& message, std::string& key) {
  static const std::regex proposal(
      R"((?:nearest: |e\.g\. |that does is )([^\s()]+(?: [KMG]iB| B| [kMG]?Hz)?))");
  for (Part& part : machine.parts)
    for (std::size_t i = 0; i + 1 < part.size(); ++i) {
      if (part[i] != "--set") continue;
      std::string& setting = part[i + 1];
      const std::string begin = "strata: --set " + setting + ": ";
      const std::size_t at = message.find(begin);
      if (at == std::string::npos) continue;
      const std::string line = message.substr(at + begin.size(), message.find('\n', at) - at - begin.size());
      std::smatch found;
      if (!std::regex_search(line, found, proposal)) continue;
      const std::size_t equals = setting.find('=');
      key = setting.substr(0, equals);
      // The message may blame another parameter than the one that was set.
      if (line.rfind(key + ":", 0) != 0 && line.find(key.substr(key.rfind('.')) + ":") == std::string::npos)
        continue;
      setting = key + "=" + found[1].str();
      return true;
    }
  return false;
}

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
