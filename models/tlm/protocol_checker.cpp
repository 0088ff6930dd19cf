#include "models/tlm/protocol_checker.h"

#include <sstream>

#include "models/common/named.h"
#include "models/common/text.h"

namespace strata {
namespace {

using sc_core::sc_time;
using tlm::tlm_sync_enum;

struct RuleText {
  ProtocolRule value;
  std::string_view name;
  const char* clause;
};

constexpr RuleText rules[] = {
    {ProtocolRule::phase_order, "phases of a transaction come in order, each from its own side", "15.2.3"},
    {ProtocolRule::request_exclusion, "a request begins only after the previous one has ended", "15.2.6"},
    {ProtocolRule::response_exclusion, "a response begins only after the previous one has ended", "15.2.6"},
    {ProtocolRule::return_value, "the return value and its phase must be allowed for the phase of the call",
     "15.2.4"},
    {ProtocolRule::after_completion, "no phase belongs to a transaction that is over or never began",
     "15.2.3"},
    {ProtocolRule::timing, "times of phases never run backwards", "11.1.3"},
    {ProtocolRule::attribute, "attributes are sensible and keep their values", "14.7"},
    {ProtocolRule::response_status, "the response status is INCOMPLETE at first and set with the response",
     "14.17"},
    {ProtocolRule::dmi_hint, "the DMI hint is false at first", "14.16"},
    {ProtocolRule::memory_manager, "a payload has a memory manager and a reference", "14.5"},
    {ProtocolRule::reuse, "a payload is part of one transaction at a time", "14.5"},
    {ProtocolRule::unfinished, "every transaction ends", "15.2.3"},
};
static_assert(names_all(rules, ProtocolRule::unfinished));

constexpr std::uint64_t slack = 2;

std::uint64_t time_of(const sc_time& delay) {
  return sc_core::sc_time_stamp().value() + delay.value();
}

std::string text_of(const tlm::tlm_phase& phase) {
  std::ostringstream text;
  text << phase;
  return text.str();
}

std::string text_of(tlm_sync_enum result) {
  switch (result) {
    case tlm::TLM_ACCEPTED:
      return "TLM_ACCEPTED";
    case tlm::TLM_UPDATED:
      return "TLM_UPDATED";
    case tlm::TLM_COMPLETED:
      return "TLM_COMPLETED";
  }
  return "no tlm_sync_enum";
}

std::string text_of_time(std::uint64_t time) {
  return sc_time::from_value(time).to_string();
}

}  // namespace

std::string to_text(ProtocolRule rule) {
  return std::string(row_of_value(rules, rule).name);
}
std::string clause(ProtocolRule rule) {
  return std::string("IEEE 1666-2011, ") + row_of_value(rules, rule).clause;
}

ProtocolChecker::ProtocolChecker(sc_core::sc_module_name name)
    : sc_module(name), target("target"), initiator("initiator"), route_(this->name()) {
  target.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
  initiator.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
}

ProtocolChecker::~ProtocolChecker() = default;

void ProtocolChecker::insert(tlm::tlm_initiator_socket<>& from, tlm::tlm_target_socket<>& to) {
  from.bind(target);
  initiator.bind(to);
  route_ = std::string(from.name()) + " -> " + to.name();
}

// ---- the calls, passed on as they come ----

template <bool forward>
tlm_sync_enum ProtocolChecker::watched(Payload& payload, Phase& phase, sc_time& delay) {
  const auto checked = [&] {
    return forward ? check_fw(payload, phase, delay) : check_bw(payload, phase, delay);
  };
  if (watch_ == nullptr) return checked();
  const Phase sent = phase;
  watch_->call_begins(payload, sent, delay, forward);
  const tlm_sync_enum result = checks_   ? checked()
                               : forward ? initiator->nb_transport_fw(payload, phase, delay)
                                         : target->nb_transport_bw(payload, phase, delay);
  watch_->call_ends(payload, sent, result, phase, delay, forward);
  return result;
}

tlm_sync_enum ProtocolChecker::nb_transport_fw(Payload& payload, Phase& phase, sc_time& delay) {
  return watched<true>(payload, phase, delay);
}

tlm_sync_enum ProtocolChecker::nb_transport_bw(Payload& payload, Phase& phase, sc_time& delay) {
  return watched<false>(payload, phase, delay);
}

tlm_sync_enum ProtocolChecker::check_fw(Payload& payload, Phase& phase, sc_time& delay) {
  const Phase sent = phase;
  const sc_time sent_delay = delay;
  const std::uint64_t at = time_of(delay);
  if (sent == tlm::BEGIN_REQ) {
    begin_request(payload, at);
    const std::uint64_t serial = transactions_;
    const tlm_sync_enum result = initiator->nb_transport_fw(payload, phase, delay);
    check_returned(result, sent, phase, at, sent_delay, delay);
    after_request(payload, serial, result, phase, time_of(delay));
    return result;
  }
  if (sent == tlm::END_RESP) {
    end_response(payload, at);
  } else if (sent <= tlm::END_RESP) {
    violate(ProtocolRule::phase_order, text_of(sent) + " on the forward path");
  }
  const tlm_sync_enum result = initiator->nb_transport_fw(payload, phase, delay);
  check_returned(result, sent, phase, at, sent_delay, delay);
  if (sent == tlm::END_RESP && result == tlm::TLM_UPDATED)
    violate(ProtocolRule::return_value, "TLM_UPDATED with " + text_of(phase) + " for END_RESP");
  return result;
}

tlm_sync_enum ProtocolChecker::check_bw(Payload& payload, Phase& phase, sc_time& delay) {
  const Phase sent = phase;
  const sc_time sent_delay = delay;
  const std::uint64_t at = time_of(delay);
  Transaction* transaction = find(payload);
  std::uint64_t serial = 0;
  if (transaction != nullptr && sent <= tlm::END_RESP) {
    serial = transaction->serial;
    check_unchanged(payload, *transaction);
    advance(*transaction, at, sent.get_name());
    if (sent == tlm::END_REQ)
      end_request(payload, *transaction, at);
    else if (sent == tlm::BEGIN_RESP)
      begin_response(payload, *transaction, at);
    else
      violate(ProtocolRule::phase_order, text_of(sent) + " on the backward path");
  } else if (sent <= tlm::END_RESP) {
    violate(ProtocolRule::after_completion, text_of(sent) + " on the backward path");
  }
  const tlm_sync_enum result = target->nb_transport_bw(payload, phase, delay);
  check_returned(result, sent, phase, at, sent_delay, delay);
  if (sent == tlm::END_REQ && result != tlm::TLM_ACCEPTED)
    violate(ProtocolRule::return_value, text_of(result) + " for END_REQ; only TLM_ACCEPTED is allowed");
  if (sent == tlm::BEGIN_RESP && serial != 0) after_response(payload, serial, result, phase, time_of(delay));
  return result;
}

void ProtocolChecker::b_transport(Payload& payload, sc_time& delay) {
  if (!checks_) return initiator->b_transport(payload, delay);
  const std::uint64_t at = time_of(delay);
  check_start(payload, true);
  open(payload, Stage::blocking, at);
  const std::uint64_t serial = transactions_;
  initiator->b_transport(payload, delay);
  Transaction* transaction = find(payload, serial);
  if (transaction == nullptr) return;  // reused meanwhile, which has been reported
  check_unchanged(payload, *transaction);
  advance(*transaction, time_of(delay), "the return of b_transport");
  if (payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE)
    violate(ProtocolRule::response_status, "b_transport returns with TLM_INCOMPLETE_RESPONSE");
  complete(payload);
}

bool ProtocolChecker::get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& dmi) {
  return initiator->get_direct_mem_ptr(payload, dmi);
}

unsigned ProtocolChecker::transport_dbg(Payload& payload) {
  return initiator->transport_dbg(payload);
}

void ProtocolChecker::invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) {
  target->invalidate_direct_mem_ptr(start, end);
}

// ---- phases ----

// What begins in a channel begins after the end of what was there before.
void ProtocolChecker::check_free(const Channel& channel, std::uint64_t at) {
  if (channel.busy == nullptr && at + slack >= channel.free_at) return;
  const bool request = &channel == &request_;
  const std::string what = request ? "request" : "response", phase = request ? "REQ" : "RESP";
  violate(request ? ProtocolRule::request_exclusion : ProtocolRule::response_exclusion,
          channel.busy != nullptr ? "BEGIN_" + phase + " while a " + what + " of address " +
                                        hex_text(open_.at(channel.busy).attributes.address) + " has not ended"
                                  : "BEGIN_" + phase + " at " + text_of_time(at) + ", before END_" + phase +
                                        " of the previous " + what + " at " + text_of_time(channel.free_at));
}

void ProtocolChecker::begin_request(const Payload& payload, std::uint64_t at) {
  check_start(payload, false);
  check_free(request_, at);
  open(payload, Stage::requested, at);
  request_.busy = &payload;
}

void ProtocolChecker::end_request(const Payload& payload, Transaction& transaction, std::uint64_t at) {
  if (transaction.stage != Stage::requested)
    return violate(ProtocolRule::phase_order, "END_REQ of a request that has ended already");
  transaction.stage = Stage::accepted;
  if (request_.busy == &payload) request_ = {nullptr, at};
}

void ProtocolChecker::begin_response(const Payload& payload, Transaction& transaction, std::uint64_t at) {
  if (transaction.stage == Stage::responding || transaction.stage == Stage::blocking)
    return violate(ProtocolRule::phase_order, transaction.stage == Stage::blocking
                                                  ? "BEGIN_RESP of a transaction of b_transport"
                                                  : "BEGIN_RESP of a response that has begun already");
  if (transaction.stage == Stage::requested) end_request(payload, transaction, at);  // implied
  check_free(response_, at);
  if (payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE)
    violate(ProtocolRule::response_status, "BEGIN_RESP with TLM_INCOMPLETE_RESPONSE");
  transaction.stage = Stage::responding;
  response_.busy = &payload;
}

void ProtocolChecker::end_response(const Payload& payload, std::uint64_t at) {
  Transaction* transaction = find(payload);
  if (transaction == nullptr) return violate(ProtocolRule::after_completion, "END_RESP on the forward path");
  if (transaction->stage != Stage::responding)
    return violate(ProtocolRule::phase_order, "END_RESP before BEGIN_RESP");
  check_unchanged(payload, *transaction);
  advance(*transaction, at, "END_RESP");
  if (response_.busy == &payload) response_ = {nullptr, at};
  complete(payload);
}

void ProtocolChecker::complete(const Payload& payload) {
  if (request_.busy == &payload) request_.busy = nullptr;
  if (response_.busy == &payload) response_.busy = nullptr;
  open_.erase(&payload);
}

// ---- returns ----

// What the target said to BEGIN_REQ. The payload is alive only while its transaction is open.
void ProtocolChecker::after_request(const Payload& payload, std::uint64_t serial, tlm_sync_enum result,
                                    const Phase& phase, std::uint64_t at) {
  if (result == tlm::TLM_ACCEPTED) return;
  Transaction* transaction = find(payload, serial);
  if (transaction == nullptr)
    return violate(ProtocolRule::after_completion,
                   text_of(result) + " for BEGIN_REQ after the transaction ended on the backward path");
  check_unchanged(payload, *transaction);
  if (result == tlm::TLM_COMPLETED) {
    advance(*transaction, at, "TLM_COMPLETED");
    if (transaction->stage == Stage::responding)
      violate(ProtocolRule::return_value,
              "TLM_COMPLETED for BEGIN_REQ after BEGIN_RESP on the backward path");
    if (payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE)
      violate(ProtocolRule::response_status, "TLM_COMPLETED with TLM_INCOMPLETE_RESPONSE");
    return complete(payload);
  }
  if (phase == tlm::END_REQ) {
    advance(*transaction, at, "END_REQ");
    end_request(payload, *transaction, at);
  } else if (phase == tlm::BEGIN_RESP) {
    advance(*transaction, at, "BEGIN_RESP");
    begin_response(payload, *transaction, at);
  } else if (phase <= tlm::END_RESP) {
    violate(ProtocolRule::return_value, "TLM_UPDATED with " + text_of(phase) + " for BEGIN_REQ");
  }
}

// What the initiator said to BEGIN_RESP; it may have freed the payload, which is no more than a key here.
void ProtocolChecker::after_response(const Payload& payload, std::uint64_t serial, tlm_sync_enum result,
                                     const Phase& phase, std::uint64_t at) {
  if (result == tlm::TLM_ACCEPTED) return;
  if (result == tlm::TLM_UPDATED && phase != tlm::END_RESP)
    return violate(ProtocolRule::return_value, "TLM_UPDATED with " + text_of(phase) + " for BEGIN_RESP");
  Transaction* transaction = find(payload, serial);
  if (transaction == nullptr)
    return violate(ProtocolRule::after_completion,
                   text_of(result) + " for BEGIN_RESP after END_RESP on the forward path");
  advance(*transaction, at, "END_RESP");
  if (response_.busy == &payload) response_ = {nullptr, at};
  complete(payload);
}

void ProtocolChecker::check_returned(tlm_sync_enum result, const Phase& sent, const Phase& phase,
                                     std::uint64_t at, const sc_time& sent_delay, const sc_time& delay) {
  if (result == tlm::TLM_ACCEPTED) {
    if (phase != sent || delay != sent_delay)
      violate(ProtocolRule::return_value,
              "TLM_ACCEPTED for " + text_of(sent) + " with another phase or delay");
  } else if (time_of(delay) < at) {
    violate(ProtocolRule::timing, text_of(result) + " for " + text_of(sent) + " at " + text_of_time(at) +
                                      " comes back with the earlier time " + text_of_time(time_of(delay)));
  }
}

// ---- payloads ----

void ProtocolChecker::check_start(const Payload& payload, bool blocking) {
  if (!blocking && (!payload.has_mm() || payload.get_ref_count() < 1))
    violate(ProtocolRule::memory_manager, payload.has_mm() ? "reference count 0" : "no memory manager");
  if (payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE)
    violate(ProtocolRule::response_status, "a transaction begins with " + payload.get_response_string());
  if (payload.is_dmi_allowed()) violate(ProtocolRule::dmi_hint, "a transaction begins with the DMI hint set");
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return;  // may go without data
  if (payload.get_data_ptr() == nullptr || payload.get_data_length() == 0)
    violate(ProtocolRule::attribute, "a read or write without data");
  if (payload.get_streaming_width() == 0) violate(ProtocolRule::attribute, "streaming width 0");
  if (payload.get_byte_enable_ptr() != nullptr && payload.get_byte_enable_length() == 0)
    violate(ProtocolRule::attribute, "byte enables of length 0");
}

void ProtocolChecker::check_unchanged(const Payload& payload, const Transaction& transaction) {
  const Attributes& was = transaction.attributes;
  const auto check = [this](bool same, const char* what) {
    if (!same) violate(ProtocolRule::attribute, std::string(what) + " changed during the transaction");
  };
  check(payload.get_command() == was.command, "command");
  check(addresses_change_ || payload.get_address() == was.address, "address");
  check(payload.get_data_ptr() == was.data, "data pointer");
  check(payload.get_data_length() == was.length, "data length");
  check(payload.get_streaming_width() == was.streaming_width, "streaming width");
  check(payload.get_byte_enable_ptr() == was.byte_enables, "byte enable pointer");
  check(payload.get_byte_enable_length() == was.byte_enable_length, "byte enable length");
}

void ProtocolChecker::advance(Transaction& transaction, std::uint64_t at, const char* phase) {
  if (at + slack < transaction.time)
    violate(ProtocolRule::timing, std::string(phase) + " at " + text_of_time(at) +
                                      ", before the previous phase at " + text_of_time(transaction.time));
  transaction.time = at;
}

ProtocolChecker::Transaction* ProtocolChecker::find(const Payload& payload, std::uint64_t serial) {
  const auto found = open_.find(&payload);
  if (found == open_.end() || (serial != 0 && found->second.serial != serial)) return nullptr;
  return &found->second;
}

ProtocolChecker::Transaction& ProtocolChecker::open(const Payload& payload, Stage stage, std::uint64_t at) {
  if (find(payload) != nullptr) {
    violate(ProtocolRule::reuse, "a payload begins a transaction while its last one is open");
    complete(payload);
  }
  ++transactions_;
  const Attributes attributes{payload.get_command(),           payload.get_address(),
                              payload.get_data_ptr(),          payload.get_data_length(),
                              payload.get_streaming_width(),   payload.get_byte_enable_ptr(),
                              payload.get_byte_enable_length()};
  return open_[&payload] = {stage, transactions_, at, attributes};
}

void ProtocolChecker::check_finished() {
  if (finish_checked_) return;
  finish_checked_ = true;
  std::map<std::uint64_t, const Transaction*> in_order;  // addresses of payloads differ from run to run
  for (const auto& [payload, transaction] : open_) in_order[transaction.serial] = &transaction;
  for (const auto& [serial, transaction] : in_order) {
    violate(ProtocolRule::unfinished,
            "the transaction to address " + hex_text(transaction->attributes.address) +
                " is still open, its last phase was at " + text_of_time(transaction->time));
  }
}

void ProtocolChecker::violate(ProtocolRule rule, const std::string& detail) {
  ++violations_;
  ++by_rule_[static_cast<std::size_t>(rule)];
  if (messages_.size() >= report_limit_) return;
  messages_.push_back(route_ + " at " + sc_core::sc_time_stamp().to_string() + ": " + detail +
                      "; rule: " + to_text(rule) + " (" + clause(rule) + ")");
  SC_REPORT_WARNING("strata/protocol", messages_.back().c_str());
}

}  // namespace strata
