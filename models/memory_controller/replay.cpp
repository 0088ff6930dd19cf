#include "models/memory_controller/replay.h"

#include <algorithm>
#include <array>
#include <istream>
#include <limits>
#include <optional>
#include <ostream>
#include <set>
#include <string_view>

#include "models/memory_controller/memory_controller_core.h"

namespace strata {
namespace {

constexpr std::string_view header = "id,arrive,type,bg,bank,row,col";
constexpr std::string_view header_of_controllers = "id,arrive,type,bg,bank,row,col,controller,address,bytes";
constexpr std::size_t columns = 7, columns_of_controllers = 10;
constexpr std::int64_t last_controller = 65535;
constexpr std::int64_t last_cycle = 1'000'000'000'000;  // a quarter of an hour: simulated time has 64 bits
constexpr std::int64_t last_column = 65535;             // the address of a place has 64 bits

class Replay {
 public:
  Replay(const MemoryControllerParams& params, const std::vector<ReplayRequest>& requests,
         const std::vector<DramRule>& rules)
      : set_(params.timing), requests_(requests), core_(params, rules) {
    result_.replies.resize(requests.size());
  }

  ReplayResult run() {
    while (accepted_ < requests_.size() || !core_.idle()) {
      const Cycle offer = next_offer();
      const Cycle action = core_.next_action();
      const Cycle now = std::min(offer, action);
      while (core_.owed() <= now) step(core_.owed());
      if (action == now) step(now);
      if (next_offer() <= now) accept(now);
    }
    result_.stats = core_.stats();
    if (!requests_.empty()) result_.total_cycles = last_data_ - requests_.front().arrive;
    return std::move(result_);
  }

 private:
  Cycle next_offer() {
    if (accepted_ == requests_.size()) return never;
    const ReplayRequest& next = requests_[accepted_];
    const Cycle offer = std::max(next.arrive, free_at_);
    return core_.has_room(next.write) ? offer : never;
  }

  void step(Cycle now) {
    std::array<IssuedCommand, 2> issued{};
    const int count = core_.advance(now, issued);
    for (int i = 0; i < count; ++i) record(issued[static_cast<std::size_t>(i)], now);
    // While the port waits for room it can be served in the cycle in which the room appears, not before.
    free_at_ = std::max(free_at_, now);
  }

  void record(const IssuedCommand& c, Cycle now) {
    const std::int64_t id =
        c.request == nullptr ? -1 : static_cast<std::int64_t>(requests_[c.request->id].id);
    const bool all = c.command == DramCommand::refab;
    result_.commands.push_back({now, c.command, all ? -1 : c.bank / set_.banks_per_group,
                                all ? -1 : c.bank % set_.banks_per_group, c.row, c.column, id});
    if (!is_column(c.command)) return;
    ReplayReply& reply = result_.replies[c.request->id];
    reply.cas_issue = static_cast<std::int64_t>(now);
    reply.data_end =
        now + static_cast<Cycle>(set_.nBL + (c.command == DramCommand::rd ? set_.nCL : set_.nCWL));
    last_data_ = std::max(last_data_, reply.data_end);
  }

  void accept(Cycle now) {
    const ReplayRequest& from = requests_[accepted_];
    DramRequest request;
    request.row = from.row;
    request.column = from.column;
    request.bank = static_cast<std::uint8_t>(from.bank_group * set_.banks_per_group + from.bank);
    request.write = from.write;
    request.id = accepted_;
    ReplayReply& reply = result_.replies[accepted_];
    reply.id = from.id;
    reply.arrive = from.arrive;
    reply.accept = now;
    if (core_.admit(request, now) == MemoryControllerCore::Admission::forwarded) {
      reply.data_end = now + 1;
      last_data_ = std::max(last_data_, reply.data_end);
    }
    ++accepted_;
    free_at_ = now + 1;
  }

  TimingSet set_;
  const std::vector<ReplayRequest>& requests_;
  MemoryControllerCore core_;
  ReplayResult result_;
  std::size_t accepted_ = 0;
  Cycle free_at_ = 0;
  Cycle last_data_ = 0;
};

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t comma = line.find(',');
    fields.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

/// Turns the lines of a request list into requests; the first fault ends it.
class RequestListReader {
 public:
  RequestListReader(std::string file, const TimingSet& set, int controller)
      : file_(std::move(file)), set_(set), wanted_(controller) {}

  void line(std::string_view text) {
    ++line_;
    if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
    if (line_ == 1) {
      of_controllers_ = text == header_of_controllers;
      if (text != header && !of_controllers_)
        refuse("the first line must read '" + std::string(header) + "', not " + shown(text));
    } else if (!text.empty()) {
      request(split(text));
    }
  }

  RequestList finish() {
    if (line_ == 0) refuse("the request list is empty");
    if (requests_.empty() && !seen_.empty())
      refuse("the request list has no requests of controller " + std::to_string(wanted_) +
             "; it has those of controller " + std::to_string(*seen_.begin()) +
             (seen_.size() > 1 ? " to " + std::to_string(*seen_.rbegin()) : ""));
    if (requests_.empty()) refuse("the request list has no requests");
    RequestList list;
    list.requests = std::move(requests_);
    if (!seen_.empty()) list.controller = wanted_;
    list.others = seen_.empty() ? 0 : static_cast<int>(seen_.size()) - 1;
    return list;
  }

 private:
  void request(const std::vector<std::string_view>& fields) {
    const std::size_t expected = of_controllers_ ? columns_of_controllers : columns;
    if (fields.size() != expected)
      refuse("expected " + std::to_string(expected) + " columns (" +
             std::string(request_list_header(of_controllers_)) + "), found " + std::to_string(fields.size()));
    if (of_controllers_ && !is_wanted(static_cast<int>(number("controller", fields[7], last_controller))))
      return;
    ReplayRequest r;
    r.id = static_cast<std::uint64_t>(number("id", fields[0], std::numeric_limits<std::int64_t>::max()));
    r.arrive = static_cast<Cycle>(number("arrive", fields[1], last_cycle));
    if (fields[2] != "R" && fields[2] != "W") refuse("type must be R or W, not " + shown(fields[2]));
    r.write = fields[2] == "W";
    r.bank_group = static_cast<int>(number("bg", fields[3], set_.bank_groups - 1));
    r.bank = static_cast<int>(number("bank", fields[4], set_.banks_per_group - 1));
    r.row = number("row", fields[5], std::numeric_limits<std::int32_t>::max());
    r.column = static_cast<int>(number("col", fields[6], last_column));
    if (!requests_.empty() && r.arrive < requests_.back().arrive)
      refuse("arrives in cycle " + std::to_string(r.arrive) + ", before the request above it (" +
             std::to_string(requests_.back().arrive) + "); the list must be sorted by arrival");
    requests_.push_back(r);
  }

  /// By default the first controller of the list is wanted.
  bool is_wanted(int controller) {
    seen_.insert(controller);
    if (wanted_ < 0) wanted_ = controller;
    return controller == wanted_;
  }

  std::int64_t number(std::string_view column, std::string_view text, std::int64_t most) {
    const std::optional<std::int64_t> value = parse_integer(text);
    if (!value || *value < 0 || *value > most)
      refuse(std::string(column) + " must be a whole number from 0 to " + std::to_string(most) +
             (column == "bg" || column == "bank" ? " with timing set " + set_.name : "") + ", not " +
             shown(text));
    return *value;
  }

  // Shortens the list for a message.
  static std::string shown(std::string_view text) {
    return "'" + std::string(text.substr(0, 60)) + (text.size() > 60 ? "...'" : "'");
  }

  [[noreturn]] void refuse(std::string message) {
    throw TraceError(Fault{{file_, line_, 0}, std::move(message)});
  }

  std::string file_;
  const TimingSet& set_;
  int wanted_;  // controller; -1: the first one
  bool of_controllers_ = false;
  std::set<int> seen_;
  int line_ = 0;
  std::vector<ReplayRequest> requests_;
};

}  // namespace

ReplayResult replay_dram(const MemoryControllerParams& params, const std::vector<ReplayRequest>& requests) {
  return replay_dram(params, requests, dram_rules(params.timing));
}

ReplayResult replay_dram(const MemoryControllerParams& params, const std::vector<ReplayRequest>& requests,
                         const std::vector<DramRule>& rules) {
  return Replay(params, requests, rules).run();
}

std::string_view request_list_header(bool of_controllers) {
  return of_controllers ? header_of_controllers : header;
}

std::vector<ReplayRequest> read_request_list(std::istream& in, const std::string& file,
                                             const TimingSet& set) {
  return read_controller_list(in, file, set).requests;
}

RequestList read_controller_list(std::istream& in, const std::string& file, const TimingSet& set,
                                 int controller) {
  RequestListReader reader(file, set, controller);
  std::string line;
  while (std::getline(in, line)) reader.line(line);
  return reader.finish();
}

void write_commands(std::ostream& out, const std::vector<ReplayCommand>& commands) {
  out << "cycle,cmd,bg,bank,row,col,req\n";
  for (const ReplayCommand& c : commands)
    out << c.cycle << ',' << to_text(c.command) << ',' << c.bank_group << ',' << c.bank << ',' << c.row << ','
        << c.column << ',' << c.request << '\n';
}

void write_replies(std::ostream& out, const std::vector<ReplayReply>& replies) {
  out << "id,arrive,accept,cas_issue,data_end,latency\n";
  for (const ReplayReply& r : replies)
    out << r.id << ',' << r.arrive << ',' << r.accept << ',' << r.cas_issue << ',' << r.data_end << ','
        << r.latency() << '\n';
}

}  // namespace strata
