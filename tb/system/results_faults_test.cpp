// Faults injected while results are written: kill -9 at random moments, every signal, a full disk, no
// permission, several writers. Whatever happens, a results directory is whole, what others wrote is
// untouched, and drafts of dead processes go with the next run. STRATA_FAULT_ROUNDS=2000 makes more rounds of
// each.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>

#include "tb/support/catch.h"
#include "tb/support/strata_process.h"
#include "tb/support/temp_folder.h"

using strata::tb::StrataProcess;
using strata::tb::TempFolder;

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;
using Words = std::vector<std::string>;

constexpr std::uint64_t first_seed = 20260101;
constexpr const char short_trace[] = "synthetic:random:loads=8";
constexpr const char long_trace[] = "synthetic:random:footprint=64MiB,loads=20000";
constexpr int exit_interrupted = 130;

/// Rounds of a test: as given, fewer under sanitizers, more when asked for.
int rounds(int usual) {
#ifdef STRATA_SANITIZED
  usual = std::max(3, usual / 10);
#endif
  const char* more = std::getenv("STRATA_FAULT_ROUNDS");
  return more != nullptr ? std::atoi(more) : usual;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Words run_words(const std::string& out, const std::string& seed, const char* trace = short_trace) {
  return {"run", "tiny", "--trace", trace, "--seed", seed, "--quiet", "--out", out};
}

/// Names of all in a folder, but what the test itself put there.
std::vector<std::string> drafts_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    if (const std::string name = entry.path().filename().string(); name.find(".new.") != std::string::npos)
      names.push_back(name);
  return names;
}

/// Why a results directory is not whole: every file of the manifest with its size, no other, a digest that is
/// one of `digests`. Empty when it is.
std::string flaw_of(const std::string& directory, const std::vector<std::string>& digests) {
  const Json manifest = Json::parse(read_file(directory + "/manifest.json"), nullptr, false);
  if (!manifest.is_object()) return "no manifest";
  std::size_t entries = 0;
  for (const auto& entry : fs::directory_iterator(directory)) {
    ++entries;
    const std::string name = entry.path().filename().string();
    if (name == "manifest.json") continue;
    if (!manifest["files"].contains(name)) return name + " is not in the manifest";
    if (manifest["files"][name]["bytes"] != fs::file_size(entry.path())) return name + " is half-written";
  }
  if (entries != manifest["files"].size() + 1) return "files are missing";
  const Json stats = Json::parse(read_file(directory + "/stats.json"), nullptr, false);
  if (!stats.is_object() || stats["partial"] != false) return "stats.json is not that of a whole run";
  if (std::find(digests.begin(), digests.end(), stats["digest"]) == digests.end())
    return "an external digest";
  return "";
}

/// A process holds the draft.
bool is_held(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool held = fd >= 0 && ::flock(fd, LOCK_EX | LOCK_NB) != 0;
  if (fd >= 0) ::close(fd);
  return held;
}

/// Waits for the draft of the results: the run has begun.
bool begun(const std::string& folder, StrataProcess& run) {
  while (run.running()) {
    for (const std::string& name : drafts_in(folder))
      if (is_held(folder + "/" + name)) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

/// A folder with results of two runs that differ in their seed, and something that is none of Strata's
/// business.
struct Bench {
  TempFolder folder;
  std::string out = folder.path() + "/o";
  std::string said = folder.path() + "/said";
  std::string external = folder.write("external/config.yaml", "platform: mine\n");
  std::string neighbour = folder.write(".o.new.notes", "other file\n");
  std::map<std::string, std::string> digests;  // by seed
  double seconds = 0;                          // of one run

  Bench() {
    for (const char* seed : {"1", "2"}) {
      const auto before = Clock::now();
      StrataProcess run(run_words(out, seed), said);
      REQUIRE(run.wait() == 0);
      seconds = std::chrono::duration<double>(Clock::now() - before).count();
      digests[seed] = Json::parse(read_file(out + "/stats.json"))["digest"];
    }
  }
  std::vector<std::string> all_digests() const { return {digests.at("1"), digests.at("2")}; }
  void check_whole() const {
    CHECK(flaw_of(out, all_digests()) == "");
    check_external();
  }
  void check_external() const {
    CHECK(read_file(external) == "platform: mine\n");
    CHECK(read_file(neighbour) == "other file\n");
  }
  /// The next run into the same place takes away what dead ones have left.
  void check_next_run() {
    StrataProcess run(run_words(out, "1"), said);
    CHECK(run.wait() == 0);
    CHECK(drafts_in(folder.path()) == std::vector<std::string>{".o.new.notes"});
    check_whole();
  }
};

}  // namespace

TEST_CASE("kill -9 at random moments leaves whole results, old or new") {
  Bench bench;
  std::mt19937_64 random(first_seed);
  std::uniform_real_distribution<double> share(0, 1);
  const int all = rounds(200);
  int killed = 0;
  // The latest moment follows what a run takes on this machine now: three of four runs are killed.
  double latest = 1.2 * bench.seconds;
  for (int i = 0; i < all; ++i) {
    const double when = latest * share(random);
    INFO("seed " << first_seed << ", round " << i << ", after " << when << " s");
    if (i % 4 == 3) fs::remove_all(bench.out);  // also where nothing is replaced
    const bool replaces = fs::exists(bench.out);
    StrataProcess run(run_words(bench.out, i % 2 == 0 ? "1" : "2"), bench.said);
    std::this_thread::sleep_for(std::chrono::duration<double>(when));
    run.send(SIGKILL);
    const bool was_killed = run.wait() == -SIGKILL;
    killed += was_killed;
    latest *= was_killed ? 1.01 : 0.97;
    if (replaces || fs::exists(bench.out)) bench.check_whole();
    bench.check_external();
  }
  CHECK(killed > all / 4);  // else the moments were too late
  bench.check_next_run();
}

TEST_CASE("Signals of users and batch systems keep a part beside the whole, all others keep the whole") {
  Bench bench;
  const std::string whole = read_file(bench.out + "/stats.json");
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGXCPU, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF}) {
    INFO("signal " << signal);
    StrataProcess run(run_words(bench.out, "1", long_trace), bench.said);
    REQUIRE(begun(bench.folder.path(), run));
    run.send(signal);
    run.send(signal);  // as timeout(1) does
    CHECK(run.wait() == exit_interrupted);
    CHECK(read_file(bench.out + "/stats.json") == whole);
    CHECK(Json::parse(read_file(bench.out + ".partial/stats.json"))["reason"] == "interrupted");
    CHECK(drafts_in(bench.folder.path()).size() == 1);
    fs::remove_all(bench.out + ".partial");
  }
  for (const int signal : {SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGKILL}) {
    INFO("signal " << signal);
    StrataProcess run(run_words(bench.out, "1", long_trace), bench.said, [] {
      const struct rlimit none {};
      ::setrlimit(RLIMIT_CORE, &none);
    });
    REQUIRE(begun(bench.folder.path(), run));
    run.send(signal);
    CHECK(run.wait() != 0);
    CHECK(read_file(bench.out + "/stats.json") == whole);
    bench.check_external();
  }
  bench.check_next_run();
}

TEST_CASE("A file limit, as a full disk, keeps the old results") {
  Bench bench;
  const auto largest = static_cast<rlim_t>(fs::file_size(bench.out + "/stats.json"));
  std::mt19937_64 random(first_seed);
  for (int i = 0; i < rounds(20); ++i) {
    const rlim_t limit = random() % largest;
    INFO("seed " << first_seed << ", limit " << limit);
    const std::string before = read_file(bench.out + "/stats.json");
    StrataProcess run(run_words(bench.out, "2"), bench.said, [limit] {
      const struct rlimit bytes { limit, limit };
      ::setrlimit(RLIMIT_FSIZE, &bytes);
    });
    CHECK(run.wait() == 1);
    CHECK(read_file(bench.out + "/stats.json") == before);
    CHECK(drafts_in(bench.folder.path()).size() == 1);
    bench.check_whole();
  }
}

TEST_CASE("A disk that is full keeps the old results, and the next run finds its place") {
  const TempFolder folder;
  if (::mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=256k") != 0) {
    WARN("not run: a small disk cannot be mounted here");
    return;
  }
  struct Unmount {
    const TempFolder& folder;
    ~Unmount() { ::umount2(folder.path().c_str(), MNT_DETACH); }
  } const unmount{folder};
  const std::string out = folder.path() + "/o", said = "/dev/null";
  REQUIRE(StrataProcess(run_words(out, "1"), said).wait() == 0);
  const std::string before = read_file(out + "/stats.json");
  std::mt19937_64 random(first_seed);
  for (int i = 0; i < rounds(20); ++i) {
    const fs::space_info space = fs::space(folder.path());
    const std::uintmax_t left = random() % std::min<std::uintmax_t>(space.available, 50'000);
    folder.write("filler", std::string(space.available - left, 'x'));
    INFO("seed " << first_seed << ", " << left << " bytes are left");
    const int code = StrataProcess(run_words(out, "1"), said).wait();
    CHECK((code == 0 || code == 1));
    const Json stats = Json::parse(read_file(out + "/stats.json"));
    CHECK(flaw_of(out, {stats["digest"]}) == "");
    if (code == 1) CHECK(read_file(out + "/stats.json") == before);
    if (code == 0) break;
    CHECK(drafts_in(folder.path()).empty());
  }
  fs::remove(folder.path() + "/filler");
  CHECK(StrataProcess(run_words(out, "1"), said).wait() == 0);
}

TEST_CASE("Without permission nothing is touched") {
  Bench bench;
  const std::string before = read_file(bench.out + "/stats.json");
  const fs::path folder = bench.folder.path();
  fs::permissions(folder, fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read |
                              fs::perms::others_exec);
  const auto nobody = [] {
    if (::getuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) ::_exit(126);
  };
  const int can_start = StrataProcess({"--version"}, "/dev/null", nobody).wait();
  StrataProcess run(run_words(bench.out, "2"), "/dev/null", nobody);
  const int code = run.wait();
  fs::permissions(folder, fs::perms::owner_all);
  if (can_start != 0) {
    WARN("not run: another user cannot start the program here");
    return;
  }
  CHECK(code == 1);
  CHECK(read_file(bench.out + "/stats.json") == before);
  bench.check_whole();
}

TEST_CASE("Several writers of one place leave the results of one of them") {
  Bench bench;
  std::mt19937_64 random(first_seed);
  for (int i = 0; i < rounds(8); ++i) {
    INFO("seed " << first_seed << ", round " << i);
    std::vector<std::unique_ptr<StrataProcess>> writers;
    for (int w = 0; w < 4; ++w)
      writers.push_back(std::make_unique<StrataProcess>(run_words(bench.out, w % 2 == 0 ? "1" : "2"),
                                                        bench.said + std::to_string(w)));
    const auto victim = random() % 8;
    std::this_thread::sleep_for(std::chrono::duration<double>(bench.seconds));
    if (victim < writers.size()) writers[victim]->send(SIGKILL);
    for (std::size_t w = 0; w < writers.size(); ++w) {
      const int code = writers[w]->wait();
      CHECK((code == 0 || (w == victim && code == -SIGKILL)));
    }
    bench.check_whole();
  }
  bench.check_next_run();
}

TEST_CASE("A part and a whole that are written at once: the whole stays") {
  Bench bench;
  for (int i = 0; i < rounds(8); ++i) {
    fs::remove_all(bench.out);
    fs::remove_all(bench.out + ".partial");
    StrataProcess part(run_words(bench.out, "1", long_trace), bench.said);
    REQUIRE(begun(bench.folder.path(), part));
    StrataProcess whole(run_words(bench.out, "2"), bench.said + "2");
    std::this_thread::sleep_for(std::chrono::duration<double>(bench.seconds));
    part.send(SIGTERM);
    CHECK(whole.wait() == 0);
    CHECK(part.wait() == exit_interrupted);
    bench.check_whole();
  }
}

TEST_CASE("Records and drawings are written whole or not at all") {
  Bench bench;
  const std::string record = bench.folder.path() + "/r.strata", trace = "synthetic:random:ctas=4";
  const Words words = {"trace", "convert", trace, record};
  const auto before = Clock::now();
  REQUIRE(StrataProcess(words, bench.said).wait() == 0);
  const std::chrono::duration<double> once = Clock::now() - before;
  const std::string bytes = read_file(record);
  std::mt19937_64 random(first_seed);
  std::uniform_real_distribution<double> moment(0, 1.2 * once.count());
  for (int i = 0; i < rounds(40); ++i) {
    if (i % 2 == 0) fs::remove(record);
    StrataProcess convert(words, bench.said);
    std::this_thread::sleep_for(std::chrono::duration<double>(moment(random)));
    convert.send(SIGKILL);
    convert.wait();
    CHECK((!fs::exists(record) || read_file(record) == bytes));
  }
  CHECK(StrataProcess(words, bench.said).wait() == 0);
  CHECK(drafts_in(bench.folder.path()).size() == 1);
  bench.check_external();
}

TEST_CASE("The end of a reproduction is the end of its runs, and the next one finds no drafts of theirs") {
  Bench bench;
  const std::string out = bench.folder.path() + "/paper";
  const Words words = {"reproduce", "tb/data/reproduce/tiny.yaml", "--quick", "--jobs", "2", "--out", out};
  const auto runs_alive = [&] {
    int alive = 0;
    for (const auto& entry : fs::directory_iterator("/proc")) {
      const std::string command = read_file(entry.path().string() + "/cmdline");
      alive += command.find(out + "/runs") != std::string::npos;
    }
    return alive;
  };
  for (const int signal : {SIGTERM, SIGHUP, SIGKILL}) {
    INFO("signal " << signal);
    StrataProcess reproduce(words, bench.said);
    while (reproduce.running() && (!fs::exists(out + "/runs") || drafts_in(out + "/runs").empty()))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    reproduce.send(signal);
    const int code = reproduce.wait();
    CHECK(code == (signal == SIGKILL ? -SIGKILL : exit_interrupted));
    for (int i = 0; i < 500 && runs_alive() != 0; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    CHECK(runs_alive() == 0);
    if (signal != SIGKILL) CHECK(drafts_in(out + "/runs").empty());
  }
  CHECK(StrataProcess(words, bench.said).wait() == 0);
  CHECK(drafts_in(out + "/runs").empty());
  CHECK(!fs::exists(out + "/.lock"));
}

TEST_CASE("Two reproductions in one folder both come to their end, and nothing is simulated twice") {
  Bench bench;
  const std::string out = bench.folder.path() + "/paper";
  const Words words = {"reproduce", "tb/data/reproduce/tiny.yaml", "--quick", "--jobs", "1", "--out", out};
  StrataProcess one(words, bench.said + "1"), other(words, bench.said + "2");
  CHECK(one.wait() == 0);
  CHECK(other.wait() == 0);
  const auto simulated = [](const StrataProcess& process) {
    const std::string text = process.said();
    int count = 0;
    for (std::size_t at = text.find("/4] "); at != std::string::npos; at = text.find("/4] ", at + 1)) ++count;
    return count;
  };
  CHECK(simulated(one) + simulated(other) == 4);
}
