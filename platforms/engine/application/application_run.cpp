#include "platforms/engine/application/application_run.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include "models/common/faults.h"
#include "platforms/engine/session/children.h"
#include "platforms/engine/session/interrupt_watch.h"

namespace strata::platforms {
namespace {

constexpr int pipe_bytes = 1 << 20;
constexpr int patience = 100;  // milliseconds
constexpr std::uint32_t no_kernel = 0xffffffff;

/// The folder with libcudart.so.* and libcuda.so.1: beside the program that was built, or where it is
/// installed.
std::string library_folder() {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path own = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const fs::path& folder : {own / "cuda", own / ".." / STRATA_LIBRARY_FOLDER / "strata" / "cuda"})
    if (fs::exists(folder / "libcuda.so.1", ignored)) return fs::weakly_canonical(folder, ignored).string();
  throw ConfigError("the CUDA libraries of Strata are not there: expected libcuda.so.1 in " +
                    (own / "cuda").string());
}

/// Value of an environment list with `first` put in front.
std::string in_front_of(const char* list, const std::string& first) {
  const char* const before = std::getenv(list);
  return before == nullptr || *before == '\0' ? first : first + ":" + before;
}

/// Both ends of a pipe. A program that we start does not inherit the first one.
struct Pipe {
  int from = -1, to = -1;
  Pipe() {
    int ends[2];
    if (::pipe(ends) != 0) throw ConfigError(std::string("no pipe to be had: ") + std::strerror(errno));
    from = ends[0];
    to = ends[1];
    ::fcntl(from, F_SETFD, FD_CLOEXEC);
    ::fcntl(to, F_SETPIPE_SZ, pipe_bytes);  // a larger pipe costs fewer switches; failure is harmless
  }
  void close_end(int& end) const {
    if (end >= 0) ::close(end);
    end = -1;
  }
  ~Pipe() {
    close_end(from);
    close_end(to);
  }
};

/// An unnamed file shared with the programs that we start.
struct SharedFile {
  int descriptor = -1;
  explicit SharedFile(bool wanted) : descriptor(wanted ? ::memfd_create("strata dictionary", 0) : -1) {
    if (wanted && descriptor < 0)
      throw ConfigError(std::string("no memory file to be had: ") + std::strerror(errno));
  }
  ~SharedFile() {
    if (descriptor >= 0) ::close(descriptor);
  }
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;
};

}  // namespace

ApplicationRun::ApplicationRun(std::vector<std::string> words, cuda::AppOptions options, std::string record,
                               bool progress)
    : words_(std::move(words)),
      options_(std::move(options)),
      record_(std::move(record)),
      progress_(progress) {
  options_.record = !record_.empty();
  if (!options_.record) return;
  std::string line;
  for (const std::string& word : words_) line += (line.empty() ? "" : " ") + word;
  writer_ = std::make_unique<traces::RecordWriter>(record_, "CUDA application " + line);
}

/// The program gets the same addresses in every run, because it may hash its data or sort them by address.
pid_t ApplicationRun::start(int channel, int dictionary) const {
  cuda::AppOptions told = options_;
  told.channel = channel;
  told.dictionary = dictionary;
  const std::string folder = library_folder(), path = in_front_of("LD_LIBRARY_PATH", folder),
                    own_audit = folder + "/libstrata_static_runtime.so",
                    audit = in_front_of("LD_AUDIT", own_audit);
  const std::string text = told.to_text();
  std::vector<std::string> words = words_;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  return start_child(words_.front() + ": ", [&] {
    ::setenv("LD_LIBRARY_PATH", path.c_str(), 1);
    if (::access(own_audit.c_str(), R_OK) == 0) ::setenv("LD_AUDIT", audit.c_str(), 1);
    ::setenv(cuda::AppOptions::variable, text.c_str(), 1);
    ::personality(ADDR_NO_RANDOMIZE);
    ::signal(SIGXFSZ, SIG_DFL);
    ::execvp(arguments[0], arguments.data());
  });
}

ApplicationRun::Result ApplicationRun::run() {
  Pipe pipe;
  const InterruptWatch interrupts;
  const SharedFile dictionary(options_.record);
  const pid_t child = start(pipe.to, dictionary.descriptor);
  pipe.close_end(pipe.to);
  cuda::ChannelReader reader(pipe.from);
  bool running = true;
  try {
    while (!reader.ended()) {
      if (reader.next(patience)) {
        take(reader);
      } else if (running && ::waitpid(child, &result_.status, WNOHANG) == child) {
        running = false;  // a child process may still hold the pipe
        while (reader.next(0)) take(reader);
        break;
      }
      if (InterruptWatch::requested() && !result_.interrupted) {
        result_.interrupted = true;
        if (running) ::kill(child, SIGINT);
      }
      show_progress();
    }
  } catch (...) {
    if (running) ::kill(child, SIGKILL);
    if (running) ::waitpid(child, nullptr, 0);
    throw;
  }
  while (running && ::waitpid(child, &result_.status, 0) < 0 && errno == EINTR) {
  }
  if (progress_) std::cerr << "\r\033[K" << std::flush;
  finish_record();
  return result_;
}

void ApplicationRun::begin_launch(const cuda::ChannelReader& message) {
  cut_kernel();  // a fault ended the kernel; the program continued
  std::vector<std::uint32_t> after;
  const cuda::LaunchMessage said = message.launch(after, launched_);
  kernels_.launch(launched_);
  ctas_ = said.grid.count();
  ctas_done_ = 0;
  in_launch_ = true;
  recording_ = said.recorded != 0 && writer_ != nullptr;
  if (!recording_) return;
  KernelInfo info;
  info.name = launched_;
  info.grid = said.grid;
  info.block = said.block;
  info.shared_bytes = said.shared_bytes;
  info.registers = said.registers;
  info.stream = said.stream;
  info.priority = said.priority;
  for (const std::uint32_t kernel : after)
    if (recorded_.at(kernel) != no_kernel) info.after.push_back(recorded_[kernel]);
  info.cluster = said.cluster;
  if (said.code != 0) info.lines = codes_.at(said.code - 1);
  recorded_.push_back(writer_->begin_kernel(info));
  ++result_.recorded;
}

void ApplicationRun::take(cuda::ChannelReader& message) {
  switch (message.what()) {
    case cuda::MessageKind::hello:
      result_.ours = true;
      recorded_.clear();
      codes_.clear();
      break;
    case cuda::MessageKind::code:
      codes_.push_back(decode_code_lines(message.text()));
      break;
    case cuda::MessageKind::launch:
      begin_launch(message);
      break;
    case cuda::MessageKind::ctas: {
      const cuda::CtasMessage said = message.ctas(entries_, encoded_);
      ctas_done_ += said.count;
      if (recording_)
        writer_->add(static_cast<std::uint32_t>(result_.recorded - 1), encoded_, said.known, entries_);
      kernels_.add(said);
      break;
    }
    case cuda::MessageKind::ended:
      kernels_.ended(message.launch_ended(gaps_text_));
      if (recording_) add_gaps();
      in_launch_ = recording_ = false;
      break;
    case cuda::MessageKind::copy: {
      const cuda::CopyMessage copy = message.copy();
      if (writer_ != nullptr)
        writer_->add_copy({copy.address, copy.bytes, static_cast<std::uint32_t>(result_.recorded)});
      break;
    }
    case cuda::MessageKind::fault:
      if (result_.fault.empty()) result_.fault = message.text();
      std::cerr << "strata: " + message.text() + "\n";
      break;
    case cuda::MessageKind::note:
      std::cerr << "strata: " + message.text() + "\n";
      break;
    default:
      result_.ended_by = message.text();
  }
}

void ApplicationRun::show_progress() {
  if (!progress_ || !in_launch_) return;
  const double rate = kernels_.seconds() > 0
                          ? static_cast<double>(kernels_.thread_instructions()) / kernels_.seconds() / 1e6
                          : 0;
  std::cerr << "\rlaunch " << kernels_.launches() - 1 << ", " << launched_.substr(0, 40) << ": thread block "
            << ctas_done_ << " of " << ctas_ << ", " << static_cast<std::uint64_t>(rate)
            << " M thread instructions/s\033[K" << std::flush;
}

/// Source gaps of the launch that has ended.
void ApplicationRun::add_gaps() {
  const auto kernel = static_cast<std::uint32_t>(result_.recorded - 1);
  std::istringstream lines(gaps_text_);
  std::uint64_t count = 0;
  for (std::string reason; lines >> count && std::getline(lines >> std::ws, reason);)
    gaps_.push_back({kernel, reason, count});
}

/// Ends the record of a kernel that did not finish.
void ApplicationRun::cut_kernel() {
  if (!recording_) return;
  recording_ = false;
  result_.cut = true;
  if (writer_->cut_kernel()) return;
  --result_.recorded;
  recorded_.back() = no_kernel;
}

void ApplicationRun::finish_record() {
  if (writer_ == nullptr) return;
  cut_kernel();
  if (result_.recorded != 0) {
    writer_->set_gaps(std::move(gaps_));
    writer_->finish();
    record_bytes_ = writer_->bytes_written();
  }
  writer_.reset();
}

}  // namespace strata::platforms
