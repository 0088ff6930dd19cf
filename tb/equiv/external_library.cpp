#include "tb/equiv/external_library.h"

#include <random>

#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "models/tlm/external_module.h"

namespace strata::tb {
namespace {

/// Takes a time for each access and holds bytes; never answers request number `drop`.
struct Memory final : sc_core::sc_module {
  Memory(sc_core::sc_module_name name, const sc_core::sc_time& latency, int drop)
      : sc_module(name), latency_(latency), drop_(drop), bytes_(1 << 20) {
    socket.register_b_transport(this, &Memory::b_transport);
    socket.register_transport_dbg(this, &Memory::transport_dbg);
  }
  void b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
    if (++requests_ == drop_) sc_core::wait(never_);
    delay += latency_;
    transport_dbg(p);
    p.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& p) {
    for (unsigned i = 0; i < p.get_data_length(); ++i) {
      unsigned char& byte = bytes_[(p.get_address() + i) % bytes_.size()];
      (p.is_write() ? byte : p.get_data_ptr()[i]) = p.is_write() ? p.get_data_ptr()[i] : byte;
    }
    return p.get_data_length();
  }
  tlm_utils::simple_target_socket<Memory, 64> socket{"socket"};  // another bus width than Strata's sockets

 private:
  sc_core::sc_time latency_;
  int drop_, requests_ = 0;
  sc_core::sc_event never_;
  std::vector<unsigned char> bytes_;
};

/// Passes everything on from one socket to the other, 3 ns later.
struct Bridge final : sc_core::sc_module {
  explicit Bridge(sc_core::sc_module_name name) : sc_module(name) {
    in.register_b_transport(this, &Bridge::b_transport);
    in.register_transport_dbg(this, &Bridge::transport_dbg);
    in.register_get_direct_mem_ptr(this, &Bridge::get_direct_mem_ptr);
  }
  void b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
    delay += sc_core::sc_time(3, sc_core::SC_NS);
    out->b_transport(p, delay);
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& p) { return out->transport_dbg(p); }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& p, tlm::tlm_dmi& dmi) {
    return out->get_direct_mem_ptr(p, dmi);
  }
  tlm_utils::simple_target_socket<Bridge> in{"in"};
  tlm_utils::simple_initiator_socket<Bridge> out{"out"};
};

/// Threads that write and read a region of their own with bursts over lines, strobes and streaming, and check
/// every byte.
struct DataMaster final : sc_core::sc_module {
  SC_HAS_PROCESS(DataMaster);
  DataMaster(sc_core::sc_module_name name, int threads, int accesses) : sc_module(name), accesses_(accesses) {
    for (int t = 0; t < threads; ++t) sc_core::sc_spawn([this, t] { run(t); });
  }
  void run(int thread) {
    constexpr unsigned region = 4096;
    std::mt19937 random(static_cast<unsigned>(thread) + 7);
    const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
    std::vector<unsigned char> expected(region, 0), data(600), strobes(16);
    sc_core::sc_time delay;
    for (int n = 0; n < accesses_; ++n) {
      const unsigned length = 1 + below(600), at = below(region - length);
      const unsigned width = below(8) == 0 ? 1 + below(length) : length;
      const bool write = below(10) < 3, partial = below(2) == 0;
      for (unsigned char& byte : data) byte = static_cast<unsigned char>(random());
      for (unsigned char& byte : strobes) byte = below(2) == 0 ? TLM_BYTE_DISABLED : TLM_BYTE_ENABLED;
      const auto enabled = [&](unsigned i) { return !partial || strobes[i % strobes.size()] != 0; };
      const std::vector<unsigned char> before = data;
      tlm::tlm_generic_payload p;
      p.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
      p.set_address(static_cast<unsigned>(thread) * region + at);
      p.set_data_ptr(data.data());
      p.set_data_length(length);
      p.set_streaming_width(width);
      if (partial) {
        p.set_byte_enable_ptr(strobes.data());
        p.set_byte_enable_length(static_cast<unsigned>(strobes.size()));
      }
      socket[0]->b_transport(p, delay);
      seen.errors += p.is_response_ok() ? 0 : 1;
      tlm::tlm_dmi dmi;
      seen.dmi_granted += socket[0]->get_direct_mem_ptr(p, dmi) ? 1 : 0;
      for (unsigned i = 0; i < length; ++i) {
        unsigned char& byte = expected[at + i % width];
        if (write && enabled(i)) byte = data[i];
        if (write) continue;
        ++seen.checked_bytes;  // what is not enabled stays as it was
        seen.wrong_bytes += data[i] != (enabled(i) ? byte : before[i]) ? 1 : 0;
      }
    }
  }
  tlm_utils::multi_passthrough_initiator_socket<DataMaster> socket{"socket"};

 private:
  int accesses_;
};

/// Threads that make one load each, all at time 0, of lines 0, 1, 2, ...; says how long each took.
struct LoadMaster final : sc_core::sc_module {
  LoadMaster(sc_core::sc_module_name name, int threads)
      : sc_module(name), payloads_(static_cast<std::size_t>(threads)) {
    for (int t = 0; t < threads; ++t)
      sc_core::sc_spawn([this, t] {
        unsigned char data[4];
        tlm::tlm_generic_payload& p = payloads_[static_cast<std::size_t>(t)];
        p.set_command(tlm::TLM_READ_COMMAND);
        p.set_address(static_cast<unsigned>(t) * 128);
        p.set_data_ptr(data);
        p.set_data_length(4);
        p.set_streaming_width(4);
        sc_core::sc_time delay;
        socket->b_transport(p, delay);
        seen.took.push_back(static_cast<int>((sc_core::sc_time_stamp() + delay).to_seconds() * 1e9 + 0.5));
      });
  }
  tlm_utils::simple_initiator_socket<LoadMaster> socket{"socket"};

 private:
  std::vector<tlm::tlm_generic_payload> payloads_;  // not on the stacks: those of a hang are never unwound
};

/// Non-blocking: a write of 512 bytes from 64 on, over five lines, then a read of the same, then requests
/// that cannot be.
struct BurstMaster final : sc_core::sc_module, tlm::tlm_mm_interface {
  SC_HAS_PROCESS(BurstMaster);
  explicit BurstMaster(sc_core::sc_module_name name) : sc_module(name) {
    socket.register_nb_transport_bw(this, &BurstMaster::backward);
    SC_THREAD(run);
  }
  void free(tlm::tlm_generic_payload*) override {}
  tlm::tlm_sync_enum backward(tlm::tlm_generic_payload&, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    phases.push_back(phase);
    if (phase == tlm::BEGIN_RESP) {
      answered.notify(delay);
      return tlm::TLM_COMPLETED;
    }
    return tlm::TLM_ACCEPTED;
  }
  void access(tlm::tlm_command command, unsigned address, unsigned char* data, unsigned length,
              unsigned width) {
    tlm::tlm_generic_payload p(this);
    p.acquire();
    p.set_command(command);
    p.set_address(address);
    p.set_data_ptr(data);
    p.set_data_length(length);
    p.set_streaming_width(width);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    const tlm::tlm_sync_enum result = socket->nb_transport_fw(p, phase, delay);
    if (result == tlm::TLM_COMPLETED)
      sc_core::wait(delay);
    else
      sc_core::wait(answered);
    seen.statuses.push_back(p.get_response_status());
    sc_core::wait(sc_core::sc_time(10, sc_core::SC_NS));
    p.release();
  }
  void run() {
    std::vector<unsigned char> out(512), in(512, 0);
    for (unsigned i = 0; i < 512; ++i) out[i] = static_cast<unsigned char>(i * 7 + 1);
    access(tlm::TLM_WRITE_COMMAND, 64, out.data(), 512, 512);
    access(tlm::TLM_READ_COMMAND, 64, in.data(), 512, 512);
    seen.wrong_bytes += in == out ? 0 : 1;
    std::vector<unsigned char> huge(5000 * 128);
    access(tlm::TLM_READ_COMMAND, 0, huge.data(), 5000 * 128,
           5000 * 128);  // more lines than a request may have
    done = true;
  }
  tlm_utils::simple_initiator_socket<BurstMaster> socket{"socket"};
  std::vector<tlm::tlm_phase> phases;
  sc_core::sc_event answered;
  bool done = false;
};

// ---- their rows ----

struct MemoryRow {
  struct Params final : ExternalParams {
    int latency = 70, ports = 1, drop = 0;
    void for_each_param(ParamVisitor& v) override {
      v.integer({"latency", "ns", "of an access"}, latency, {1, 100'000});
      v.integer({"ports", "sockets", "that the row promises"}, ports, {1, 4});
      v.integer({"drop", "", "number of the request that gets no answer"}, drop, {0, 1000});
    }
  };
  static std::vector<PortSpec> ports(const Params& p) {
    return {tlm_sockets("in", PortRole::target, p.ports, "accesses")};
  }
  static std::unique_ptr<Memory> make(const char* name, const Params& p) {
    return std::make_unique<Memory>(name, sc_core::sc_time(p.latency, sc_core::SC_NS), p.drop);
  }
  static void add_sockets(Memory& memory, ExternalSockets& sockets) { sockets.add("in", memory.socket); }
};

struct BridgeRow {
  using Params = ExternalParams;
  static std::vector<PortSpec> ports(const Params&) {
    return {tlm_sockets("in", PortRole::target, 1, "from"), tlm_sockets("out", PortRole::initiator, 1, "to")};
  }
  static std::unique_ptr<Bridge> make(const char* name, const Params&) {
    return std::make_unique<Bridge>(name);
  }
  static void add_sockets(Bridge& bridge, ExternalSockets& sockets) {
    sockets.add("in", bridge.in);
    sockets.add("out", bridge.out);
  }
};

struct MasterParams final : ExternalParams {
  int threads = 4, accesses = 100;
  void for_each_param(ParamVisitor& v) override {
    ExternalParams::for_each_param(v);
    v.integer({"threads", "threads", "that access memory"}, threads, {1, 64});
    v.integer({"accesses", "accesses", "of each"}, accesses, {1, 1'000'000});
  }
};

std::vector<PortSpec> master_ports() {
  return {tlm_sockets("out", PortRole::initiator, 1, "accesses")};
}

struct DataMasterRow {
  using Params = MasterParams;
  static std::vector<PortSpec> ports(const Params&) { return master_ports(); }
  static std::unique_ptr<DataMaster> make(const char* name, const Params& p) {
    return std::make_unique<DataMaster>(name, p.threads, p.accesses);
  }
  static void add_sockets(DataMaster& master, ExternalSockets& sockets) { sockets.add("out", master.socket); }
};

struct LoadMasterRow {
  using Params = MasterParams;
  static std::vector<PortSpec> ports(const Params&) { return master_ports(); }
  static std::unique_ptr<LoadMaster> make(const char* name, const Params& p) {
    return std::make_unique<LoadMaster>(name, p.threads);
  }
  static void add_sockets(LoadMaster& master, ExternalSockets& sockets) { sockets.add("out", master.socket); }
};

struct BurstMasterRow {
  using Params = ExternalParams;
  static std::vector<PortSpec> ports(const Params&) { return master_ports(); }
  static std::unique_ptr<BurstMaster> make(const char* name, const Params&) {
    return std::make_unique<BurstMaster>(name);
  }
  static void add_sockets(BurstMaster& master, ExternalSockets& sockets) {
    sockets.add("out", master.socket);
  }
  static bool done(const BurstMaster& master) { return master.done; }
};

}  // namespace

ExternalSeen seen;

const platforms::ModuleTable& external_modules() {
  static const ModuleKind kinds[] = {external_kind<MemoryRow>("their_memory", "a memory"),
                                     external_kind<BridgeRow>("their_bridge", "a bridge"),
                                     external_kind<DataMasterRow>("data_master", "checks data"),
                                     external_kind<LoadMasterRow>("load_master", "loads lines"),
                                     external_kind<BurstMasterRow>("burst_master", "bursts")};
  static const platforms::ModuleTable table = [] {
    platforms::ModuleTable rows = platforms::built_in_modules();
    for (const ModuleKind& kind : kinds) rows.push_back(&kind);
    return rows;
  }();
  return table;
}

}  // namespace strata::tb
