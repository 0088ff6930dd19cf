// Random valid machines: every one must run with all its laws kept, or be refused with a clear message; and
// repeated, checked, from its own config.yaml and with another epoch it must do the same.
// docs/contributing.md says more.
#include <atomic>
#include <boost/program_options.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <regex>
#include <thread>

#include "tb/machines/draw.h"
#include "tb/machines/journal.h"
#include "tb/machines/trial.h"
#include "tb/support/temp_folder.h"

namespace strata::tb {
namespace {

namespace po = boost::program_options;
using Clock = std::chrono::steady_clock;

volatile std::sig_atomic_t interrupted = 0;

struct Options {
  std::string program, samples, log;
  std::uint64_t seed = 1, first = 0, runs = 0, only = 0, memory_mib = 0;
  double seconds = 0;
  int jobs = 1, tries = 200;
  std::vector<std::string> avoid;
  bool one = false, show = false;
  Limits limits;
};

/// A refusal may propose a value; that one must not be refused too.
Trial examine(Machine& machine, std::uint64_t number, const TrialOptions& options) {
  Trial trial = try_machine(machine, number, options);
  std::string last;
  for (int proposals = 0; proposals < 4 && trial.verdict == Verdict::refused; ++proposals) {
    std::string key;
    if (!take_proposal(machine, trial.text, key)) break;
    if (key == last) {
      trial.verdict = Verdict::failed;
      trial.what = "a proposed value is refused: " + trial.what;
      break;
    }
    last = key;
    const Trial next = try_machine(machine, number, options);
    const int runs = trial.runs + next.runs;
    trial = next;
    trial.runs = runs;
  }
  return trial;
}

class Layer {
 public:
  explicit Layer(const Options& options)
      : options_(options),
        catalog_(read_catalog(options.samples)),
        journal_(options.log, options.seed),
        next_(options.first) {}

  int run() {
    std::vector<std::thread> workers;
    for (int job = 0; job < options_.jobs; ++job) workers.emplace_back([this] { work(); });
    for (std::thread& worker : workers) worker.join();
    std::cout << journal_.summary();
    if (!error_.empty()) std::cout << error_ << "\n";
    std::cout << "seed " << options_.seed << ", cases " << options_.first << " to " << next_.load() - 1
              << ", " << avoided_ << " left out by --avoid, " << static_cast<int>(elapsed()) << " s\n";
    if (options_.runs == 0 && journal_.cases() == 0)
      return 1;  // a budget in which nothing was tried shows nothing
    return journal_.failed() == 0 && error_.empty() ? 0 : 1;
  }

  /// One case, in words.
  int show() {
    Machine machine = draw_machine(options_.seed, options_.only, catalog_);
    std::cout << command_line(machine) << "\n";
    if (options_.show) return 0;
    const TempFolder folder;
    const Trial trial = examine(machine, options_.only, trial_options(folder.path()));
    std::cout << trial.text << (trial.verdict == Verdict::clean ? "clean" : trial.what) << "; " << trial.runs
              << " runs, " << trial.cpu_seconds << " s, " << trial.peak_bytes / 1'048'576 << " MiB\n";
    if (trial.verdict == Verdict::failed)
      std::cout << command_line(shrunk(machine, options_.only, trial.what, folder.path())) << "\n";
    return trial.verdict == Verdict::failed ? 1 : 0;
  }

 private:
  double elapsed() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  TrialOptions trial_options(const std::string& folder) const {
    return {options_.program, folder, options_.limits};
  }

  bool over(std::uint64_t number) const {
    if (interrupted != 0) return true;
    if (options_.runs != 0 && number >= options_.first + options_.runs) return true;
    return options_.seconds > 0 && elapsed() > options_.seconds;
  }

  void work() {
    try {
      const TempFolder folder;
      for (;;) {
        std::uint64_t number = 0;
        {
          const std::lock_guard<std::mutex> lock(mutex_);
          if (over(next_) || !error_.empty()) return;
          number = next_++;
          if (journal_.has(number)) continue;
        }
        try_case(number, folder.path());
      }
    } catch (const std::exception& error) {
      const std::lock_guard<std::mutex> lock(mutex_);
      error_ = error.what();
    }
  }

  void try_case(std::uint64_t number, const std::string& folder) {
    Machine machine = draw_machine(options_.seed, number, catalog_);
    const std::string command = command_line(machine);
    for (const std::string& text : options_.avoid)
      if (std::regex_search(command, std::regex(text))) {
        ++avoided_;
        return;
      }
    const Trial trial = examine(machine, number, trial_options(folder));
    if (interrupted != 0) return;
    bool fresh = false;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      fresh = journal_.add(number, trial, command_line(machine));
      progress();
    }
    if (!fresh) return;
    const std::string small = command_line(shrunk(machine, number, trial.what, folder));
    const std::lock_guard<std::mutex> lock(mutex_);
    journal_.add_shrunk(trial.what, small);
    std::cerr << "case " << number << ": " << trial.what << "\n  " << small << std::endl;
  }

  Machine shrunk(const Machine& machine, std::uint64_t number, const std::string& what,
                 const std::string& folder) const {
    const TrialOptions options = trial_options(folder);
    return shrink(
        machine,
        [&](const Machine& smaller) {
          if (interrupted != 0) return false;
          Machine copy = smaller;
          const Trial trial = examine(copy, number, options);
          return trial.verdict == Verdict::failed && trial.what == what;
        },
        what.rfind("does not end", 0) == 0 ? options_.tries / 10 : options_.tries);
  }

  void progress() {
    if (elapsed() < reported_ + 20) return;
    reported_ = elapsed();
    std::cerr << journal_.cases() << " machines, " << journal_.failed() << " failed, "
              << static_cast<int>(reported_) << " s" << std::endl;
  }

  const Options options_;
  const Catalog catalog_;
  Journal journal_;
  std::mutex mutex_;
  std::atomic<std::uint64_t> next_, avoided_{0};
  const Clock::time_point begin_ = Clock::now();
  double reported_ = 0;
  std::string error_;
};

bool read_options(int argc, char** argv, Options& options) {
  po::options_description known("strata_machines: random valid machines; options");
  known.add_options()("help", "this text")("program", po::value(&options.program)->required(),
                                           "the strata program")(
      "seed", po::value(&options.seed)->default_value(1), "a case is a function of seed and number")(
      "first", po::value(&options.first)->default_value(0), "number of the first case")(
      "runs", po::value(&options.runs)->default_value(0), "how many cases; 0 = until --seconds are over")(
      "seconds", po::value(&options.seconds)->default_value(0), "begin no case after these; 0 = no limit")(
      "jobs", po::value(&options.jobs)->default_value(1), "cases at a time")(
      "log", po::value(&options.log),
      "a line for each case; with an old one, cases in it are not done again")(
      "only", po::value(&options.only), "try this case and say what happens")(
      "show", "with --only: print its command line")(
      "avoid", po::value(&options.avoid),
      "leave out cases whose command line matches this regular expression; may be repeated")(
      "samples", po::value(&options.samples)->default_value("traces/samples"), "folder of sample traces")(
      "tries", po::value(&options.tries)->default_value(200), "machines tried to make a failing one small")(
      "memory-mib", po::value(&options.memory_mib)->default_value(3072),
      "addresses that a run may use; 0 = no limit")("cpu-seconds",
                                                    po::value(&options.limits.cpu_seconds)->default_value(30),
                                                    "processor time that a run may take");
  po::variables_map values;
  po::store(po::parse_command_line(argc, argv, known), values);
  if (values.count("help") != 0) return std::cout << known, false;
  po::notify(values);
  options.one = values.count("only") != 0;
  options.show = values.count("show") != 0;
  if (!options.one && options.runs == 0 && options.seconds <= 0)
    throw std::runtime_error("give --runs, --seconds or --only");
  options.limits.memory_bytes = options.memory_mib << 20;
  options.program = std::filesystem::absolute(options.program).string();
  return true;
}

}  // namespace
}  // namespace strata::tb

// SystemC's library wants one; nothing is simulated in this process.
extern "C" int sc_main(int, char*[]) {
  return 0;
}

int main(int argc, char** argv) {
  try {
    strata::tb::Options options;
    if (!strata::tb::read_options(argc, argv, options)) return 0;
    for (const int number : {SIGINT, SIGTERM}) std::signal(number, [](int) { strata::tb::interrupted = 1; });
    strata::tb::Layer layer(options);
    return options.one ? layer.show() : layer.run();
  } catch (const std::exception& error) {
    std::cerr << "strata_machines: " << error.what() << "\n";
    return 2;
  }
}
