// The `strata` program. One file per verb; this file picks the verb and turns exceptions into exit codes.
#include "platforms/cli/program.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <new>

#include <systemc>

#include "models/common/faults.h"
#include "models/common/text.h"
#include "platforms/cli/arguments.h"
#include "platforms/engine/session/exit_codes.h"
#include "platforms/engine/session/process_usage.h"

namespace strata::cli {

// Each in verb_NAME.cpp.
int run_app(const std::vector<std::string>& arguments);
int run_area(const std::vector<std::string>& arguments);
int run_compare(const std::vector<std::string>& arguments);
int run_dram(const std::vector<std::string>& arguments);
int run_energy(const std::vector<std::string>& arguments);
int run_explain(const std::vector<std::string>& arguments);
int run_headroom(const std::vector<std::string>& arguments);
int run_interference(const std::vector<std::string>& arguments);
int run_multi(const std::vector<std::string>& arguments);
int run_modules(const std::vector<std::string>& arguments);
int run_netlist(const std::vector<std::string>& arguments);
int run_new_plugin(const std::vector<std::string>& arguments);
int run_noc(const std::vector<std::string>& arguments);
int run_platforms(const std::vector<std::string>& arguments);
int run_probe(const std::vector<std::string>& arguments);
int run_ptx(const std::vector<std::string>& arguments);
int run_report(const std::vector<std::string>& arguments);
int run_reproduce(const std::vector<std::string>& arguments);
int run_run(const std::vector<std::string>& arguments);
int run_sweep(const std::vector<std::string>& arguments);
int run_trace(const std::vector<std::string>& arguments);
int run_workloads(const std::vector<std::string>& arguments);

namespace {

constexpr Verb verbs[] = {
    {"app", "run a CUDA program without a GPU, and record or simulate its kernels", run_app},
    {"run", "simulate a trace on a platform and write the results", run_run},
    {"multi", "simulate several programs side by side and alone: slowdowns and system throughput", run_multi},
    {"sweep", "run many configurations, workloads and seeds, and keep all figures in one file", run_sweep},
    {"compare", "show results side by side", run_compare},
    {"report", "make a page that shows results: machine, latency, roofline, time, energy", run_report},
    {"reproduce", "run the workloads behind a paper's claims and compare each claim", run_reproduce},
    {"energy", "show the energy of runs in joules, by block and part", run_energy},
    {"area", "show the area of a platform in mm2, by block and part", run_area},
    {"explain", "explain a figure, counter, parameter, module or instance", run_explain},
    {"headroom", "replay a run's LLC lookups offline: the upper bound of the gain", run_headroom},
    {"interference", "assign the LLC misses of several programs to their aggressors", run_interference},
    {"netlist", "check, print or draw a platform", run_netlist},
    {"dram", "replay a list of DRAM requests through the memory controller", run_dram},
    {"noc", "drive a network of router stages alone: latency and throughput", run_noc},
    {"probe", "measure latencies, bandwidths and issue rates of a platform beside their peaks", run_probe},
    {"platforms", "list the platforms: SMs, capacities, bandwidths", run_platforms},
    {"workloads", "list the workloads: what they compute, and how large they are", run_workloads},
    {"modules", "list modules with their sockets, parameters and counters", run_modules},
    {"new-plugin", "write a plug-in that builds and passes its test: a policy, a module, a trace",
     run_new_plugin},
    {"ptx", "say which data of a kernel nothing writes, and mark its loads", run_ptx},
    {"trace", "convert, measure or check traces", run_trace},
};

void print_help() {
  std::cout
      << "strata: SystemC/TLM-2.0 virtual platform of GPU memory hierarchies\n\nusage: strata VERB ...\n\n";
  for (const Verb& verb : verbs) {
    std::string name = verb.name;
    name.resize(13, ' ');
    std::cout << "  " << name << verb.summary << "\n";
  }
  std::cout << "\nstrata VERB --help shows its options; strata --version prints the version.\n"
               "exit codes: 0 done, 1 usage or configuration, 2 trace, 3 deadlock, 4 internal error, "
               "130 interrupted\n\n"
               "examples:\n"
               "  strata run tiny --trace synthetic:random:footprint=1MiB\n"
               "  strata compare results/a results/b\n";
}

int dispatch(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    print_help();
    return platforms::exit_config;
  }
  const std::string& name = arguments.front();
  if (name == "--help" || name == "-h" || name == "help") {
    print_help();
    return platforms::exit_ok;
  }
  if (name == "--version") {
    std::cout << "strata " STRATA_VERSION "\n";
    return platforms::exit_ok;
  }
  std::vector<std::string> names;
  for (const Verb& verb : verbs) {
    if (name == verb.name) return verb.run({arguments.begin() + 1, arguments.end()});
    names.emplace_back(verb.name);
  }
  throw ConfigError("no verb '" + name + "'" + suggestion(name, names) + "; see strata --help");
}

/// Exit code of a failed program, with one clear message for each kind of failure.
int guarded(const std::vector<std::string>& arguments) {
  try {
    const int code = dispatch(arguments);
    errno = 0;
    if (std::cout.flush()) return code;
    std::cerr << "strata: cannot write to the standard output" << (errno != 0 ? ": " : "")
              << (errno != 0 ? std::strerror(errno) : "") << "\n";
    return code != platforms::exit_ok ? code : platforms::exit_config;
  } catch (const ConfigError& error) {
    std::cout.flush();
    for (const Fault& fault : error.faults()) std::cerr << "strata: " << to_text(fault) << "\n";
    return platforms::exit_config;
  } catch (const TraceError& error) {
    std::cout.flush();
    std::cerr << "strata: " << error.what() << "\n";
    return platforms::exit_trace;
  } catch (const OutOfMemory& error) {
    std::cout.flush();
    std::cerr << "strata: " << printable(error.what()) << "\n";
    return platforms::exit_internal;
  } catch (const std::bad_alloc&) {
    std::cout.flush();
    std::cerr << "strata: out of memory\n";
    return platforms::exit_internal;
  } catch (const std::exception& error) {
    std::cout.flush();
    std::cerr << "strata: internal error: " << printable(error.what()) << "\n";
    return platforms::exit_internal;
  }
}

/// SystemC fixes its resolution at the first sc_time of the process; a program that links Strata may have
/// made one before.
bool set_resolution() {
  try {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  } catch (const sc_core::sc_report&) {
    if (sc_core::sc_get_time_resolution().to_seconds() < 1.5e-15) return true;
    std::cerr << "strata: the time resolution of SystemC is " << sc_core::sc_get_time_resolution().to_string()
              << " and cannot be set to 1 fs any more: make no sc_time, nor a static one, before "
                 "run_program(), or call sc_set_time_resolution(1, SC_FS) before the first\n";
    return false;
  }
  return true;
}

std::atomic<void*> reserve{nullptr};

/// Destructors of JSON trees allocate, and must not throw while a std::bad_alloc propagates: this reserve
/// gives them memory.
void keep_reserve() {
  reserve = std::malloc(std::size_t{1} << 20);
  std::set_new_handler([] {
    std::free(reserve.exchange(nullptr));
    throw std::bad_alloc();
  });
}

}  // namespace
}  // namespace strata::cli

int sc_main(int argc, char* argv[]) {
  if (!strata::cli::set_resolution()) return strata::platforms::exit_config;
  return strata::cli::guarded({argv + 1, argv + argc});
}

namespace strata::cli {

// SystemC prints a banner before sc_main unless this is set.
int run_program(int argc, char* argv[]) {
  platforms::use_large_heap_pages();
  keep_reserve();
  ::signal(SIGXFSZ,
           SIG_IGN);  // turns an exceeded file size limit into an error of write(), which can be reported
  ::setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  return sc_core::sc_elab_and_sim(argc, argv);
}

}  // namespace strata::cli
