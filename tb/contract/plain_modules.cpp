#include "tb/contract/plain_modules.h"

#include <algorithm>

namespace strata::contract {
namespace {

using tlm::tlm_generic_payload;
using tlm::tlm_phase;
using tlm::tlm_sync_enum;

constexpr std::uint64_t lines = 512, line = 128;
constexpr int most_in_flight = 8;
unsigned char data[line];  // of every payload: nobody looks at it

sc_core::sc_time nanoseconds(std::uint64_t count) {
  return {static_cast<double>(count), sc_core::SC_NS};
}

/// A read or a write of some bytes of a line.
void draw(tlm_generic_payload& payload, std::mt19937_64& random) {
  const std::uint64_t offset = random() % line;
  const auto length = static_cast<unsigned>(1 + random() % (line - offset));
  payload.set_command(random() % 4 == 0 ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload.set_address(random() % lines * line + offset);
  payload.set_data_ptr(data);
  payload.set_data_length(length);
  payload.set_streaming_width(length);
  payload.set_byte_enable_ptr(nullptr);
  payload.set_dmi_allowed(false);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}

}  // namespace

PayloadPool::~PayloadPool() {
  for (tlm_generic_payload* payload : free_) delete payload;
}

tlm_generic_payload& PayloadPool::make() {
  if (free_.empty()) free_.push_back(new tlm_generic_payload(this));
  tlm_generic_payload& payload = *free_.back();
  free_.pop_back();
  ++in_use_;
  payload.acquire();
  return payload;
}

void PayloadPool::free(tlm_generic_payload* payload) {
  payload->reset();
  free_.push_back(payload);
  --in_use_;
}

PlainMaster::PlainMaster(sc_core::sc_module_name name, int requests, std::uint64_t seed)
    : sc_module(name), requests_(requests), random_(seed), arrivals_(this, &PlainMaster::arrived) {
  SC_HAS_PROCESS(PlainMaster);
  socket.register_nb_transport_bw(this, &PlainMaster::nb_transport_bw);
  SC_METHOD(send);
  sensitive << next_;
}

void PlainMaster::send() {
  if (requesting_ != nullptr || in_flight_ == most_in_flight ||
      count.requests == static_cast<std::uint64_t>(requests_))
    return;
  tlm_generic_payload& payload = pool.make();
  draw(payload, random_);
  ++count.requests;
  ++in_flight_;
  requesting_ = &payload;
  tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  const tlm_sync_enum answer = socket->nb_transport_fw(payload, phase, delay);
  if (answer == tlm::TLM_UPDATED) arrivals_.notify(payload, phase, delay);
  if (answer != tlm::TLM_COMPLETED) return;
  requesting_ = nullptr;
  finish(payload);
  next_.notify(delay + nanoseconds(1));
}

tlm_sync_enum PlainMaster::nb_transport_bw(tlm_generic_payload& payload, tlm_phase& phase,
                                           sc_core::sc_time& delay) {
  arrivals_.notify(payload, phase, delay);
  return tlm::TLM_ACCEPTED;
}

void PlainMaster::arrived(tlm_generic_payload& payload, const tlm_phase& phase) {
  if (requesting_ == &payload) {  // END_REQ, or BEGIN_RESP, which implies it
    requesting_ = nullptr;
    next_.notify(nanoseconds(1 + random_() % 4));
  }
  if (phase == tlm::BEGIN_RESP) {
    if (random_() % 3 == 0) return arrivals_.notify(payload, tlm::END_RESP, nanoseconds(random_() % 20));
  } else if (phase != tlm::END_RESP) {
    return;
  }
  tlm_phase end = tlm::END_RESP;
  sc_core::sc_time now = sc_core::SC_ZERO_TIME;
  socket->nb_transport_fw(payload, end, now);
  finish(payload);
  next_.notify(nanoseconds(1));
}

void PlainMaster::finish(tlm_generic_payload& payload) {
  ++count.answers;
  --in_flight_;
  if (!payload.is_response_ok()) ++count.errors;
  payload.release();
}

BlockingMaster::BlockingMaster(sc_core::sc_module_name name, int requests, std::uint64_t seed)
    : sc_module(name), requests_(requests), random_(seed) {
  SC_HAS_PROCESS(BlockingMaster);
  SC_THREAD(run);
}

void BlockingMaster::run() {
  sc_core::sc_time ahead = sc_core::SC_ZERO_TIME;
  for (int i = 0; i < requests_; ++i) {
    tlm_generic_payload payload;
    draw(payload, random_);
    ++count.requests;
    socket->b_transport(payload, ahead);
    ++count.answers;
    if (!payload.is_response_ok()) ++count.errors;
    if (random_() % 4 != 0) continue;
    sc_core::wait(ahead);
    ahead = sc_core::SC_ZERO_TIME;
  }
}

PlainMemory::PlainMemory(sc_core::sc_module_name name, std::uint64_t seed)
    : sc_module(name), random_(seed), arrivals_(this, &PlainMemory::arrived) {
  socket.register_nb_transport_fw(this, &PlainMemory::nb_transport_fw);
}

tlm_sync_enum PlainMemory::nb_transport_fw(tlm_generic_payload& payload, tlm_phase& phase,
                                           sc_core::sc_time& delay) {
  arrivals_.notify(payload, phase, delay);
  return tlm::TLM_ACCEPTED;
}

// END_REQ and BEGIN_RESP are what it has told itself to send.
void PlainMemory::arrived(tlm_generic_payload& payload, const tlm_phase& phase) {
  sc_core::sc_time now = sc_core::SC_ZERO_TIME;
  if (phase == tlm::BEGIN_REQ) {
    ++count.requests;
    payload.acquire();
    arrivals_.notify(payload, tlm::END_REQ, nanoseconds(random_() % 3 == 0 ? random_() % 40 : 0));
  } else if (phase == tlm::END_REQ) {
    tlm_phase end = tlm::END_REQ;
    arrivals_.notify(payload, tlm::BEGIN_RESP, nanoseconds(10 + random_() % 200));
    socket->nb_transport_bw(payload, end, now);
  } else if (phase == tlm::BEGIN_RESP) {
    ready_.push_back(&payload);
    respond();
  } else {
    responding_->release();
    responding_ = nullptr;
    respond();
  }
}

void PlainMemory::respond() {
  if (responding_ != nullptr || ready_.empty()) return;
  responding_ = ready_.front();
  ready_.pop_front();
  ++count.answers;
  responding_->set_response_status(tlm::TLM_OK_RESPONSE);
  tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  tlm_generic_payload& payload = *responding_;
  const tlm_sync_enum answer = socket->nb_transport_bw(payload, phase, delay);
  if (answer == tlm::TLM_UPDATED) arrivals_.notify(payload, tlm::END_RESP, delay);
  if (answer == tlm::TLM_COMPLETED) arrivals_.notify(payload, tlm::END_RESP, delay);
}

BlockingMemory::BlockingMemory(sc_core::sc_module_name name) : sc_module(name) {
  socket.register_b_transport(this, &BlockingMemory::b_transport);
}

void BlockingMemory::b_transport(tlm_generic_payload& payload, sc_core::sc_time& delay) {
  ++count.requests;
  ++count.answers;
  delay += nanoseconds(70);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

}  // namespace strata::contract
