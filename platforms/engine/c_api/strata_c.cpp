// The C interface: checks arguments and turns exceptions into codes. CPlatform does the work.
#include "platforms/engine/c_api/strata_c.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "models/common/faults.h"
#include "platforms/engine/c_api/c_platform.h"

using strata::ConfigError;
using strata::platforms::CPlatform;

struct strata_platform {
  CPlatform* platform = nullptr;
  bool broken = false;
  std::string error;
};

namespace {

std::string text_of(const strata::Faults& faults) {
  std::string text;
  for (const strata::Fault& fault : faults) text += (text.empty() ? "" : "\n") + to_text(fault);
  return text;
}

void copy_text(const std::string& text, char* to, std::size_t capacity) {
  if (to == nullptr || capacity == 0) return;
  const std::size_t length = std::min(text.size(), capacity - 1);
  std::memcpy(to, text.data(), length);
  to[length] = '\0';
}

int fail(strata_platform* platform, int code, std::string text) {
  platform->error = std::move(text);
  return code;
}

/// Runs `act` and returns its code. An exception becomes a code: `refused` for bad arguments, broken for
/// everything else.
template <class Act>
int guarded(strata_platform* platform, int refused, bool needs_whole, Act act) noexcept {
  if (platform == nullptr) return STRATA_BAD_ARGUMENT;
  try {
    if (platform->broken && needs_whole) return STRATA_BROKEN;
    return act(*platform->platform);
  } catch (const ConfigError& error) {
    return fail(platform, refused, text_of(error.faults()));
  } catch (const sc_core::sc_report& report) {
    platform->broken = true;
    return fail(platform, STRATA_BROKEN, std::string(report.get_msg_type()) + ": " + report.get_msg());
  } catch (const std::exception& error) {
    platform->broken = true;
    return fail(platform, STRATA_BROKEN, error.what());
  } catch (...) {
    platform->broken = true;
    return fail(platform, STRATA_BROKEN, "a model has thrown something that is no exception");
  }
}

void check_port(const CPlatform& platform, int port) {
  if (port < 0 || port >= platform.ports())
    throw ConfigError("no port " + std::to_string(port) + "; there are " + std::to_string(platform.ports()) +
                      ", counted from 0");
}

void check(const strata_request* request) {
  if (request == nullptr) throw ConfigError("push: the request is null");
  const strata_request& r = *request;
  if (r.operation > STRATA_READ_ONLY_LOAD)
    throw ConfigError("push: no operation " + std::to_string(r.operation) +
                      "; allowed: 0 load, 1 store, 2 read-only load");
  if (r.bytes == 0 || r.bytes > STRATA_MOST_BYTES ||
      r.address / STRATA_MOST_BYTES != (r.address + r.bytes - 1) / STRATA_MOST_BYTES)
    throw ConfigError("push: " + std::to_string(r.bytes) + " bytes from address " +
                      std::to_string(r.address) +
                      "; allowed: 1 to 4096 bytes that cross no multiple of 4096");
  if (r.operation == STRATA_STORE && r.data == nullptr) throw ConfigError("push: a store without data");
}

int access_memory(strata_platform* platform, int port, bool write, std::uint64_t address, std::uint8_t* data,
                  std::size_t bytes) {
  return guarded(platform, STRATA_BAD_ARGUMENT, true, [&](CPlatform& p) {
    check_port(p, port);
    if (data == nullptr && bytes != 0) throw ConfigError("peek or poke: the data is null");
    p.access_memory(port, write, address, data, bytes);
    return STRATA_OK;
  });
}

}  // namespace

int strata_open(const char* netlist, const char* const* sets, size_t set_count, strata_platform** platform,
                char* error, size_t capacity) {
  copy_text("", error, capacity);
  if (platform == nullptr) return STRATA_BAD_ARGUMENT;
  *platform = nullptr;
  const auto refuse = [&](int code, const std::string& text) {
    copy_text(text, error, capacity);
    return code;
  };
  try {
    if (netlist == nullptr || (sets == nullptr && set_count != 0))
      return refuse(STRATA_BAD_ARGUMENT, "open: the netlist or the settings are null");
    const std::string late = strata::platforms::why_no_more_platforms();
    if (!late.empty()) return refuse(STRATA_TOO_LATE, late);
    auto opened = std::make_unique<strata_platform>();
    opened->platform = new CPlatform(netlist, std::vector<std::string>(sets, sets + set_count));
    *platform = opened.release();
    return STRATA_OK;
  } catch (const ConfigError& fault) {
    return refuse(STRATA_BAD_NETLIST, text_of(fault.faults()));
  } catch (const std::exception& fault) {
    return refuse(STRATA_BAD_NETLIST, fault.what());
  } catch (...) {
    return refuse(STRATA_BAD_NETLIST, "a model has thrown something that is no exception");
  }
}

void strata_close(strata_platform* platform) {
  delete platform;  // deletes only the handle: SystemC keeps elaborated processes until the process ends
}

const char* strata_error(const strata_platform* platform) {
  return platform == nullptr ? "the platform is null" : platform->error.c_str();
}

int strata_ports(const strata_platform* platform) {
  return platform == nullptr ? STRATA_BAD_ARGUMENT : platform->platform->ports();
}

int strata_push(strata_platform* platform, int port, const strata_request* request) {
  return guarded(platform, STRATA_BAD_ARGUMENT, true, [&](CPlatform& p) -> int {
    check_port(p, port);
    check(request);
    return p.push(port, *request) ? STRATA_OK : STRATA_NOT_NOW;
  });
}

int strata_poll(strata_platform* platform, int port, strata_reply* reply, uint8_t* data, size_t capacity) {
  return guarded(platform, STRATA_BAD_ARGUMENT, true, [&](CPlatform& p) -> int {
    check_port(p, port);
    if (reply == nullptr) throw ConfigError("poll: the reply is null");
    return p.poll(port, *reply, data, capacity) ? STRATA_OK : STRATA_NOT_NOW;
  });
}

int strata_tick(strata_platform* platform, uint64_t cycles) {
  // Test benches tick every cycle, and in most cycles nothing happens.
  if (platform != nullptr && !platform->broken && platform->platform->leap(cycles)) return STRATA_OK;
  return guarded(platform, STRATA_BAD_ARGUMENT, true, [&](CPlatform& p) {
    p.tick(cycles);
    return STRATA_OK;
  });
}

uint64_t strata_now(const strata_platform* platform) {
  return platform == nullptr ? 0 : platform->platform->now();
}

uint64_t strata_next(const strata_platform* platform) {
  std::uint64_t next = UINT64_MAX;
  guarded(const_cast<strata_platform*>(platform), STRATA_BAD_ARGUMENT, true, [&](CPlatform& p) {
    next = p.next();
    return STRATA_OK;
  });
  return next;
}

int strata_edge(strata_platform* platform, const char* clock, uint64_t cycle, uint64_t* femtoseconds) {
  return guarded(platform, STRATA_UNKNOWN, true, [&](CPlatform& p) -> int {
    if (clock == nullptr || femtoseconds == nullptr)
      return fail(platform, STRATA_BAD_ARGUMENT, "edge: a pointer is null");
    *femtoseconds = p.clock(clock).edge(cycle);
    return STRATA_OK;
  });
}

int strata_next_edge(strata_platform* platform, const char* clock, uint64_t* cycle) {
  return guarded(platform, STRATA_UNKNOWN, true, [&](CPlatform& p) -> int {
    if (clock == nullptr || cycle == nullptr)
      return fail(platform, STRATA_BAD_ARGUMENT, "next_edge: a pointer is null");
    *cycle = p.next_edge(clock);
    return STRATA_OK;
  });
}

int strata_peek(strata_platform* platform, int port, uint64_t address, void* data, size_t bytes) {
  return access_memory(platform, port, false, address, static_cast<std::uint8_t*>(data), bytes);
}

int strata_poke(strata_platform* platform, int port, uint64_t address, const void* data, size_t bytes) {
  // A payload has one pointer for both directions; a write only reads through it.
  return access_memory(platform, port, true, address, static_cast<std::uint8_t*>(const_cast<void*>(data)),
                       bytes);
}

int strata_statistic(strata_platform* platform, const char* instance, const char* counter, uint64_t* value) {
  return guarded(platform, STRATA_UNKNOWN, false, [&](CPlatform& p) -> int {
    if (instance == nullptr || counter == nullptr || value == nullptr)
      return fail(platform, STRATA_BAD_ARGUMENT, "statistic: a pointer is null");
    *value = p.statistic(instance, counter);
    return STRATA_OK;
  });
}

int strata_digest(strata_platform* platform, char digest[17]) {
  return guarded(platform, STRATA_BAD_ARGUMENT, false, [&](CPlatform& p) {
    if (digest == nullptr) throw ConfigError("digest: the text is null");
    copy_text(p.digest(), digest, 17);
    return STRATA_OK;
  });
}

int strata_finish(strata_platform* platform) {
  return guarded(platform, STRATA_UNFINISHED, true, [&](CPlatform& p) {
    const strata::Faults faults = p.faults();
    if (!faults.empty()) throw ConfigError(faults);
    return STRATA_OK;
  });
}

/// libsystemc refers to sc_main for programs that SystemC starts; this library never calls it.
[[gnu::weak]] int sc_main(int, char*[]) {
  return 1;
}
