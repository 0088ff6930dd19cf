#include "platforms/studies/reproduce/reproduction.h"

#include <filesystem>

#include "models/common/faults.h"
#include "models/io/draft.h"
#include "platforms/engine/pool/folder_claim.h"
#include "platforms/engine/pool/run_pool.h"
#include "platforms/engine/session/exit_codes.h"
#include "platforms/engine/session/interrupt_watch.h"
#include "platforms/studies/reproduce/bar_chart.h"
#include "platforms/studies/reproduce/costs.h"
#include "platforms/studies/reproduce/page.h"
#include "platforms/studies/reproduce/sheet.h"

namespace strata::platforms {
namespace {

namespace fs = std::filesystem;

void make_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw ConfigError("cannot write to '" + path + "': " + error.message());
}

constexpr std::uintmax_t bytes_per_run = 600 * 1024;  // size of results, a few hundred kB

void draw(const Paper& paper, const std::string& folder, Measurements& measurements, Findings& findings) {
  for (const Chart& chart : paper.charts) {
    if (!measurements.plan().shows(chart.figures)) continue;
    const auto bars = bars_of(chart, measurements, findings.claims);
    if (!bars) continue;
    const std::string name = paper.name + "/" + chart.name + ".svg";
    make_folder(folder + "/" + paper.name);
    write_file(folder + "/" + name, to_svg(*bars));
    findings.charts.emplace_back(&chart, name);
  }
}

bool any_order_of(const RunPlan& plan, const Paper& paper, const Claim& claim) {
  for (const Order& order : paper.orders)
    if (plan.shows(order.figures))
      for (const std::string& name : order.claims)
        if (name == claim.name) return true;
  return false;
}

Findings findings_of(const Paper& paper, const ReproductionOptions& options, Measurements& measurements) {
  Findings findings;
  const RunPlan& plan = measurements.plan();
  findings.command = options.command;
  findings.effort = options.selection.effort == Effort::quick ? "quick" : "full";
  for (const Claim& claim : paper.claims)
    if (plan.shows(claim.figures) || any_order_of(plan, paper, claim))
      findings.claims.push_back(judge(claim, measurements));
  trace_to_constants(findings.claims, measurements);
  for (const Order& order : paper.orders)
    if (plan.shows(order.figures)) findings.orders.push_back(judge(order, findings.claims, measurements));
  for (const Decision& decision : paper.decisions)
    if (plan.shows(decision.figures)) findings.decisions.push_back(judge(decision, measurements));
  if (plan.shows_sheet()) findings.sheet = sheet_of(measurements);
  return findings;
}

}  // namespace

ReproductionOutcome reproduce(const Paper& paper, const ReproductionOptions& options) {
  const RunPlan plan(paper, options.selection, program_identity(options.program));
  const std::string runs = options.out + "/runs";
  make_folder(runs);
  check_space(runs, plan.runs().size(), bytes_per_run);
  const std::string folder = options.docs.empty() ? options.out : options.docs;
  make_folder(folder);
  const InterruptWatch interrupts;  // until the page is written
  const FolderClaim claim(options.out, options.progress);
  if (!claim.held()) return {"interrupted while another strata was at work here\n", "", exit_interrupted};
  const bool resume =
      options.resume || claim.waited();  // reuse the runs that another process has just simulated
  const PoolOutcome pool =
      simulate_runs(plan.jobs(), {runs, options.program, options.jobs, resume, options.progress, {}});
  Measurements measurements(paper, plan, runs);
  Findings findings = findings_of(paper, options, measurements);
  findings.pool = pool;
  findings.processor = measurements.processor_time();
  if (options.selection.figures.empty() && !options.selection.sensitivity)
    findings.budget = paper.budget[static_cast<int>(options.selection.effort)];
  draw(paper, folder, measurements, findings);
  ReproductionOutcome outcome;
  outcome.page = folder + "/" + paper.name + ".md";
  write_file(outcome.page, page_of(findings, measurements));
  write_file(options.out + "/" + reproduction_file, findings_json(findings, measurements));
  outcome.text = console_of(findings, paper);
  if (pool.interrupted)
    outcome.exit_code = exit_interrupted;
  else if (!pool.failures.empty())
    outcome.exit_code = exit_config;
  return outcome;
}

}  // namespace strata::platforms
