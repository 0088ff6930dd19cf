#include "tb/machines/trial.h"

#include <algorithm>
#include <cctype>
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

}  // namespace strata::tb
