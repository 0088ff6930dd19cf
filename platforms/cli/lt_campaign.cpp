#include "platforms/cli/lt_campaign.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "models/common/faults.h"
#include "models/common/input_file.h"
#include "models/common/number_text.h"
#include "platforms/cli/arguments.h"
#include "platforms/netlist/netlist.h"
#include "platforms/session/child_run.h"
#include "platforms/session/interrupt_watch.h"

namespace strata::cli {
namespace {

using platforms::TimingFigures;
using platforms::TimingSample;
using platforms::TimingSamples;

/// Waits for a run; a signal ends it and throws Interrupted.
int status_of(pid_t child) {
  int status = 0;
  for (;;) {
    const pid_t got = ::waitpid(child, &status, WNOHANG);
    if (got == child) return status;
    if (platforms::InterruptWatch::requested()) {
      platforms::end_child(child);
      throw Interrupted{};
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

/// `strata run`; what it says goes to `errors`.
void run_apart(std::vector<std::string> words, const std::string& errors) {
  words.emplace_back("--quiet");
  const int status = status_of(platforms::ChildRun{"/proc/self/exe", words, errors}.start());
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  std::string text;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) text += " " + words[i];
  throw ConfigError("nothing is compared, since a run failed: strata run" + text + "\n" + read_input(errors));
}

/// A trace by its last word: folders do not fit into tables.
std::string short_name(const std::string& trace) {
  if (trace.find(':') != std::string::npos) return trace;
  std::filesystem::path path = std::filesystem::path(trace).lexically_normal();
  if (!path.has_filename() || path.filename().string().rfind("kernelslist", 0) == 0)
    path = path.parent_path();
  return path.filename().string();
}

}  // namespace

std::string LtMachine::title() const {
  std::string text = platform;
  for (std::size_t i = 0; i < lt_sets.size(); ++i) text += (i == 0 ? ", " : " ") + lt_sets[i];
  return text;
}

LtCampaign::LtCampaign(LtPlan plan) : plan_(std::move(plan)), scratch_(Draft::scratch("strata-lt-at")) {}

LtCampaign::~LtCampaign() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
}

void LtCampaign::show(const std::string& what) {
  ++done_;
  if (::isatty(STDERR_FILENO) == 0) return;
  shown_ = true;
  std::fprintf(stderr, "\r%zu: %s\x1b[K", done_, what.c_str());
  std::fflush(stderr);
}

LtCampaign::Parts LtCampaign::parts_of(const LtMachine& machine) const {
  Parts parts;
  const std::string file = require_platform(machine.platform);
  for (const platforms::ResolvedGroup& group : platforms::Netlist::load(file, plan_.sets).resolve().groups) {
    if (group.kind->role == Role::generator) parts.generators.push_back(group.name);
    if (group.kind->role == Role::dispatcher) parts.dispatchers.push_back(group.name);
  }
  return parts;
}

LtCampaign::Words LtCampaign::words_of(const LtMachine& machine, const Parts& parts,
                                       const TimingSample& sample) const {
  Words words = {machine.platform};
  for (const std::string& set : plan_.sets) words.insert(words.end(), {"--set", set});
  if (!sample.traffic()) return words;
  words.insert(words.end(), {"--seed", std::to_string(sample.seed)});
  for (const std::string& name : parts.generators)
    words.insert(words.end(), {"--set", name + ".load=" + formatted("%g", sample.load)});
  return words;
}

TimingFigures LtCampaign::run_once(Words words, bool lt, const LtMachine& machine,
                                   const std::string& out) const {
  words.insert(words.end(), {"--out", out});
  if (lt && machine.lt_sets.empty()) words.insert(words.end(), {"--timing", "lt"});
  if (lt)
    for (const std::string& set : machine.lt_sets) words.insert(words.end(), {"--set", set});
  run_apart(std::move(words), scratch_.path() + "/errors");
  return platforms::read_timing_figures(out);
}

/// at and lt in turn, so that both meet the same disturbances of a busy machine.
void LtCampaign::run_case(const LtMachine& machine, const Parts& parts, TimingSample& sample) {
  show(sample.platform + ", " +
       (sample.traffic() ? "load " + formatted("%g", sample.load) + ", seed " + std::to_string(sample.seed)
                         : sample.workload));
  Words words = words_of(machine, parts, sample);
  if (!sample.traffic()) {
    words.insert(words.end(), {"--trace", sample.workload});
    sample.workload = short_name(sample.workload);
  }
  for (int i = 0; i < plan_.repeats; ++i)
    for (const bool lt : {false, true}) {
      TimingFigures& kept = lt ? sample.lt : sample.at;
      const double least = kept.cpu_seconds;
      kept = run_once(words, lt, machine, lt ? lt_results() : at_results());
      if (i != 0) kept.cpu_seconds = std::min(kept.cpu_seconds, least);
    }
  if (!sample.traffic() && !sample.mixed) run_again(machine, parts, words, sample);
}

// How much at itself differs when CTAs start a little later.
void LtCampaign::run_again(const LtMachine& machine, const Parts& parts, const Words& words,
                           TimingSample& sample) {
  for (int seed = 1; seed <= plan_.jitters; ++seed) {
    Words again = words;
    again.insert(again.end(), {"--seed", std::to_string(seed)});
    for (const std::string& name : parts.dispatchers)
      again.insert(again.end(), {"--set", name + ".launch_jitter=2"});
    sample.at_again.push_back(run_once(again, false, machine, results("again")));
  }
}

TimingSamples LtCampaign::run() {
  TimingSamples samples;
  for (const LtMachine& machine : plan_.machines) {
    const Parts parts = parts_of(machine);
    TimingSample sample;
    sample.platform = machine.title();
    sample.mixed = !machine.lt_sets.empty();
    if (parts.generators.empty()) {
      if (plan_.traces.empty())
        throw ConfigError("--trace is missing: what is to be simulated on " + machine.platform + "?");
      for (const std::string& trace : plan_.traces) {
        sample.workload = trace;
        samples.push_back(sample);
        run_case(machine, parts, samples.back());
      }
      continue;
    }
    for (const double load : plan_.loads)
      for (int seed = 1; seed <= plan_.seeds; ++seed) {
        sample.load = load;
        sample.seed = static_cast<std::uint64_t>(seed);
        samples.push_back(sample);
        run_case(machine, parts, samples.back());
      }
  }
  return samples;
}

}  // namespace strata::cli
