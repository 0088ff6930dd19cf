// The program: which modules, in which timings, and what is said of them.
#include <boost/program_options.hpp>
#include <fstream>
#include <iostream>

#include "platforms/engine/netlist/catalog.h"
#include "tb/contract/contract.h"

namespace strata::contract {
namespace {

namespace po = boost::program_options;

constexpr std::size_t findings_shown = 20;

struct Options {
  std::vector<std::string> modules;
  std::string tests_file, tests_options;
  Budget budget;
};

/// True when nothing is wrong.
bool report(const ModuleKind& kind, const Verdict& verdict) {
  std::cout << kind.name << ": " << verdict.runs << " runs (" << verdict.refused << " refused), "
            << verdict.values << " values of parameters, " << verdict.findings.size() << " findings"
            << std::endl;
  std::size_t shown = 0;
  for (const Finding& finding : verdict.findings)
    if (shown++ < findings_shown) std::cout << "  " << finding.check << ": " << finding.text << "\n";
  if (shown > findings_shown) std::cout << "  and " << shown - findings_shown << " more\n";
  return verdict.findings.empty();
}

/// A script for CTest: a test for each module.
int write_tests(const char* program, const Options& options, const ModuleTable& modules) {
  std::ofstream file(options.tests_file);
  for (const ModuleKind* kind : modules) {
    const std::string test = "contract." + std::string(kind->name);
    file << "add_test(" << test << " [==[" << program << "]==] " << kind->name << " " << options.tests_options
         << ")\n";
    file << "set_tests_properties(" << test
         << " PROPERTIES LABELS contract TIMEOUT 600 WORKING_DIRECTORY \"${contract_folder}\")\n";
  }
  return file.flush() ? 0 : 1;
}

bool read_options(int argc, char** argv, Options& options) {
  po::options_description known("strata_contract [MODULE ...]: what every module must do; options");
  known.add_options()("help", "this text")("module", po::value(&options.modules),
                                           "modules; all when none is named")(
      "drawn", po::value(&options.budget.drawn), "machines drawn at random for each module (40)")(
      "seed", po::value(&options.budget.seed), "of what is drawn (1)")(
      "docs", po::value(&options.budget.docs), "folder of pages; each module's table must be on one")(
      "write-tests", po::value(&options.tests_file), "only write a test for each module to this file")(
      "tests-options", po::value(&options.tests_options), "further options of these tests");
  po::positional_options_description names;
  names.add("module", -1);
  po::variables_map given;
  po::store(po::command_line_parser(argc, argv).options(known).positional(names).run(), given);
  po::notify(given);
  if (given.count("help") != 0) std::cout << known;
  return given.count("help") == 0;
}

}  // namespace

int contract_main(int argc, char** argv, const ModuleTable& modules) {
  try {
    Options options;
    if (!read_options(argc, argv, options)) return 0;
    if (!options.tests_file.empty()) return write_tests(argv[0], options, modules);
    ModuleTable chosen;
    for (const std::string& name : options.modules)
      chosen.push_back(&platforms::require_module(name, modules));
    bool sound = true;
    for (const ModuleKind* kind : chosen.empty() ? modules : chosen)
      sound = report(*kind, check_contract(*kind, modules, options.budget)) && sound;
    return sound ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "strata_contract: " << error.what() << "\n";
    return 2;
  }
}

}  // namespace strata::contract
