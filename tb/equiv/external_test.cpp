// Modules of others that know one of the two interfaces, in the manner of SystemC's examples. One TEST_CASE =
// one process. 1 GHz.
#include <tlm_utils/peq_with_cb_and_phase.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "models/dram_channel/dram_channel.h"
#include "models/l1/l1.h"
#include "models/l1/l1_private.h"
#include "models/llc_slice/llc_slice.h"
#include "models/memory_controller/memory_controller.h"
#include "models/noc/router/router_stage.h"
#include "tb/support/cache_bench.h"
#include "tb/support/catch.h"
#include "tb/support/checkers.h"

using namespace strata;

namespace {

/// A memory that knows b_transport only and says what time it takes in the delay.
struct LtMemory final : sc_core::sc_module {
  explicit LtMemory(sc_core::sc_module_name name) : sc_module(name) {
    socket.register_b_transport(this, &LtMemory::b_transport);
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    ++calls;
    delay += sc_core::sc_time(70, sc_core::SC_NS);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  tlm_utils::simple_target_socket<LtMemory> socket{"socket"};
  int calls = 0;
};

/// A memory that knows the base protocol only: it takes one request after the other, 70 ns each.
struct AtMemory final : sc_core::sc_module {
  explicit AtMemory(sc_core::sc_module_name name) : sc_module(name), queue(this, &AtMemory::arrived) {
    socket.register_nb_transport_fw(this, &AtMemory::nb_transport_fw);
  }
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) {
    queue.notify(payload, phase, delay);
    return tlm::TLM_ACCEPTED;
  }
  void arrived(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase) {
    if (phase == tlm::BEGIN_REQ) {
      ++calls;
      payload.acquire();
      const sc_core::sc_time start = std::max(sc_core::sc_time_stamp(), free);
      free = start + sc_core::sc_time(70, sc_core::SC_NS);
      tlm::tlm_phase end = tlm::END_REQ;
      sc_core::sc_time now = sc_core::SC_ZERO_TIME;
      socket->nb_transport_bw(payload, end, now);
      queue.notify(payload, tlm::BEGIN_RESP, free - sc_core::sc_time_stamp());
    } else if (phase == tlm::BEGIN_RESP) {
      tlm::tlm_phase begin = tlm::BEGIN_RESP;
      sc_core::sc_time now = sc_core::SC_ZERO_TIME;
      payload.set_response_status(tlm::TLM_OK_RESPONSE);
      const tlm::tlm_sync_enum answer = socket->nb_transport_bw(payload, begin, now);
      if (answer != tlm::TLM_ACCEPTED) payload.release();
    } else {
      payload.release();
    }
  }
  tlm_utils::simple_target_socket<AtMemory> socket{"socket"};
  tlm_utils::peq_with_cb_and_phase<AtMemory> queue;
  sc_core::sc_time free;
  int calls = 0;
};

/// A master that knows b_transport only.
struct LtMaster final : sc_core::sc_module {
  SC_HAS_PROCESS(LtMaster);
  explicit LtMaster(sc_core::sc_module_name name) : sc_module(name) { SC_THREAD(run); }
  void run() {
    sc_core::sc_time local = sc_core::SC_ZERO_TIME;
    for (const sc_dt::uint64 address : {0, 32, 256, 0}) {
      unsigned char data[4] = {};
      tlm::tlm_generic_payload payload;
      payload.set_command(tlm::TLM_READ_COMMAND);
      payload.set_address(address);
      payload.set_data_ptr(data);
      payload.set_data_length(sizeof data);
      payload.set_streaming_width(sizeof data);
      const sc_core::sc_time before = sc_core::sc_time_stamp();
      socket->b_transport(payload, local);
      statuses.push_back(payload.get_response_status());
      took.push_back(static_cast<int>((sc_core::sc_time_stamp() + local - before).to_double() / 1e6));
    }
    tlm::tlm_generic_payload straddling;
    unsigned char data[8] = {};
    straddling.set_command(tlm::TLM_READ_COMMAND);
    straddling.set_address(124);
    straddling.set_data_ptr(data);
    straddling.set_data_length(sizeof data);
    straddling.set_streaming_width(sizeof data);
    socket->b_transport(straddling, local);
    statuses.push_back(straddling.get_response_status());
  }
  tlm_utils::simple_initiator_socket<LtMaster> socket{"socket"};
  std::vector<int> took;
  std::vector<tlm::tlm_response_status> statuses;
};

struct Clock {
  Clock() : clock("clock", Hertz(1'000'000'000)), map(make_address_map({})) {}
  ClockDomain clock;
  std::unique_ptr<AddressMap> map;
};

}  // namespace

TEST_CASE("an L1 between a blocking master and a blocking memory") {
  Clock c;
  LtMaster master("master");
  L1<L1Private> l1("l1", {}, BuildContext{c.clock, *c.map});
  LtMemory memory("memory");
  master.socket.bind(static_cast<tlm::tlm_target_socket<>&>(l1.sm));
  static_cast<tlm::tlm_initiator_socket<>&>(l1.noc).bind(memory.socket);
  sc_core::sc_start();
  // Miss: 1 cycle to the link, 70 in the memory, 1 to the master. Hit: 28, begun in the cycle after that of
  // the answer, which has run. Another miss; a hit.
  CHECK(master.took == std::vector<int>{72, 1 + 28, 72, 1 + 28});
  REQUIRE(master.statuses.size() == 5);
  for (int i = 0; i < 4; ++i) CHECK(master.statuses[static_cast<std::size_t>(i)] == tlm::TLM_OK_RESPONSE);
  CHECK(master.statuses[4] == tlm::TLM_OK_RESPONSE);  // over two lines: the first is there, the second is not
  CHECK(memory.calls == 3);
  CHECK(l1.check_idle().empty());
}

TEST_CASE("a memory that knows the base protocol only behind an L1") {
  Clock c;
  // The second miss waits for the memory: 70 after the first. The last access hits.
  tb::ScriptedInitiator sm(
      "sm", c.clock, {{0, AccessClass::load, 0}, {1, AccessClass::load, 128}, {400, AccessClass::load, 0}});
  L1<L1Private> l1("l1", {}, BuildContext{c.clock, *c.map});
  AtMemory memory("memory");
  tb::Checkers checkers;
  REQUIRE(checkers.bind(sm.out, l1.sm));
  static_cast<tlm::tlm_initiator_socket<>&>(l1.noc).bind(memory.socket);
  sc_core::sc_start();
  REQUIRE(sm.answered() == 3);
  CHECK(sm.answers[0].at == 72);   // sent in 1, 70 in the memory, 1 to the SM
  CHECK(sm.answers[1].at == 142);  // 70 later
  CHECK(sm.answers[2].at == 428);
  CHECK(memory.calls == 2);
  CHECK(sm.pool.in_use() == 0);
}

TEST_CASE("a blocking master in front of every block down to DRAM") {
  Clock c;
  AddressMapParams one;
  one.channels = 1;
  one.slices_per_channel = 1;
  const auto map = make_address_map(one);
  const BuildContext context{c.clock, *map};
  RouterStageParams stage;
  stage.inputs = stage.outputs = 1;
  MemoryControllerParams controller;
  controller.slices = 1;
  LtMaster master("master");
  L1<L1Private> l1("l1", {}, context);
  const auto router = make_router_stage("router", stage, context);
  LlcSlice slice("slice", {}, context);
  MemoryController mc("mc", controller, context);
  DramChannel channel("channel", {}, context);
  master.socket.bind(static_cast<tlm::tlm_target_socket<>&>(l1.sm));
  REQUIRE(l1.noc.bind_to(router->in(0)));
  REQUIRE(router->out(0).bind_to(slice.noc));
  REQUIRE(slice.mem.bind_to(mc.slice(0)));
  REQUIRE(mc.channel().bind_to(channel.controller()));
  sc_core::sc_start();
  // A miss of an idle machine: 1 to the link; 5 through the router; 120 in the slice, where the lookup comes
  // last; 1 to the controller; from the cycle after that an ACT, nRCDRD 12, nCL 12 and nBL 1: 26; 1 to the
  // reply; 5 through the router; whole with the tail of its 5 flits, 4; 1 to the master.
  REQUIRE(master.took.size() == 4);
  CHECK(master.took[0] == 1 + 5 + 120 + 1 + 26 + 1 + 5 + 4 + 1);
  CHECK(master.took[1] == 1 + 28);  // an L1 hit, begun in the cycle after that of the answer
  CHECK(master.took[3] == 1 + 28);
  for (int i = 0; i < 4; ++i) CHECK(master.statuses[static_cast<std::size_t>(i)] == tlm::TLM_OK_RESPONSE);
  CHECK(slice.state().stats().misses == 3);  // the last access goes over two lines, one of which is new

  CHECK(tb::counters(mc.stats()).at("reads_finished") == 3);
  router->settle(c.clock.now() + 1000);
  CHECK(tb::counters(router->stats()).at("requests_in") == 3);
  CHECK(tb::counters(router->stats()).at("reply_flits_out") == 15);
  for (const Block* block : {static_cast<Block*>(&l1), static_cast<Block*>(router.get()),
                             static_cast<Block*>(&slice), static_cast<Block*>(&mc)}) {
    INFO(block->name());
    CHECK(block->check_idle().empty());
    CHECK(tb::broken_laws(block->stats()).empty());
  }
}
