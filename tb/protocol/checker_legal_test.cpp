// The checker passes every call on unchanged and raises nothing on legal traffic.
#include <random>
#include <set>

#include "tb/support/wire_bench.h"

using namespace strata;
using strata::tb::WireBench;
using tlm::tlm_generic_payload;
using tlm::tlm_phase;
using tlm::tlm_sync_enum;

DECLARE_EXTENDED_PHASE(phase_of_another_protocol);

namespace {

// Random legal traffic of every kind that the base protocol allows: ends on the return path, on the other
// path, during the call or implied; answers at once; annotated and not.
class Traffic {
 public:
  Traffic(WireBench& bench, std::uint64_t seed) : bench_(bench), random_(seed) {
    bench_.target.answer = [this](tlm_generic_payload& p, tlm_phase& phase, sc_core::sc_time& delay) {
      return phase == tlm::BEGIN_REQ ? take(p, phase, delay) : tlm_sync_enum(tlm::TLM_COMPLETED);
    };
    bench_.initiator.answer = [this](tlm_generic_payload& p, tlm_phase& phase, sc_core::sc_time& delay) {
      return phase == tlm::BEGIN_RESP ? take_response(p, phase, delay) : tlm_sync_enum(tlm::TLM_ACCEPTED);
    };
  }

  void step(bool send) {
    ++now_;
    if (requesting_ != nullptr && one_in(3)) end_request();
    if (responding_ != nullptr && one_in(2)) end_response();
    if (!waiting_.empty() && one_in(2)) begin_response();
    if (send && requesting_ == nullptr && now_ >= request_free_ && one_in(2)) begin_request();
    WireBench::pass(1);
  }
  bool quiet() const { return requesting_ == nullptr && responding_ == nullptr && waiting_.empty(); }

  std::uint64_t sent = 0;
  std::uint64_t answered = 0;
  std::set<int> ways;  // which of the ways below have been taken

 private:
  struct Waiting {
    tlm_generic_payload* payload;
    int ready;  // its END_REQ is over
  };
  bool one_in(unsigned n) { return random_() % n == 0; }

  void begin_request() {
    auto& p = bench_.read(64 * sent++);
    const tlm_sync_enum result = bench_.forward(p, tlm::BEGIN_REQ);
    if (result == tlm::TLM_ACCEPTED && requesting_at_once_) requesting_ = &p;
    requesting_at_once_ = false;
  }

  tlm_sync_enum take(tlm_generic_payload& p, tlm_phase& phase, sc_core::sc_time& delay) {
    const int way = static_cast<int>(random_() % 5);
    ways.insert(way);
    const int later = static_cast<int>(random_() % 4);
    if (way == 0) {  // the end comes later
      requesting_at_once_ = true;
      return tlm::TLM_ACCEPTED;
    }
    if (way == 1) {  // the end comes during the call
      bench_.backward(p, tlm::END_REQ);
      waiting_.push_back({&p, now_});
      return tlm::TLM_ACCEPTED;
    }
    if (way == 2) {
      p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      delay += sc_core::sc_time(later, sc_core::SC_NS);
      ++answered;
      return tlm::TLM_COMPLETED;
    }
    if (way == 3 && responding_ == nullptr && now_ >= response_free_) {  // the response at once
      p.set_response_status(tlm::TLM_OK_RESPONSE);
      phase = tlm::BEGIN_RESP;
      responding_ = &p;
      return tlm::TLM_UPDATED;
    }
    phase = tlm::END_REQ;
    delay += sc_core::sc_time(later, sc_core::SC_NS);
    request_free_ = now_ + later;
    waiting_.push_back({&p, now_ + later});
    return tlm::TLM_UPDATED;
  }

  void end_request() {
    if (one_in(3) && responding_ == nullptr && now_ >= response_free_) {  // implied by the response
      ways.insert(10);
      waiting_.push_front({requesting_, now_});
      requesting_ = nullptr;
      return begin_response();
    }
    const int later = static_cast<int>(random_() % 3);
    bench_.backward(*requesting_, tlm::END_REQ, later);
    request_free_ = now_ + later;
    waiting_.push_back({requesting_, now_ + later});
    requesting_ = nullptr;
  }

  void begin_response() {
    if (responding_ != nullptr || now_ < response_free_ || waiting_.front().ready > now_) return;
    tlm_generic_payload& p = *waiting_.front().payload;
    waiting_.pop_front();
    bench_.respond(p);
  }

  tlm_sync_enum take_response(tlm_generic_payload& p, tlm_phase& phase, sc_core::sc_time& delay) {
    const int way = 20 + static_cast<int>(random_() % 3);
    ways.insert(way);
    if (way == 20) {
      responding_ = &p;
      return tlm::TLM_ACCEPTED;
    }
    ++answered;
    const int later = static_cast<int>(random_() % 3);
    response_free_ = now_ + later;
    delay += sc_core::sc_time(later, sc_core::SC_NS);
    p.release();  // the initiator is done with it before it returns
    if (way == 21) return tlm::TLM_COMPLETED;
    phase = tlm::END_RESP;
    return tlm::TLM_UPDATED;
  }

  void end_response() {
    const int later = static_cast<int>(random_() % 3);
    bench_.forward(*responding_, tlm::END_RESP, later);
    response_free_ = now_ + later;
    responding_ = nullptr;
    ++answered;
  }

  WireBench& bench_;
  std::mt19937_64 random_;
  int now_ = 0;
  int request_free_ = 0;
  int response_free_ = 0;
  tlm_generic_payload* requesting_ = nullptr;
  tlm_generic_payload* responding_ = nullptr;
  bool requesting_at_once_ = false;
  std::deque<Waiting> waiting_;
};

}  // namespace

TEST_CASE("random legal traffic raises nothing") {
  const std::uint64_t seed = 20260101;
  INFO("seed " << seed);
  WireBench b;
  Traffic traffic(b, seed);
  for (int i = 0; i < 20000; ++i) traffic.step(true);
  for (int i = 0; i < 100000 && !traffic.quiet(); ++i) traffic.step(false);
  b.checker.check_finished();
  b.expect_none();
  CHECK(traffic.sent > 2000);
  CHECK(traffic.answered == traffic.sent);
  CHECK(b.checker.transactions() == traffic.sent);
  CHECK(traffic.ways == std::set<int>{0, 1, 2, 3, 4, 10, 20, 21, 22});
}

TEST_CASE("the checker passes calls on unchanged") {
  WireBench b;
  auto& p = b.read();
  std::vector<std::string> seen;
  b.target.answer = [&](tlm_generic_payload& payload, tlm_phase& phase, sc_core::sc_time& delay) {
    CHECK(&payload == &p);
    seen.push_back(std::string(phase.get_name()) + " " + delay.to_string());
    if (phase == tlm::END_RESP) return tlm::TLM_COMPLETED;
    phase = tlm::END_REQ;
    delay = sc_core::sc_time(9, sc_core::SC_NS);
    return tlm::TLM_UPDATED;
  };
  sc_core::sc_time delay(7, sc_core::SC_NS);
  tlm_phase phase = tlm::BEGIN_REQ;
  CHECK(b.initiator.socket->nb_transport_fw(p, phase, delay) == tlm::TLM_UPDATED);
  CHECK(phase == tlm::END_REQ);
  CHECK(delay == sc_core::sc_time(9, sc_core::SC_NS));
  CHECK(p.get_ref_count() == 1);
  WireBench::pass(20);
  CHECK(b.respond(p, 3) == tlm::TLM_ACCEPTED);
  CHECK(b.forward(p, tlm::END_RESP, 5) == tlm::TLM_COMPLETED);
  CHECK(seen == std::vector<std::string>{"BEGIN_REQ 7 ns", "END_RESP 5 ns"});
  b.expect_none();
}

TEST_CASE("phases of other protocols pass") {
  WireBench b;
  auto& p = b.read();
  b.forward(p, tlm::BEGIN_REQ);
  CHECK(b.forward(p, phase_of_another_protocol) ==
        tlm::TLM_ACCEPTED);  // ignorable phases, IEEE 1666-2011, 15.2.5
  CHECK(b.backward(p, phase_of_another_protocol) == tlm::TLM_ACCEPTED);
  b.expect_none();
}

TEST_CASE("debug accesses, DMI and blocking calls pass") {
  WireBench b;
  auto& p = b.read();
  CHECK(b.initiator.socket->transport_dbg(p) == 32);
  tlm::tlm_dmi dmi;
  CHECK(b.initiator.socket->get_direct_mem_ptr(p, dmi));
  b.target.socket->invalidate_direct_mem_ptr(0, 1);
  CHECK(b.target.debugs == 1);
  CHECK(b.target.dmi_requests == 1);
  CHECK(b.initiator.invalidations == 1);
  CHECK(b.checker.transactions() == 0);

  b.target.blocking = [](tlm_generic_payload& payload, sc_core::sc_time& delay) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    delay += sc_core::sc_time(12, sc_core::SC_NS);
  };
  sc_core::sc_time delay(1, sc_core::SC_NS);
  b.initiator.socket->b_transport(p, delay);
  CHECK(delay == sc_core::sc_time(13, sc_core::SC_NS));
  CHECK(b.checker.transactions() == 1);
  CHECK(b.checker.open() == 0);
  b.expect_none();
}
