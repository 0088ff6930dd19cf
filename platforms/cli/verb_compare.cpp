#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <iostream>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "models/common/faults.h"
#include "platforms/cli/arguments.h"
#include "platforms/report/compare.h"
#include "platforms/report/timing_error.h"

namespace strata::cli {
namespace {

/// A folder for the results, removed with what is in it.
class Scratch {
 public:
  Scratch() : path_((std::filesystem::temp_directory_path() / "strata-lt-at.XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr)
      throw ConfigError("cannot make '" + path_ + "': " + std::strerror(errno));
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// `strata run` in a process of its own: SystemC builds one platform a process.
void run_apart(std::vector<std::string> words) {
  words.insert(words.begin(), {"strata", "run"});
  words.insert(words.end(), {"--quiet"});
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failed = ::posix_spawn(&child, "/proc/self/exe", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw ConfigError("cannot start a run: " + std::string(std::strerror(failed)));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw ConfigError("the run failed (" + words[2] + ", " + words[4] + "); nothing is compared");
}

std::string compare_timings(const Arguments& a) {
  if (!a.has("trace")) throw ConfigError("--trace is missing: what is to be simulated?");
  const std::string platform = a.get<std::string>("lt-at");
  const auto sets = a.has("set") ? a.get<std::vector<std::string>>("set") : std::vector<std::string>();
  const auto lt_sets =
      a.has("lt-set") ? a.get<std::vector<std::string>>("lt-set") : std::vector<std::string>();
  const Scratch scratch;
  std::vector<platforms::TimingPair> pairs;
  for (const std::string& trace : a.get<std::vector<std::string>>("trace")) {
    const std::string folder = scratch.path() + "/" + std::to_string(pairs.size());
    pairs.push_back({trace, folder + "-at", folder + "-lt"});
    for (const bool lt : {false, true}) {
      std::vector<std::string> words = {platform, "--trace", trace, "--out",
                                        lt ? pairs.back().lt : pairs.back().at};
      for (const std::string& set : sets) words.insert(words.end(), {"--set", set});
      if (lt && lt_sets.empty()) words.insert(words.end(), {"--timing", "lt"});
      if (lt)
        for (const std::string& set : lt_sets) words.insert(words.end(), {"--set", set});
      run_apart(std::move(words));
    }
  }
  return platforms::timing_errors(pairs);
}

}  // namespace

int run_compare(const std::vector<std::string>& arguments) {
  Arguments a(
      "compare DIR... [--json] | compare --lt-at PLATFORM --trace TRACE... [--set KEY=VALUE]...",
      "Shows the summaries and ledgers of results directories side by side, with the change relative to\n"
      "the first. With --lt-at: runs each trace in at and in lt and shows how far lt is from at, in "
      "percent,\n"
      "in points of the hit rates (pp) and as the ratio of processor times. p95 is read from a histogram "
      "with\n"
      "powers of two. --lt-set says what the lt run differs in, instead of all of it being lt.",
      "  strata compare results/shared-matmul_512 results/private-matmul_512\n"
      "  strata compare --json results/a results/b\n"
      "  strata compare --lt-at isca19/shared --trace traces/samples/matmul_512\n"
      "  strata compare --lt-at isca19/shared --trace traces/samples/matmul_512 --lt-set mc.timing=lt "
      "--lt-set ch.timing=lt\n");
  a.options().add_options()("json", "print a JSON object")("lt-at", po::value<std::string>(),
                                                           "platform to run in both timings")(
      "trace", po::value<std::vector<std::string>>(), "what to simulate; may be repeated")(
      "set", po::value<std::vector<std::string>>(), "set a key of the netlist in both runs")(
      "lt-set", po::value<std::vector<std::string>>(), "set a key of the netlist in the lt run");
  if (!a.read(arguments, 0, any_number)) return 0;
  if (a.has("lt-at")) {
    if (!a.words().empty()) throw ConfigError("--lt-at makes its own results; no directory goes with it");
    std::cout << compare_timings(a);
    return 0;
  }
  if (a.words().empty()) throw ConfigError("which results? Give one directory at least, or --lt-at PLATFORM");
  std::cout << (a.has("json") ? platforms::compare_json(a.words()) : platforms::compare_text(a.words()));
  return 0;
}

}  // namespace strata::cli
