#include "platforms/engine/c_api/c_platform.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <functional>

#include "models/common/faults.h"
#include "platforms/engine/netlist/data_folders.h"
#include "platforms/engine/plugins/plugin.h"
#include "platforms/engine/session/model_reports.h"
#include "platforms/engine/session/session.h"
#include "platforms/report/digest.h"

namespace strata::platforms {
namespace {

constexpr Cycle most_cycles =
    1'000'000'000'000;  // 16 minutes at 1 GHz: SystemC counts femtoseconds in 64 bits

/// SystemC has one kernel per process; this is the state that belongs to it.
struct Kernel {
  std::vector<CPlatform*> open;
  bool half_built =
      false;  // the modules of a failed platform are destroyed, but SystemC keeps their processes
  std::uint64_t passed = 0;  // femtoseconds: all events before this time have happened
  std::unique_ptr<ModelReports> reports;
};

Kernel& kernel() {
  static Kernel& instance = *new Kernel;  // never destroyed: SystemC may be torn down first
  return instance;
}

void set_resolution() {
  ::setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  try {  // asking SystemC for the resolution would fix it
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  } catch (const sc_core::sc_report&) {
    if (sc_core::sc_get_time_resolution().to_seconds() < 1.5e-15) return;
    throw ConfigError(
        "the time resolution of SystemC is not 1 fs and cannot be set any more; open the platform, or call "
        "sc_set_time_resolution(1, SC_FS), before the first sc_time is made");
  }
}

/// Ends elaboration without advancing time: no event is scheduled before the first request.
void start() {
  if (sc_core::sc_get_status() == sc_core::SC_ELABORATION) sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

/// Plug-ins call functions of this library; they must find them even if a simulator has loaded it privately.
void show_symbols() {
  Dl_info self{};
  if (::dladdr(reinterpret_cast<void*>(&show_symbols), &self) != 0 && self.dli_fname != nullptr)
    (void)::dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
}

struct Folder final : sc_core::sc_module {
  Folder(sc_core::sc_module_name name, const std::function<void()>& fill) : sc_module(name) { fill(); }
};

template <class Row>
const Row& named(const std::vector<Row>& rows, std::string Row::*name, const std::string& wanted,
                 const char* what) {
  std::vector<std::string> known;
  for (const Row& row : rows) {
    if (row.*name == wanted) return row;
    known.push_back(row.*name);
  }
  throw ConfigError("no " + std::string(what) + " '" + wanted + "'" + suggestion(wanted, known));
}

}  // namespace

std::string why_no_more_platforms() {
  if (kernel().half_built) return "an earlier platform of this process could not be built to its end";
  if (sc_core::sc_get_status() != sc_core::SC_ELABORATION)
    return "a platform of this process is in use already, and SystemC builds everything before its time "
           "begins: open "
           "all of them first";
  return "";
}

CPlatform::CPlatform(const std::string& file, const std::vector<std::string>& sets) {
  set_resolution();
  show_symbols();
  const Netlist netlist = Netlist::load(find_platform(file), sets);
  const ResolvedNetlist resolved = netlist.resolve();
  const auto has = [&](const auto& wanted) {
    return std::any_of(resolved.groups.begin(), resolved.groups.end(), wanted);
  };
  if (has([](const ResolvedGroup& group) { return group.kind->role == Role::dispatcher; }))
    throw ConfigError(
        "the platform has a cta_dispatcher, which would wait for a trace; here requests come from outside");
  if (!has([](const ResolvedGroup& group) { return group.kind->name == outside_port_kind().name; }))
    throw ConfigError("the platform has no outside_port: it cannot receive requests");
  if (kernel().reports == nullptr) kernel().reports = std::make_unique<ModelReports>();
  const auto build = [&] {
    platform_ = std::make_unique<Platform>(
        netlist,
        ElaborateOptions{resolved.run.seed.value_or(1), resolved.run.check_protocol.value_or(false)});
  };
  kernel().half_built = true;
  if (kernel().open.empty())
    build();
  else
    folder_ = std::make_unique<Folder>(sc_core::sc_gen_unique_name("platform"), build);
  kernel().half_built = false;
  kernel().open.push_back(this);
  for (const PlatformInstance& instance : platform_->of_kind(outside_port_kind().name)) {
    auto* block = static_cast<OutsidePort*>(instance.block);
    for (std::size_t p = 0; p < block->ports().size(); ++p) ports_.push_back({block, static_cast<int>(p)});
  }
}

CPlatform::~CPlatform() = default;

Cycle CPlatform::now() const {
  if (kernel().open.size() == 1) return now_;
  const ClockDomain& clock = platform_->core_clock();
  if (kernel().passed <= clock.edge(now_)) return now_;
  return clock.cycle_before(kernel().passed - 1) + 1;  // another platform has advanced time
}

// Advances SystemC to just before the edge of the present cycle.
void CPlatform::catch_up() {
  start();
  now_ = now();
  const std::uint64_t edge = platform_->core_clock().edge(now_);
  const std::uint64_t reached = sc_core::sc_time_stamp().value();
  if (edge > reached + 1)
    sc_core::sc_start(sc_core::sc_time::from_value(edge - 1 - reached), sc_core::SC_RUN_TO_TIME);
  kernel().passed = edge;
}

// The cycle before which nothing happens; never: no event is scheduled.
Cycle CPlatform::look_ahead() {
  Cycle event = never;
  if (sc_core::sc_pending_activity())
    event = platform_->core_clock().cycle_before(
        (sc_core::sc_time_stamp() + sc_core::sc_time_to_pending_activity()).value());
  quiet_until_ = kernel().open.size() == 1 ? std::min(event, most_cycles) : 0;
  return event;
}

void CPlatform::tick(Cycle cycles) {
  if (leap(cycles)) return;
  if (cycles > most_cycles || now() > most_cycles - cycles)
    throw ConfigError("tick: at most " + std::to_string(most_cycles) + " cycles in all");
  start();
  now_ = now() + cycles;
  catch_up();
  look_ahead();
}

Cycle CPlatform::next() {
  catch_up();
  const Cycle event = look_ahead();
  return event == never ? never : std::max(now_, event);
}

const ClockDomain& CPlatform::clock(const std::string& name) const {
  return *named(platform_->named_clocks(), &PlatformClock::name, name, "clock").domain;
}

Cycle CPlatform::next_edge(const std::string& name) const {
  const std::uint64_t present = platform_->core_clock().edge(now());
  return present == 0 ? 0 : clock(name).cycle_before(present - 1) + 1;
}

bool CPlatform::push(int port, const strata_request& request) {
  catch_up();
  quiet_until_ = 0;
  const End& end = ports_[static_cast<std::size_t>(port)];
  return end.block->push(end.port, request);
}

bool CPlatform::poll(int port, strata_reply& reply, std::uint8_t* data, std::size_t capacity) {
  const End& end = ports_[static_cast<std::size_t>(port)];
  const OutsidePort::Reply* next = end.block->next_reply(end.port, now());
  if (next == nullptr) return false;
  if (!next->data.empty() && (data == nullptr || capacity < next->data.size()))
    throw ConfigError("poll: the reply has " + std::to_string(next->data.size()) +
                      " bytes, but `data` has only " + std::to_string(data == nullptr ? 0 : capacity));
  reply = next->reply;
  std::copy(next->data.begin(), next->data.end(), data);
  end.block->pop_reply(end.port);
  return true;
}

void CPlatform::access_memory(int port, bool write, Address address, std::uint8_t* data, std::size_t bytes) {
  constexpr std::size_t line = 128;
  start();
  const End& end = ports_[static_cast<std::size_t>(port)];
  for (std::size_t done = 0; done < bytes;) {  // lines may lie in different memories
    const std::size_t run = std::min<std::size_t>(bytes - done, line - (address + done) % line);
    tlm::tlm_generic_payload payload;
    payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload.set_address(address + done);
    payload.set_data_ptr(data + done);
    payload.set_data_length(static_cast<unsigned>(run));
    payload.set_streaming_width(static_cast<unsigned>(run));
    if (end.block->debug_out(end.port, payload) != run)
      throw ConfigError("no memory holds address " + std::to_string(address + done));
    done += run;
  }
}

std::vector<InstanceStats> CPlatform::statistics() {
  catch_up();
  for (const PlatformInstance& instance : platform_->instances())
    instance.block->settle(instance.block->clock().now());
  return read_stats(*platform_);
}

std::uint64_t CPlatform::statistic(const std::string& instance, const std::string& counter) {
  const std::vector<InstanceStats> tables = statistics();
  return named(named(tables, &InstanceStats::instance, instance, "instance").counters, &CounterRow::name,
               counter, "counter")
      .value;
}

std::string CPlatform::digest() {
  const std::vector<InstanceStats> tables = statistics();
  return digest_text(platforms::digest(tables, read_ledger(*platform_), platform_->ledger_places()));
}

Faults CPlatform::faults() {
  Faults faults = check_end(*platform_, statistics());
  if (const std::uint64_t count = platform_->protocol_violations(); count != 0)
    faults.push_back({{}, std::to_string(count) + " violations of the base protocol"});
  return faults;
}

}  // namespace strata::platforms

STRATA_PLUGIN(rows) {
  rows.add(strata::platforms::outside_port_kind());
}
