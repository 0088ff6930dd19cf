// Kernels that wait for another stream or the host.
#include "traces/cuda/device/pending.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <dirent.h>
#include <map>
#include <new>
#include <optional>
#include <sys/mman.h>
#include <thread>
#include <utility>
#include <vector>

namespace strata::cuda {
namespace {

constexpr std::size_t stack_bytes =
    std::size_t{8} << 20;  ///< as large as a thread's stack: functions of the host run here, too
constexpr std::size_t guard_bytes = 4096;
constexpr std::size_t most_kept = 16;

std::vector<void*>& kept() {
  static auto* const all = new std::vector<void*>;
  return *all;
}

}  // namespace

Fiber::Fiber(std::function<void()> body) : body_(std::move(body)) {
  if (!kept().empty()) {
    stack_ = kept().back();
    kept().pop_back();
  } else {
    stack_ = ::mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
    if (stack_ == MAP_FAILED) throw std::bad_alloc();
    ::mprotect(stack_, guard_bytes, PROT_NONE);
  }
  ::getcontext(&here_);
  here_.uc_stack.ss_sp = stack_;
  here_.uc_stack.ss_size = stack_bytes;
  here_.uc_link = nullptr;
  const auto self = reinterpret_cast<std::uintptr_t>(this);
  ::makecontext(&here_, reinterpret_cast<void (*)()>(enter), 2, static_cast<unsigned>(self),
                static_cast<unsigned>(self >> 32));
}

Fiber::~Fiber() {
  if (ended_ && kept().size() < most_kept)
    kept().push_back(stack_);
  else
    ::munmap(stack_, stack_bytes);
}

void Fiber::enter(unsigned low, unsigned high) {
  auto* const self = reinterpret_cast<Fiber*>(std::uintptr_t{low} | std::uintptr_t{high} << 32);
  self->body_();
  self->ended_ = true;
  self->suspend();
}

void Fiber::resume() {
  ::swapcontext(&there_, &here_);
}

void Fiber::suspend() {
  ::swapcontext(&here_, &there_);
}

namespace {

using Next = traces::PtxWaiting::Next;
using Clock = std::chrono::steady_clock;

constexpr auto between_looks = std::chrono::microseconds(50);
constexpr auto most_between_looks = std::chrono::microseconds(2000);
/// Real time without progress before a wait counts as endless, if other threads of the host could end it, or
/// if the kernels count or read the clock while they wait.
constexpr auto endless_wait = std::chrono::seconds(20);

/// Threads of the process, without the one that polls.
bool host_has_other_threads(bool looks) {
  DIR* const folder = ::opendir("/proc/self/task");
  if (folder == nullptr) return true;
  int count = 0;
  while (const dirent* const entry = ::readdir(folder)) count += entry->d_name[0] != '.' ? 1 : 0;
  ::closedir(folder);
  return count > (looks ? 2 : 1);
}

bool can_wait(const GraphNode& node) {
  return node.launch != nullptr || node.kind == GraphNode::Kind::graph ||
         node.kind == GraphNode::Kind::memory_operation;
}

}  // namespace

/// Work that must be done first: of its stream, and of the default stream if the stream is blocking.
void Pending::order(Stream& stream, Work& work) const {
  const auto add = [&](const std::shared_ptr<Work>& one) {
    if (one != nullptr && !one->done) work.behind.push_back(one);
  };
  add(stream.latest);
  for (const auto& one : stream.awaits) add(one);
  work.blocking = (stream.flags & non_blocking) == 0;
  if (is_standard(stream)) {
    for (const auto& one : works_)
      if (one->blocking) add(one);
  } else if (work.blocking) {
    add(stream_of(nullptr).latest);
  }
}

std::shared_ptr<Work> Pending::put(Stream& stream, GraphNode node, const LaunchOrder::Handle& operation) {
  if (works_.empty() && !can_wait(node)) {
    const RunningOperation running(device_.order(), operation);
    node.run(device_);
    return nullptr;
  }
  auto work = std::make_shared<Work>();
  work->node = std::move(node);
  work->operation = operation;
  order(stream, *work);
  stream.awaits.clear();
  stream.latest = work;
  works_.push_back(work);
  go_on();
  const bool of_kernel = device_.broken() != success;  // returned by later calls
  if (work->done && work->failure != nullptr && !of_kernel) std::rethrow_exception(work->failure);
  return work->done ? nullptr : work;
}

bool Pending::is_done(const Stream& stream) const {
  const auto done = [](const std::shared_ptr<Work>& one) { return one == nullptr || one->done; };
  if (is_standard(stream) && std::any_of(works_.begin(), works_.end(), [](const std::shared_ptr<Work>& one) {
        return one->blocking && !one->done;
      }))
    return false;
  return done(stream.latest) && std::all_of(stream.awaits.begin(), stream.awaits.end(), done);
}

/// Runs work until it is done or waits.
void Pending::step(const std::shared_ptr<Work>& work) {
  if (work->fiber == nullptr)
    work->fiber = std::make_unique<Fiber>([this, at = work.get()] {
      try {
        std::optional<RunningOperation> running;
        if (at->operation != nullptr) running.emplace(device_.order(), at->operation);
        at->node.run(device_);
      } catch (...) {
        at->failure = std::current_exception();
      }
    });
  Work* const before = running_;
  running_ = work.get();
  work->moved = false;
  device_.order().exchange(work->course);
  work->fiber->resume();
  device_.order().exchange(work->course);
  running_ = before;
  if (!work->fiber->ended()) return;
  work->done = work->moved = true;
  work->fiber.reset();
  work->behind.clear();
  work->node = GraphNode();
  work->operation = nullptr;
}

bool Pending::go_on() {
  if (driving_) return false;
  driving_ = true;
  bool any = false;
  for (bool again = true; again;) {
    again = false;
    for (std::size_t n = 0; n < works_.size(); ++n) {
      const std::shared_ptr<Work> work = works_[n];
      if (std::any_of(work->behind.begin(), work->behind.end(),
                      [](const std::shared_ptr<Work>& one) { return !one->done; }))
        continue;
      step(work);
      again = again || work->moved;
    }
    works_.erase(std::remove_if(works_.begin(), works_.end(),
                                [](const std::shared_ptr<Work>& one) { return one->done; }),
                 works_.end());
    any = any || again;
    if (device_.broken() != success) break;
  }
  driving_ = false;
  if (device_.broken() != success) drop();
  if (!works_.empty()) look_now_and_then();
  return any;
}

void Pending::run(const std::vector<const GraphNode*>& nodes,
                  const std::function<void(const GraphNode&)>& each) {
  if (running_ == nullptr) {
    for (const GraphNode* const node : nodes) each(*node);
    return;
  }
  Work* const self = running_;
  const auto failure = std::make_shared<std::exception_ptr>();
  std::map<const GraphNode*, std::shared_ptr<Work>> works;
  for (const GraphNode* const node : nodes) {
    auto work = std::make_shared<Work>();
    work->course = device_.order().part();
    work->node.does = [node, failure, &each](Device&) {
      if (*failure != nullptr) return;
      try {
        each(*node);
      } catch (...) {
        *failure = std::current_exception();
      }
    };
    for (const GraphNode* const before : node->before)
      if (const auto found = works.find(before); found != works.end()) work->behind.push_back(found->second);
    works[node] = work;
    works_.push_back(work);
  }
  const auto left = [&] {
    return std::any_of(works.begin(), works.end(), [](const auto& one) { return !one.second->done; });
  };
  while (left()) {
    const Device::Running kept = device_.set_aside();
    self->fiber->suspend();
    device_.take_up(kept);
  }
  if (*failure != nullptr) std::rethrow_exception(*failure);
}

Next Pending::wait(const traces::PtxWaiting& waiting) {
  Work* const work = running_;
  if (work == nullptr || deadlocked_) return Next::fault;
  work->moved = work->where.empty() || waiting.executed != work->executed;
  work->fresh = work->moved || waiting.state != work->state;
  work->where = waiting.where;
  work->executed = waiting.executed;
  work->state = waiting.state;
  const Device::Running kept = device_.set_aside();
  work->fiber->suspend();
  device_.take_up(kept);
  return deadlocked_ ? Next::fault : Next::again;
}

void Pending::finish(const std::function<bool()>& done) {
  if (running_ != nullptr) return;  // part of running work that does not wait
  auto since = Clock::now();
  int quiet = 0;
  while (!done()) {
    if (device_.broken() != success) throw CallError(device_.broken());
    if (go_on()) {
      since = Clock::now();
      quiet = 0;
      continue;
    }
    if (done()) break;
    const bool others = host_has_other_threads(looks_);
    const bool fresh = std::any_of(works_.begin(), works_.end(),
                                   [](const std::shared_ptr<Work>& one) { return one->fresh; });
    if ((!others && !fresh && ++quiet > 2) || Clock::now() - since > endless_wait) {
      end_waiting();
      throw CallError(device_.broken());
    }
    if (!others) continue;
    device_.mutex.unlock();
    std::this_thread::sleep_for(between_looks);
    device_.mutex.lock();
  }
  if (device_.broken() != success) throw CallError(device_.broken());
}

/// The kernels wait for ever: the first one fails, and with it the device.
void Pending::end_waiting() {
  deadlocked_ = true;
  for (const auto& work : works_)
    if (work->fiber != nullptr && !work->where.empty()) {
      step(work);
      break;
    }
  deadlocked_ = false;
  if (device_.broken() == success) device_.fail(launch_timeout);
  drop();
}

void Pending::drop() {
  for (const auto& work : works_) work->done = true;
  for (auto& work : works_)
    if (work->fiber != nullptr && !work->fiber->ended()) {
      static auto* const left = new std::vector<std::unique_ptr<Fiber>>;  // objects live on their stacks
      left->push_back(std::move(work->fiber));
    }
  works_.clear();
  device_.cut_records();
}

/// The host may write to memory that a kernel reads, without any call.
void Pending::look_now_and_then() {
  if (looks_) return;
  looks_ = true;
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are for the program's threads
  std::thread([this] {
    auto pause = between_looks;
    for (;;) {
      std::this_thread::sleep_for(pause);
      const std::unique_lock<std::recursive_mutex> lock(device_.mutex, std::try_to_lock);
      if (!lock.owns_lock()) continue;
      const bool moved = !works_.empty() && go_on();
      pause = moved ? between_looks : std::min<decltype(pause)>(pause * 5 / 4, most_between_looks);
    }
  }).detach();
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  device_.watch_program_end();
}

}  // namespace strata::cuda
