#include "traces/accelsim/launch_order.h"

#include <algorithm>
#include <charconv>

#include "models/common/faults.h"
#include "models/common/streams.h"
#include "models/common/text.h"

namespace strata::traces {
namespace {

constexpr std::string_view separators = ", \t();";

// Names without `cuda` or `cu`, and without suffix: MallocAsync is a Malloc.
constexpr std::string_view without_effect[] = {"CtxCreate",
                                               "CtxDestroy",
                                               "CtxGet",
                                               "CtxPop",
                                               "CtxPush",
                                               "CtxSet",
                                               "DeviceGet",
                                               "DeviceReset",
                                               "DeviceSet",
                                               "EventCreate",
                                               "EventDestroy",
                                               "EventElapsed",
                                               "EventQuery",
                                               "Free",
                                               "FuncGet",
                                               "FuncSet",
                                               "GetDevice",
                                               "GetErrorString",
                                               "GetLastError",
                                               "GetSymbolAddress",
                                               "HostAlloc",
                                               "HostGet",
                                               "HostRegister",
                                               "HostUnregister",
                                               "Init",
                                               "Malloc",
                                               "MemAddress",
                                               "MemAdvise",
                                               "MemAlloc",
                                               "MemCreate",
                                               "MemFree",
                                               "MemGet",
                                               "MemHost",
                                               "MemMap",
                                               "MemPool",
                                               "MemRelease",
                                               "MemSetAccess",
                                               "MemUnmap",
                                               "ModuleGet",
                                               "ModuleLoad",
                                               "ModuleUnload",
                                               "Occupancy",
                                               "PeekAtLastError",
                                               "PointerGet",
                                               "ProfilerStart",
                                               "ProfilerStop",
                                               "SetDevice",
                                               "StreamAttach",
                                               "StreamBegin",
                                               "StreamCreate",
                                               "StreamDestroy",
                                               "StreamEnd",
                                               "StreamGet",
                                               "StreamIsCapturing",
                                               "StreamQuery",
                                               "StreamSet"};
// Calls that may be written without `cuda`.
constexpr std::string_view plain_calls[] = {
    "DeviceSynchronize", "Event", "Free", "Malloc", "Memcpy", "Memset", "Stream"};
constexpr std::string_view with_traffic[] = {"MemPrefetch", "Memset"};
constexpr std::string_view ordering[] = {
    "CtxSynchronize",    "DeviceSynchronize",     "EventRecord",
    "EventSynchronize",  "StreamCreateWithFlags", "StreamCreateWithPriority",
    "StreamSynchronize", "StreamWaitEvent",       "ThreadSynchronize"};

template <std::size_t count>
bool begins_like_one(std::string_view kind, const std::string_view (&names)[count]) {
  return std::any_of(names, names + count, [kind](std::string_view name) { return starts_with(kind, name); });
}

/// The kind of a call: cudaMalloc, cuMalloc_v2 and Malloc are one.
std::string_view kind_of(std::string_view name) {
  for (const std::string_view prefix : {std::string_view("cuda"), std::string_view("cu")})
    if (starts_with(name, prefix) && name.size() > prefix.size() && name[prefix.size()] >= 'A' &&
        name[prefix.size()] <= 'Z') {
      name.remove_prefix(prefix.size());
      break;
    }
  const std::size_t version = name.find('_');
  return name.substr(0, version);
}

bool is_hexadecimal(std::string_view text) {
  return starts_with(text, "0x") || starts_with(text, "0X");
}

/// A stream or event: a number, a pointer, or one of the words for none.
bool read_handle(std::string_view text, std::uint64_t& out) {
  if (const std::size_t named = text.find('='); named != std::string_view::npos)
    text.remove_prefix(named + 1);
  if (text == "nil" || text == "NULL" || text == "nullptr" || text == "default") {
    out = 0;
    return true;
  }
  return is_hexadecimal(text) ? read_number(text.substr(2), out, 16) : read_number(text, out);
}

[[noreturn]] void refuse(const LineReader& lines, std::string_view line, std::string_view name,
                         const char* operands) {
  lines.fail("expected '" + std::string(name) + operands + "', found " + quoted(line));
}

template <class Launches>
void merge(Launches& into, const Launches& more) {
  for (const auto& [stream, launch] : more) {
    const auto [at, is_new] = into.emplace(stream, launch);
    if (!is_new) at->second = std::max(at->second, launch);
  }
}

std::string counted(const std::map<std::string, std::uint64_t>& calls) {
  std::string text;
  for (const auto& [name, count] : calls)
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + name;
  return text;
}

}  // namespace

LaunchOrder::Call LaunchOrder::parse(std::string_view line) {
  Call call;
  call.line = line;
  const std::size_t end = line.find_first_of(separators);
  call.name = line.substr(0, end);
  call.kind = kind_of(call.name);
  for (std::size_t at = end; at != std::string_view::npos;) {
    const std::size_t first = line.find_first_not_of(separators, at);
    if (first == std::string_view::npos) break;
    at = line.find_first_of(separators, first);
    call.operands.push_back(line.substr(first, at == std::string_view::npos ? at : at - first));
  }
  return call;
}

bool LaunchOrder::take(const LineReader& lines, std::string_view line) {
  const Call call = parse(line);
  if (call.kind.data() == call.name.data() && !begins_like_one(call.kind, plain_calls)) return false;
  if (starts_with(call.kind, "Memcpy")) {
    if (call.kind.find("HtoD") != std::string_view::npos)
      copy(lines, call);
    else if (call.kind.find("toH") != std::string_view::npos)
      ++without_effect_[std::string(call.name)];
    else
      ++with_traffic_[std::string(call.name)];
    return true;
  }
  if (order(lines, call)) return true;
  if (begins_like_one(call.kind, with_traffic)) {
    ++with_traffic_[std::string(call.name)];
    return true;
  }
  if (!begins_like_one(call.kind, without_effect)) return false;
  ++without_effect_[std::string(call.name)];
  return true;
}

/// `MemcpyHtoD,<hex address>,<bytes>`. An asynchronous copy may name its stream behind them; the runtime's
/// form has the source before the bytes.
void LaunchOrder::copy(const LineReader& lines, const Call& call) {
  const bool plain = call.name == "MemcpyHtoD";
  const auto& operands = call.operands;
  std::size_t bytes_at = 1;
  if (!plain && operands.size() > 2 && is_hexadecimal(operands[1])) bytes_at = 2;
  const std::size_t most = bytes_at + (plain ? 1 : 2);
  MemcpyInfo made;
  std::uint64_t stream = 0;
  bool good = operands.size() > bytes_at && operands.size() <= most;
  if (good) {
    std::string_view address = operands[0];
    if (is_hexadecimal(address)) address.remove_prefix(2);
    good = read_number(address, made.address, 16) && read_number(operands[bytes_at], made.bytes) &&
           (operands.size() == bytes_at + 1 || read_handle(operands[bytes_at + 1], stream));
  }
  if (!good)
    refuse(lines, call.line, call.name,
           plain ? ",<hex address>,<bytes>" : ",<hex address>,<bytes>[,<stream>]");
  made.before_kernel = launches_;
  copies_.push_back(made);
}

/// False if it orders nothing.
bool LaunchOrder::order(const LineReader& lines, const Call& call) {
  std::uint64_t first = 0, second = 0;
  const std::size_t count = call.operands.size();
  const bool has_first = count > 0 && read_handle(call.operands[0], first);
  const bool has_second = count > 1 && read_handle(call.operands[1], second);
  if (starts_with(call.kind, "EventRecord")) {
    if (!has_first || (count > 1 && !has_second)) refuse(lines, call.line, call.name, ",<event>,<stream>");
    record(lines, first, second);
  } else if (call.kind == "StreamWaitEvent") {
    if (!has_first || !has_second) refuse(lines, call.line, call.name, ",<stream>,<event>");
    const auto event = events_.find(second);
    if (event != events_.end())
      merge(waits_[first], event->second);
    else  // as in CUDA, that does not wait
      early_[second].emplace(first, lines.line_number());
  } else if (call.kind == "StreamSynchronize") {
    if (!has_first) refuse(lines, call.line, call.name, ",<stream>");
    host_waits_for(over(first));
  } else if (call.kind == "EventSynchronize") {
    if (!has_first) refuse(lines, call.line, call.name, ",<event>");
    if (const auto event = events_.find(first); event != events_.end()) host_waits_for(event->second);
  } else if (call.kind == "DeviceSynchronize" || call.kind == "CtxSynchronize" ||
             call.kind == "ThreadSynchronize") {
    host_waits_for(last_);
  } else if (starts_with(call.kind, "StreamCreateWith") && has_first && has_second) {
    std::int32_t priority = 0;
    if (count > 2 && (!read_number(call.operands[2], priority) || priority < -1000 || priority > 1000))
      refuse(lines, call.line, call.name, ",<stream>,<flags>,<priority from -1000 to 1000>");
    priorities_[first] = -priority;  // in CUDA the smaller number has priority
    if ((second & 1) != 0)
      non_blocking_.insert(first);
    else
      non_blocking_.erase(first);
  } else {
    if (call.kind == "StreamCreate" && has_first) {  // perhaps the handle of a destroyed stream
      priorities_.erase(first);
      non_blocking_.erase(first);
    }
    return false;
  }
  return true;
}

void LaunchOrder::record(const LineReader& lines, std::uint64_t event, std::uint64_t stream) {
  if (const auto waits = early_.find(event); waits != early_.end()) {
    if (const auto own = waits->second.find(stream); own != waits->second.end())
      lines.fail("stream " + std::to_string(stream) + " records event " + std::to_string(event) +
                 ", for which it waits since line " + std::to_string(own->second) +
                 ": a stream cannot wait for itself");
    early_.erase(waits);
  }
  events_[event] = over(stream);
}

LaunchOrder::Launches LaunchOrder::over(std::uint64_t stream) const {
  Launches all;
  if (const auto waits = waits_.find(stream); waits != waits_.end()) all = waits->second;
  for (const auto& [other, launch] : last_) {
    const bool of_default =
        (stream == default_stream && blocks(other)) || (other == default_stream && blocks(stream));
    if (other == stream || of_default) merge(all, Launches{{other, launch}});
  }
  return all;
}

void LaunchOrder::host_waits_for(const Launches& launches) {
  merge(host_, launches);
  ++host_waits_;
}

void LaunchOrder::launch(KernelInfo& kernel) {
  const std::uint64_t stream = kernel.stream;
  Launches before = std::move(waits_[stream]);
  waits_.erase(stream);
  std::uint64_t& seen = host_waits_seen_[stream];
  if (seen != host_waits_) merge(before, host_);
  seen = host_waits_;
  before.erase(stream);  // ordered anyway
  kernel.after.clear();
  for (const auto& [other, launch] : before) kernel.after.push_back(launch);
  std::sort(kernel.after.begin(), kernel.after.end());
  if (const auto priority = priorities_.find(stream); priority != priorities_.end())
    kernel.priority = priority->second;
  if (!blocks(stream)) kernel.stream |= non_blocking_stream;
  last_[stream] = launches_++;
}

std::vector<std::string> LaunchOrder::notes() const {
  std::vector<std::string> lines;
  if (!without_effect_.empty())
    lines.push_back("lines passed over, which change nothing: " + counted(without_effect_));
  if (!with_traffic_.empty())
    lines.push_back("lines passed over, although they move data on the device: " + counted(with_traffic_));
  std::uint64_t waits = 0;
  for (const auto& [event, of_streams] : early_) waits += of_streams.size();
  if (waits != 0)
    lines.push_back("waits for events that no line before records, which wait for nothing: " +
                    std::to_string(waits));
  return lines;
}

std::vector<std::string> LaunchOrder::names() {
  std::vector<std::string> all = {"MemcpyHtoD", "MemcpyDtoH", "MemcpyDtoD", "cudaMemcpyAsyncHtoD"};
  const auto add = [&all](std::string_view name) { all.push_back("cuda" + std::string(name)); };
  for (const std::string_view name : ordering) add(name);
  for (const std::string_view name : with_traffic) add(name);
  for (const std::string_view name : without_effect) add(name);
  return all;
}

}  // namespace strata::traces
