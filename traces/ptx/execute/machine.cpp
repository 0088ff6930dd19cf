// A launch: its limits of instructions and records, its read-only loads, the journal of its stores, and the
// turns of its warps.
#include "traces/ptx/execute/machine.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "models/common/faults.h"
#include "traces/ptx/execute/path_reader.h"
#include "traces/ptx/provenance/provenance.h"

namespace strata::traces::ptx {
namespace {

constexpr std::uint32_t most_shared =
    228 * 1024;  // shared memory of an SM, CUDA C++ Programming Guide, table "Technical Specifications"

constexpr std::uint32_t most_in_cluster =
    16;  // of an H100 (CUDA C++ Programming Guide, "Thread Block Clusters": 8 are portable)

std::uint32_t axis(const Dim3& d, std::uint64_t n) {
  return n == 0 ? d.x : n == 1 ? d.y : d.z;
}

}  // namespace

Machine::Machine(const PtxLaunch& launch, GlobalMemory& memory, const PtxOptions& options)
    : program_(launch.program), launch_(launch), options_(options) {
  info_ = kernel_info(launch);
  if (options_.max_instructions)
    options_.watchdog = std::max(options_.watchdog, *options_.max_instructions / PtxOptions::watchdogs);
  most_instructions_ = options_.max_instructions.value_or(options_.watchdog * PtxOptions::watchdogs);
  most_bytes_ = options_.max_bytes.value_or(PtxOptions::default_max_bytes);
  memory.add_variables(*program_);
  if (program_->module().decoded.at(program_->kernel(launch.kernel).name)->uses_heap) memory.make_heap();
  const PtxKernel& found = program_->kernel(launch.kernel);
  const DecodedKernel& decoded = *program_->module().decoded.at(found.name);
  kernel_ = options.hoist_loads ? laid_out(decoded, std::max(1, options.loads_in_flight))
                                : std::shared_ptr<const DecodedKernel>(program_, &decoded);
  ops_ = kernel_->ops;
  gap_runs_.resize(kernel_->gaps.size());
  for (std::size_t n = 0; n < ops_.size(); ++n) ops_[n].number = static_cast<std::uint32_t>(n);
  if (launch.cooperative) workspace_ = memory.grid_workspace(false);
  state_.machine = this;
  state_.kernel = kernel_.get();
  state_.memory = &memory;
  state_.memcheck = options.memcheck;
  state_.print = options_.print ? &options_.print : nullptr;
  state_.assertion = options_.assertion ? &options_.assertion : nullptr;
  state_.grid = launch.grid;
  state_.block = launch.block;
  state_.hints.assign(ops_.size(), nullptr);
  state_.checked_ranges.resize(ops_.size());
  patch(launch);
  mark_loads();
  set_up_warps();
}

void Machine::set_up_warps() {
  const std::size_t warps = info_.warps_per_cta();
  state_.local.resize(std::size_t{kernel_->local_bytes} * 32 * warps);
  registers_.resize(kernel_->register_bytes * warps + 64);
  const auto at = reinterpret_cast<std::uintptr_t>(registers_.data());
  first_register_ = registers_.data() + (64 - at % 64) % 64;
  warps_.resize(warps);
  stacks_.resize(warps);
  cells_.resize(warps);
  for (std::size_t n = 0; n < warps; ++n) {
    Warp& w = warps_[n];
    w.base[0] = first_register_ + n * kernel_->register_bytes;
    w.base[1] = constants_.data();
    w.code = ops_.data();
    w.cta = &state_;
    w.checked_ranges = state_.checked_ranges.data();
    w.index = static_cast<std::uint32_t>(n);
    w.stack = &stacks_[n];
    auto* tid = row_of<std::uint32_t>(w, 0);  // the first three registers are %tid, the fourth %warpid
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      const std::uint32_t thread = w.index * 32 + lane;
      tid[lane] = thread % info_.block.x;
      tid[32 + lane] = thread / info_.block.x % info_.block.y;
      tid[64 + lane] = thread / info_.block.x / info_.block.y;
      tid[96 + lane] = w.index;
    }
  }
}

Machine::~Machine() {
  if (library_ != nullptr) kernel_->libraries->give_back(std::move(library_));
}

void Machine::patch(const PtxLaunch& launch) {
  constants_ = kernel_->constants;
  constants_.resize(constants_.size() + 64);
  state_.parameters.assign(kernel_->parameter_bytes, 0);
  for (std::size_t n = 0; n < launch.arguments.size(); ++n)
    std::memcpy(&state_.parameters[kernel_->parameter_offsets[n]], launch.arguments[n].bytes.data(),
                launch.arguments[n].bytes.size());
  const std::uint32_t static_bytes = (kernel_->shared_bytes + 15) / 16 * 16;
  state_.shared.resize(static_bytes + launch.dynamic_shared_bytes);
  for (const Patch& p : kernel_->patches) {
    std::uint64_t value = 0;
    switch (p.kind) {
      case Patch::Kind::parameter:
        std::memcpy(&value, &state_.parameters[p.value], std::min<std::uint32_t>(8, p.index));
        break;
      case Patch::Kind::symbol:
        value = state_.memory->symbol(std::to_string(program_->identity()) + ":" +
                                      kernel_->module->variables[p.index].name) +
                p.value;
        break;
      case Patch::Kind::ntid:
        value = axis(launch.block, p.value);
        break;
      case Patch::Kind::nctaid:
        value = axis(launch.grid, p.value);
        break;
      case Patch::Kind::warps:
        value = info_.warps_per_cta();
        break;
      case Patch::Kind::dynamic_shared_bytes:
        value = launch.dynamic_shared_bytes;
        break;
      case Patch::Kind::all_shared_bytes:
        value = state_.shared.size();
        break;
      case Patch::Kind::dynamic_shared:
        value = static_bytes + p.value;
        break;
      case Patch::Kind::grid_low:
        value = workspace_ & 0xffffffff;
        break;
      case Patch::Kind::grid_high:
        value = workspace_ >> 32;
        break;
      case Patch::Kind::cluster_nctaid:
        value = axis(info_.cluster, p.value);
        break;
      case Patch::Kind::cluster_nctarank:
        value = info_.cluster.count();
        break;
      case Patch::Kind::nclusterid:
        value = axis(launch.grid, p.value) / axis(info_.cluster, p.value);
        break;
      case Patch::Kind::explicit_cluster: {  // a predicate, in one word
        const bool given = launch.cluster || program_->kernel(launch.kernel).cluster;
        const std::uint32_t lanes = given ? all_lanes : 0;
        std::memcpy(&constants_[p.offset], &lanes, sizeof lanes);
        continue;
      }
      case Patch::Kind::ctaid:
      case Patch::Kind::cluster_ctaid:
      case Patch::Kind::clusterid:
      case Patch::Kind::cluster_ctarank:
        continue;  // set for each CTA by start_cta()
    }
    for (std::uint32_t i = 0; i < 32; ++i) std::memcpy(&constants_[p.offset + i * p.bytes], &value, p.bytes);
  }
}

void Machine::start_cta(std::uint64_t cta, bool record) {
  state_.cta = cta;
  barriers_ = executed_cta_ = since_release_ = progress_reported_ = 0;
  deadlock_watch_ = DeadlockWatch{};
  idle_rounds_ = 0;
  std::fill(std::begin(state_.arrived), std::end(state_.arrived), 0u);
  const Dim3& g = info_.grid;
  state_.index = {static_cast<std::uint32_t>(cta % g.x), static_cast<std::uint32_t>(cta / g.x % g.y),
                  static_cast<std::uint32_t>(cta / g.x / g.y)};
  const Dim3& c = info_.cluster;
  const Dim3 in_cluster = {state_.index.x % c.x, state_.index.y % c.y, state_.index.z % c.z};
  state_.peers.assign(1, &state_);
  state_.rank = 0;
  state_.ended = false;
  for (const Patch& p : kernel_->patches) {
    std::uint64_t value = 0;
    if (p.kind == Patch::Kind::ctaid)
      value = axis(state_.index, p.value);
    else if (p.kind == Patch::Kind::cluster_ctaid)
      value = axis(in_cluster, p.value);
    else if (p.kind == Patch::Kind::clusterid)
      value = axis(state_.index, p.value) / axis(c, p.value);
    else if (p.kind == Patch::Kind::cluster_ctarank)
      value = (std::uint64_t{in_cluster.z} * c.y + in_cluster.y) * c.x + in_cluster.x;
    else
      continue;
    for (std::uint32_t i = 0; i < 32; ++i) std::memcpy(&constants_[p.offset + i * p.bytes], &value, p.bytes);
  }
  std::fill(state_.shared.begin(), state_.shared.end(), std::uint8_t{0});
  std::fill(state_.local.begin(), state_.local.end(), std::uint8_t{0});
  state_.addresses.clear();
  const std::uint32_t threads = info_.threads_per_cta();
  for (Warp& w : warps_) {
    const std::uint32_t left = threads - w.index * 32;
    w.alive = left >= 32 ? all_lanes : (1u << left) - 1;
    set_mask(w, w.alive);
    w.join = no_op;
    w.next = w.code;
    w.stack->entries.clear();
    w.stack->calls.clear();
    w.stack->diverged.clear();
    for (const Row stack_row : {kernel_->frame_row, kernel_->top_row})
      if (stack_row != no_row) std::fill_n(row_of<std::uint64_t>(w, stack_row), 32, kernel_->stack_begin);
    w.run = 0;
    std::fill_n(w.run_units, counted_units, 0u);
    w.block_mask = w.alive;
    w.record = record;
    w.record_rows = record && state_.written == nullptr;
    w.out = w.block = w.out_begin;
    w.state = Warp::State::ready;
    w.since_barrier = 0;
    w.short_turns = 0;
    w.cluster_arrived = w.cluster_passed = 0;
    w.split = w.spins = w.pass = w.waits = false;
    w.idle_turns = 0;
    w.quiet_since = 0;
    w.tried = w.turn = w.passed = 0;
    w.next_watch = w.watch_interval = stats.waits == 0 ? first_watch : short_watch;
    w.executed = w.executed_threads = w.recorded = w.recorded_threads = 0;
  }
}

void Machine::run_warp(Warp& w) {
  if (w.short_turns != 0) --w.short_turns;
  w.budget = w.short_turns != 0 ? 1 : turn_;
  const std::uint64_t before = w.executed;
  if (kernel_->watched.empty())
    run_ops(w);
  else
    run_watched(w);
  charge(w, w.executed - before);
  if (w.state == Warp::State::ready && w.since_barrier > options_.watchdog)
    fault(w, w.next, __builtin_ctz(w.mask),
          "no end after this many instructions of a warp: a loop that waits for another thread block or for "
          "a lane of "
          "its own warp?",
          w.since_barrier, true);
}

const Machine& Machine::execute(std::uint64_t cta, bool record) {
  if (record && options_.read_only == PtxOptions::ReadOnly::oracle && lines_ == nullptr) find_written_lines();
  if (launch_.cooperative) return run_cooperative(cta, record);
  if (info_.cluster.count() > 1) return run_cluster(cta, record);
  if (cta >= pending_.first && cta < pending_.next) return end_pending(cta, record);
  start_cta(cta, record);
  struct End {  // also if a fault ends it
    const Machine& machine;
    ~End() {
      if (machine.progress_reported_ != 0) machine.options_.progress(nullptr);
    }
  } const end{*this};
  const std::vector<Machine*> alone = {this};
  while (!abandoned_ && go_on()) {
    const bool waits = idle_rounds_ >= most_idle_rounds;
    if (cta + 1 < info_.ctas()) {
      if (waits || (executed_cta_ >= deadlock_watch_.next_look && is_deadlocked(0)))
        return run_with_pending(record);
    } else if (waits && !wait_for_host(alone)) {
      break;
    }
  }
  count();
  return *this;
}

void Machine::run(std::uint64_t cta, CtaTrace* trace) {
  if (trace == nullptr) {
    execute(cta, false);
    return;
  }
  run(cta, path_);
  trace->index = cta;
  trace->instructions.clear();
  trace->warp_begin.clear();
  trace->instructions.reserve(path_.instructions());
  trace->warp_begin.reserve(path_.warps.size() + 1);
  trace->warp_begin.push_back(0);
  for (const CtaPath::Warp& warp : path_.warps) {
    for (std::size_t n = warp.begin; n < warp.end; ++n)
      for (std::uint32_t time = 0; time <= path_.segments[n].repeats; ++time)
        path_.segments[n].at(time).append(trace->instructions);
    trace->warp_begin.push_back(static_cast<std::uint32_t>(trace->instructions.size()));
  }
  trace->addresses.assign(path_.addresses, path_.addresses + path_.address_count);
}

void Machine::run(std::uint64_t cta, CtaPath& path) {
  const Machine& ran = execute(cta, true);
  if (library_ == nullptr)
    library_ =
        kernel_->libraries->take(kernel_->local_bytes != 0 ? local_rows(state_).warps() : std::uint16_t{0});
  path.clear();
  path.index = cta;
  path.addresses = ran.state_.addresses.data();
  path.address_count = ran.state_.addresses.size();
  PathReader reader(*kernel_, *library_, path);
  for (const Warp& w : ran.warps_) reader.read(w.out_begin, w.out);
  if (path.instructions() > (std::size_t{1} << 26))
    fault(ran.warps_[0], ran.warps_[0].code, -1, "more than 67108864 records in one thread block");
}

/// Gives each warp that can run a turn. False if all have ended.
bool Machine::go_on() {
  bool ready = false, waits = true;
  blocked_ = false;
  for (Warp& w : warps_) {
    if (w.state != Warp::State::ready) continue;
    run_warp(w);
    if (w.state != Warp::State::ready) waits = w.state != Warp::State::done && waits;
    ready = ready || w.state == Warp::State::ready;
    if (w.state == Warp::State::ready) waits = waits && w.waits;
  }
  const bool released = release_barriers();
  const bool met = kernel_->uses_cluster_barrier && release_cluster();
  idle_rounds_ = ready && waits && !released && !met ? idle_rounds_ + 1 : 0;
  if (idle_rounds_ != 0 && yielded_) {  // each may have made a little progress
    const std::uint64_t now = digest();
    if (now != last_digest_) idle_rounds_ = 0;
    last_digest_ = now;
  }
  yielded_ = false;
  if (met || released || ready) return true;
  for (const Warp& w : warps_) blocked_ = blocked_ || w.state == Warp::State::cluster;
  if (blocked_ && state_.peers.size() > 1) return true;
  const Warp* stuck = nullptr;
  for (const Warp& w : warps_)
    if (w.state == Warp::State::barrier && stuck == nullptr) stuck = &w;
  if (stuck != nullptr)
    fault(*stuck, stuck->waiting, -1, "no other warp will arrive at this barrier:", stuck->barrier, true);
  for (const Warp& w : warps_)
    if (w.state == Warp::State::cluster)
      fault(w, w.waiting, __builtin_ctz(w.mask), "no other thread will arrive at the barrier of the cluster");
  state_.ended = true;
  return false;
}

void Machine::count() {
  for (const Warp& w : warps_) {
    stats.warp_instructions += w.recorded;
    stats.thread_instructions += w.recorded_threads;
    stats.executed_instructions += w.executed;
    stats.executed_thread_instructions += w.executed_threads;
  }
  for (std::size_t n = 0; n < gap_runs_.size(); ++n) {
    if (gap_runs_[n] == 0) continue;
    for (const std::string_view reason : kernel_->gaps[n]) stats.gaps[reason] += gap_runs_[n];
    gap_runs_[n] = 0;
  }
}

KernelInfo kernel_info(const PtxLaunch& launch) {
  if (launch.program == nullptr) throw ConfigError("launch of '" + launch.kernel + "': no program");
  const PtxKernel& k = launch.program->kernel(launch.kernel);
  const auto fail = [&](const std::string& message) {
    throw TraceError(
        Fault{{launch.program->path(), k.line, 0}, "launch of kernel " + k.name + ": " + message});
  };
  const auto dims = [](const Dim3& d) {
    return "(" + std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z) + ")";
  };
  const Dim3 &g = launch.grid, &b = launch.block;
  if (g.x == 0 || g.x > 2147483647u || g.y == 0 || g.y > 65535 || g.z == 0 || g.z > 65535)
    fail("expected a grid from (1,1,1) to (2147483647,65535,65535), found " + dims(g));
  if (b.x == 0 || b.y == 0 || b.z == 0 || b.x > 1024 || b.y > 1024 || b.z > 64 || b.count() > k.max_threads ||
      b.count() > 1024)
    fail("expected a block of 1 to " + std::to_string(std::min(1024u, k.max_threads)) + " threads, found " +
         dims(b));
  if (launch.dynamic_shared_bytes > most_shared ||
      k.static_shared_bytes + launch.dynamic_shared_bytes > most_shared)
    fail("expected at most " + std::to_string(most_shared) + " B of shared memory, found " +
         std::to_string(k.static_shared_bytes) + " static and " +
         std::to_string(launch.dynamic_shared_bytes) + " dynamic");
  if (launch.arguments.size() != k.parameters.size())
    fail("expected " + std::to_string(k.parameters.size()) + " arguments, found " +
         std::to_string(launch.arguments.size()));
  for (std::size_t n = 0; n < k.parameters.size(); ++n)
    if (launch.arguments[n].bytes.size() != k.parameters[n].bytes)
      fail("argument " + std::to_string(n) + " (" + k.parameters[n].name + "): expected " +
           std::to_string(k.parameters[n].bytes) + " B, found " +
           std::to_string(launch.arguments[n].bytes.size()) + " B");
  const Dim3 c = launch.cluster ? *launch.cluster : k.cluster ? *k.cluster : Dim3{};
  if (launch.cluster && k.cluster && (c.x != k.cluster->x || c.y != k.cluster->y || c.z != k.cluster->z))
    fail("expected clusters of " + dims(*k.cluster) + " thread blocks, for which it is compiled, found " +
         dims(c));
  if (c.count() == 0 || g.x % c.x != 0 || g.y % c.y != 0 || g.z % c.z != 0)
    fail("expected clusters that divide the grid " + dims(g) + ", found " + dims(c));
  if (c.count() > most_in_cluster || (k.max_cluster != 0 && c.count() > k.max_cluster))
    fail("expected at most " +
         std::to_string(k.max_cluster != 0 ? std::min(k.max_cluster, most_in_cluster) : most_in_cluster) +
         " thread blocks in a cluster, found " + dims(c));
  KernelInfo info;
  info.name = k.name;
  info.cluster = c;
  info.grid = g;
  info.block = b;
  info.shared_bytes = (k.static_shared_bytes + 15) / 16 * 16 + launch.dynamic_shared_bytes;
  info.registers = k.registers;
  info.application = launch.application;
  info.lines = k.lines;
  return info;
}

namespace {

constexpr std::uint64_t between_progress = std::uint64_t{1} << 24;  // about a fifth of a second

std::string millions(std::uint64_t count) {
  return count < 10'000'000 ? std::to_string(count) : std::to_string(count / 1'000'000) + " million";
}

}  // namespace

/// Counts the instructions of a warp's turn against the limits.
void Machine::charge(const Warp& w, std::uint64_t executed) {
  executed_ += executed;
  executed_cta_ += executed;
  since_release_ = w.state == Warp::State::done ? 0 : since_release_ + executed;
  if (w.record) check_records(w);
  if (options_.progress && executed_cta_ - progress_reported_ >= between_progress) {
    progress_reported_ = executed_cta_;
    const PtxProgress so_far{info_.name, state_.cta, info_.ctas(), executed_cta_};
    options_.progress(&so_far);
  }
  if (w.state != Warp::State::ready) return;
  const int lane = __builtin_ctz(w.mask);
  if (since_release_ > 4 * options_.watchdog)
    fault(
        w, w.next, lane,
        ("no end after " + millions(since_release_) +
         " instructions of a thread block without a barrier: a loop that never ends? (the limit is a 4th of "
         "what a launch may execute: --launch-instructions, or limits.instructions of the workload)")
            .c_str());
  if (executed_ > most_instructions_)
    fault(w, w.next, lane,
          ("no end of the launch after " + millions(executed_) +
           " instructions of its warps: a loop that never ends? (--launch-instructions, or "
           "limits.instructions of the workload, allows more)")
              .c_str());
}

/// Checks the size of the records of this CTA.
void Machine::check_records(const Warp& w) const {
  std::uint64_t bytes = state_.addresses.size() * sizeof(Address);
  if (bytes + state_.record_bytes <= most_bytes_) return;
  for (const Warp& one : warps_)
    bytes += static_cast<std::uint64_t>(one.out - one.out_begin) * sizeof(WarpInstruction);
  if (bytes <= most_bytes_) return;
  const Op* at = w.state == Warp::State::ready     ? w.next
                 : w.state == Warp::State::barrier ? w.waiting
                                                   : w.code;
  fault(w, at, -1,
        ("the records of this thread block take more than " + std::to_string(most_bytes_) +
         " B of memory: a loop that never ends? (--launch-memory, or limits.bytes of the workload, allows "
         "more)")
            .c_str());
}

namespace {

constexpr std::uint64_t near_bytes = 2 * GlobalMemory::alignment;  ///< largest gap between two allocations

}  // namespace

void Machine::mark_loads() {
  using ReadOnly = PtxOptions::ReadOnly;
  const ReadOnly policy = options_.read_only.value_or(ReadOnly::nc);
  if (policy == ReadOnly::none || policy == ReadOnly::oracle) return;
  bool marked = false;
  for (Op& op : ops_) {
    if (op.op_class != OpClass::load) continue;
    if ((op.flags & non_coherent) != 0) op.op_class = OpClass::read_only_load;
    marked = marked || (op.flags & never_written) != 0;
  }
  if (policy == ReadOnly::analysis || marked) prove_loads(policy == ReadOnly::analysis);
}

/// Finds the allocations that the origins point into, or just past (the end of an array). False if one is
/// unknown.
bool Machine::reach(OriginSet origins, const Provenance& found, std::vector<std::uint8_t>& into) const {
  const auto& all = state_.memory->allocations();
  bool any = false;
  for (std::size_t n = 0; n < found.origins.size(); ++n) {
    if ((origins >> n & 1) == 0) continue;
    const Origin& o = found.origins[n];
    Address value = 0;
    if (o.kind == Origin::Kind::variable) {
      value = state_.memory->symbol(std::to_string(program_->identity()) + ":" +
                                    kernel_->module->variables[o.index].name);
    } else {
      const std::size_t at = kernel_->parameter_offsets[o.index] + o.offset;
      std::memcpy(&value, &state_.parameters[at], std::min(sizeof(value), state_.parameters.size() - at));
    }
    any = any || (value == 0 && o.pointer);  // a null pointer reaches nothing
    const GlobalMemory::Allocation* inside = state_.memory->find(value);
    for (std::size_t a = 0; a < all.size(); ++a) {
      const bool near = value + near_bytes > all[a].address && value < all[a].end() + near_bytes;
      if (inside != nullptr ? inside != &all[a] : !near) continue;  // the value is a number, not a pointer
      into[a] = 1;
      any = true;
    }
  }
  return any && (origins & ~device_origins) == 0;
}

/// Maps origins to allocations; two parameters that point into one allocation are treated alike. `all`: every
/// load that is proved read-only becomes a read-only load; else only loads that the file marks `.ro`.
void Machine::prove_loads(bool all) {
  const Provenance found = trace_pointers(*kernel_);
  const std::size_t count = state_.memory->allocations().size();
  std::vector<std::uint8_t> written(count, 0);
  for (const TracedAccess& a : found.accesses) {
    if (a.kind == TracedAccess::Kind::load) continue;
    const bool known = reach(a.origins, found, written);
    if (!known && a.kind != TracedAccess::Kind::escape) return;  // the store may go anywhere
  }
  std::vector<std::uint8_t> proved(kernel_->code.size(), 0), touched(count), read_only(count, 0);
  for (const TracedAccess& a : found.accesses) {
    if (a.kind != TracedAccess::Kind::load) continue;
    std::fill(touched.begin(), touched.end(), std::uint8_t{0});
    bool clean = reach(a.origins, found, touched);
    for (std::size_t i = 0; i < count; ++i) clean = clean && (touched[i] == 0 || written[i] == 0);
    if (!clean) continue;
    proved[a.pc] = 1;
  }
  bool any = false;
  for (Op& op : ops_) {
    if (op.op_class != OpClass::load || proved[op.pc] == 0) continue;
    if (!all && (op.flags & never_written) == 0) continue;
    op.op_class = OpClass::read_only_load;
    any = true;
  }
  if (!any) return;
  for (std::size_t i = 0; i < count; ++i) read_only[i] = written[i] == 0;
  state_.read_only = read_only;
}

/// Runs the launch once with a journal, and restores memory.
void Machine::find_written_lines() {
  lines_ = std::make_unique<StoreJournal>(*state_.memory);
  PtxOptions options = options_;
  options.read_only = PtxOptions::ReadOnly::none;
  const GlobalMemory::HeapBlocks heap = state_.memory->heap_blocks();
  Machine ahead(launch_, *state_.memory, options);
  ahead.state_.journal = lines_.get();
  for (std::uint64_t cta = 0; cta < info_.ctas(); ++cta) ahead.run(cta, nullptr);
  lines_->restore();
  state_.memory->restore_heap(heap);
  state_.written = lines_.get();
}

void check_failed(Warp& w, const Op* op, int lane, std::uint64_t address, bool store) {
  fault(w, op, lane,
        store ? "a store to memory that the read-only analysis found unwritten:"
              : "this read-only load leaves the memory that it was proved for:",
        address, true);
}

void StoreJournal::before_store(const GlobalMemory::Allocation& allocation, std::uint64_t first) {
  const auto index = static_cast<std::size_t>(&allocation - memory_.allocations().data());
  const std::uint64_t line = first / line_bytes;
  if (written(index, line)) return;
  auto& bits = written_[index];
  if (bits.empty()) bits.resize(allocation.bytes / line_bytes / 64 + 1);
  bits[line / 64] |= std::uint64_t{1} << (line % 64);
  ++lines_;
  unset_before_.emplace(index, allocation.unset_bytes);
  Saved saved;
  saved.allocation = index;
  saved.line = line;
  const std::uint64_t from = line * line_bytes;
  std::memcpy(saved.bytes, allocation.data + from, std::min(line_bytes, allocation.bytes - from));
  std::memcpy(saved.set, allocation.set + from / 64,
              sizeof(saved.set));  // the bitmap has a spare word at its end
  saved_.push_back(saved);
}

void StoreJournal::restore() {
  for (const Saved& saved : saved_) {
    GlobalMemory::Allocation& a = *memory_.find(memory_.allocations()[saved.allocation].address);
    const std::uint64_t from = saved.line * line_bytes;
    std::memcpy(a.data + from, saved.bytes, std::min(line_bytes, a.bytes - from));
    std::memcpy(a.set + from / 64, saved.set, sizeof(saved.set));
  }
  for (const auto& [index, unset] : unset_before_)
    memory_.find(memory_.allocations()[index].address)->unset_bytes = unset;
  saved_ = {};
}

bool StoreJournal::untouched(const std::uint64_t* address, int count) const {
  const auto& allocations = memory_.allocations();
  const GlobalMemory::Allocation* a = nullptr;
  for (int i = 0; i < count; ++i) {
    if (a == nullptr || address[i] - a->address >= a->bytes) a = memory_.find(address[i]);
    if (a == nullptr) return false;
    if (written(static_cast<std::size_t>(a - allocations.data()), (address[i] - a->address) / line_bytes))
      return false;
  }
  return true;
}

}  // namespace strata::traces::ptx
