#include "platforms/studies/probe/probe_run.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sstream>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "models/common/faults.h"
#include "platforms/engine/netlist/platform.h"
#include "platforms/engine/session/session.h"
#include "platforms/report/stat_table.h"

namespace strata::platforms {
namespace {

void find_place(const Platform& platform, ProbeRun& run) {
  const LedgerTotals totals = read_ledger(platform);
  const LedgerPlaces& places = platform.ledger_places();
  std::uint64_t latency = 0, most = 0;
  for (const auto& sums : totals.groups) latency += sums.latency;
  for (const Place place : places.on_the_way()) {
    std::uint64_t cycles = 0;
    for (const auto& sums : totals.groups) cycles += sums.cycles[place];
    if (cycles <= most) continue;
    most = cycles;
    run.place = places.name(place);
  }
  if (latency != 0) run.share = static_cast<double>(most) / static_cast<double>(latency);
}

/// First line: "ok" and the figures, or "fault"; then the message.
std::string run_here(const Netlist& netlist, const ProbeKernel& kernel) {
  std::ostringstream out;
  try {
    ProbeSource source(kernel);
    Platform platform(netlist, {});
    Session session(platform, source, {});
    platform.finish_elaboration();
    const RunOutcome outcome = session.run();
    if (outcome.exit_code != exit_ok) {
      out << "fault\n";
      for (const std::string& message : outcome.messages) out << message << "\n";
      return out.str();
    }
    const std::vector<InstanceStats> stats = read_stats(platform);
    ProbeRun run;
    run.cycles = outcome.cycles;
    run.dram_bytes =
        sum_of(stats, Role::channel, "bytes_read") + sum_of(stats, Role::channel, "bytes_written");
    find_place(platform, run);
    out << "ok " << run.cycles << " " << run.dram_bytes << " " << run.share << " " << run.place << "\n";
  } catch (const std::exception& error) {
    out.str("");
    out << "fault\n" << error.what() << "\n";
  }
  return out.str();
}

[[noreturn]] void become_run(const Netlist& netlist, const ProbeKernel& kernel, int to_parent, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // the parent has died meanwhile
  const std::string text = run_here(netlist, kernel);
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t count = ::write(to_parent, text.data() + sent, text.size() - sent);
    if (count <= 0 && errno != EINTR) break;
    if (count > 0) sent += static_cast<std::size_t>(count);
  }
  ::_exit(0);
}

}  // namespace

ProbeProcess::ProbeProcess(const Netlist& netlist, const ProbeKernel& kernel) {
  int ends[2];
  const pid_t parent = ::getpid();
  if (::pipe2(ends, O_CLOEXEC) != 0 || (child_ = ::fork()) < 0)
    throw ConfigError(std::string("a probe cannot be started: ") + std::strerror(errno));
  if (child_ == 0) become_run(netlist, kernel, ends[1], parent);
  ::close(ends[1]);
  from_child_ = ends[0];
}

ProbeProcess::~ProbeProcess() {
  ::close(from_child_);
  if (child_ <= 0) return;
  ::kill(child_, SIGKILL);
  while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

ProbeRun ProbeProcess::result() {
  std::string text;
  char part[4096];
  for (ssize_t count; (count = ::read(from_child_, part, sizeof part)) != 0;) {
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) break;
    text.append(part, static_cast<std::size_t>(count));
  }
  int status = 0;
  while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
  child_ = 0;
  std::istringstream in(text);
  std::string word;
  ProbeRun run;
  if (in >> word && word == "ok" && in >> run.cycles >> run.dram_bytes >> run.share) {
    in >> run.place;
    return run;
  }
  const std::size_t said = text.find('\n');
  if (said == std::string::npos)
    throw ConfigError(
        "the process of a probe ended without a result" +
        (WIFSIGNALED(status) ? " (signal " + std::to_string(WTERMSIG(status)) + ")" : std::string()));
  throw ConfigError(text.substr(said + 1, text.size() - said - 2));
}

}  // namespace strata::platforms
