// Readers of netlists, tables of papers, results, lists of DRAM requests and what they refer to.
#include <fstream>

#include "models/common/gf2_matrix.h"
#include "models/common/input_file.h"
#include "models/memory_controller/replay.h"
#include "models/power/constants.h"
#include "platforms/engine/netlist/netlist.h"
#include "platforms/engine/timing_sets.h"
#include "platforms/report/compare.h"
#include "platforms/studies/reproduce/run_figures.h"
#include "tb/fuzz/parsers.h"

namespace strata::tb {
namespace {

void read_netlist(const fs::path& file) {
  platforms::Netlist::load(file.string()).resolve();
}

void read_paper(const fs::path& file) {
  const platforms::Paper paper = platforms::Paper::load(file.string());
  for (const platforms::Effort effort : {platforms::Effort::quick, platforms::Effort::full})
    platforms::at_effort(paper, effort);
}

void read_results(const fs::path& file) {
  const std::string folder = file.parent_path().string();
  platforms::compare_text({folder, folder});
  if (platforms::is_finished(folder)) platforms::read_figures(folder);
}

void read_requests(const fs::path& file) {
  static const TimingSet set = platforms::load_timing_set_file("platforms/machines/timing_sets/hbm2.yaml");
  std::ifstream in(file);
  read_request_list(in, file.string(), set);
}

void read_timing_set(const fs::path& file) {
  platforms::load_timing_set_file(file.string());
}

void read_constants(const fs::path& file) {
  power::Constants::read(read_input(file.string()), file.string());
}

void read_matrix(const fs::path& file) {
  read_pae_matrix(file.string(), 8, 16);
}

}  // namespace

std::vector<FuzzedParser> platform_parsers() {
  return {
      {"netlist", "platform.yaml", true, read_netlist},     {"paper", "paper.yaml", true, read_paper},
      {"stats", "stats.json", true, read_results},          {"requests", "requests.csv", true, read_requests},
      {"timing_set", "set.yaml", true, read_timing_set},    {"matrix", "matrix.txt", true, read_matrix},
      {"constants", "constants.yaml", true, read_constants}};
}

}  // namespace strata::tb
