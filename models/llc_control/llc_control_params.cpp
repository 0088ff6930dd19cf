#include "models/llc_control/llc_control_params.h"

#include <algorithm>

#include "models/common/text.h"
#include "models/llc_control/organization.h"
#include "models/llc_control/organization_kind.h"

namespace strata {
namespace {

std::vector<std::string> organization_names() {
  return organization_kinds().names();
}

/// "A (x), B (y), or C (z)"
std::string organization_sentences() {
  std::string text;
  for (const OrganizationKind& kind : organization_kinds()) {
    const bool last = &kind == &organization_kinds().at(organization_kinds().size() - 1);
    if (!text.empty()) text += last ? ", or " : ", ";
    text += std::string(kind.sentence) + " (" + std::string(kind.name) + ")";
  }
  return text;
}

const OrganizationKind* find_organization(std::string_view name) {
  const int place = organization_kinds().find(name);
  return place < 0 ? nullptr : &organization_kinds().at(place);
}

}  // namespace

LlcControlParams::Organization LlcControlParams::named(std::string_view name) {
  const int place = organization_kinds().find(name);
  if (place < 0)
    throw ConfigError("there is no LLC organization '" + std::string(name) + "'" +
                      suggestion(std::string(name), organization_names()));
  return static_cast<Organization>(place);
}

const OrganizationKind& LlcControlParams::kind() const {
  return organization_kinds().at(organization);
}

std::vector<const OrganizationKind*> LlcControlParams::listed() const {
  std::vector<const OrganizationKind*> all;
  if (organizations.empty()) return all;
  for (const std::string& word : split(organizations, ':'))
    if (const OrganizationKind* const kind = find_organization(word)) all.push_back(kind);
  return all;
}

std::vector<const OrganizationKind*> LlcControlParams::kinds() const {
  std::vector<const OrganizationKind*> all{&kind()};
  for (const OrganizationKind* const kind : listed())
    if (std::find(all.begin(), all.end(), kind) == all.end()) all.push_back(kind);
  return all;
}

LlcControlParams LlcControlParams::of_application(int application, int count) const {
  LlcControlParams params = *this;
  const auto all = listed();
  if (count > 1 && static_cast<std::size_t>(application) < all.size())
    params.organization = named(all[static_cast<std::size_t>(application)]->name);
  params.organizations.clear();
  return params;
}

bool LlcControlParams::changes_mode() const {
  const auto all = kinds();
  return std::any_of(all.begin(), all.end(), [](auto* kind) { return kind->changes_mode; });
}

bool LlcControlParams::replicates() const {
  const auto all = kinds();
  return std::any_of(all.begin(), all.end(), [](auto* kind) { return kind->replicates; });
}

int LlcControlParams::epoch_cycles() const {
  return epoch != 0 ? epoch : kind().epoch;
}

void LlcControlParams::for_each_param(ParamVisitor& v) {
  const std::string sentence =
      "which slice of a line's channel serves a request: " + organization_sentences();
  organization_kinds().param(v, {"organization", "", sentence}, organization);
  v.text({"organizations", "",
          "several applications: the organization of each, as in shared:private; empty = `organization` for "
          "all. A run of one application uses `organization`"},
         organizations);
  v.integer({"slices", "slices", "LLC slices under this control"}, slices, {1, 4096});
  v.integer({"routers", "routers", "router stages that may ask for the organization"}, routers, {1, 4096});
  v.integer(
      {"gates", "routers", "router stages next to the slices, bypassed and gated while the LLC is private"},
      gates, {0, 4096});
  v.integer({"clusters", "clusters", "SM clusters"}, clusters, {1, 64});
  v.integer({"degree", "copies", "static: copies that a read-only line can have; 1 is shared"}, degree,
            {1, 64});
  v.integer({"epoch", "cycles", "adaptive, selrep: length of an epoch; 0 = 1000000 or 20000, as the papers"},
            epoch, {0, 1'000'000'000});
  v.integer({"profile", "cycles", "rule paper: how long the shared LLC is watched before each decision"},
            profile, {1, 1'000'000'000});
  v.choice({"rule", "",
            "adaptive: how it decides; `paper` as printed, `windowed` by what limits each mode, and then by "
            "trying "
            "the private one"},
           rule, {{Rule::paper, "paper"}, {Rule::windowed, "windowed"}});
  v.integer(
      {"trial", "cycles",
       "windowed: how long the shared LLC is watched, and how long the private one is tried; the second "
       "halves count"},
      trial, {4, 1'000'000'000});
  v.real(
      {"margin", "percentage points",
       "adaptive: private when its predicted miss rate is at most so much above the shared one's; windowed: "
       "a tried private LLC is kept when it is at most so many percent slower"},
      margin, 0, 100);
  v.choice({"model", "",
            "selrep: how it predicts; `paper` as printed, `copies` with true tags of the copies, slice "
            "parallelism over short windows, and memory and the network's ceiling as bottlenecks"},
           model, {{Model::paper, "paper"}, {Model::copies, "copies"}});
  v.integer({"window", "cycles", "windowed, copies: length of a window of slice parallelism"}, window,
            {1, 1'000'000});
  v.integer({"atd_sets", "sets", "adaptive: sets of one slice that the auxiliary tag directory samples"},
            atd_sets, {1, 65536});
  v.integer({"rdd_sets", "sets",
             "selrep: sets that the replication degree directory samples; copies: of each slice"},
            rdd_sets, {1, 65536});
  v.integer({"counter_bits", "bits", "adaptive, selrep: width of the predictors' counters, which saturate"},
            counter_bits, {4, 32});
  v.real({"slice_bandwidth", "bytes/cycle", "adaptive, selrep: what a slice delivers at most"},
         slice_bandwidth, 0.001, 1e6);
  v.real({"memory_bandwidth", "bytes/cycle", "adaptive, selrep: what all of memory delivers at most"},
         memory_bandwidth, 0.001, 1e6);
  v.integer(
      {"memory_latency", "cycles",
       "windowed, copies: a fetch from idle memory; when fetches take more than twice as long, memory is the "
       "bottleneck"},
      memory_latency, {1, 100'000});
  v.integer({"gating", "cycles", "adaptive: time to gate the routers or to power them on"}, gating,
            {0, 100'000});
  v.integer(
      {"sharing_window", "cycles",
       "count lines by the clusters and SMs that touch them in such windows; 0 = do not (it costs time)"},
      sharing_window, {0, 1'000'000});
}

Faults LlcControlParams::validate() const {
  Faults faults;
  const std::vector<std::string> names = organization_names();
  if (!organizations.empty())
    for (const std::string& word : split(organizations, ':'))
      if (find_organization(word) == nullptr)
        faults.push_back(param_fault("organizations", "names '" + word + "'" + suggestion(word, names) +
                                                          "; allowed: " + comma_list(names) +
                                                          ", separated by ':'"));
  for (const OrganizationKind* const kind : kinds())
    for (Fault& fault : kind->faults(*this)) faults.push_back(std::move(fault));
  return faults;
}

StorageFields LlcControlParams::predictors(const AddressMap& map, std::uint64_t slice_sets,
                                           int slice_ways) const {
  LlcMachine machine;
  machine.slice.sets = slice_sets;
  machine.slice.ways = slice_ways;
  StorageFields fields;
  for (const OrganizationKind* const kind : kinds()) {
    LlcControlParams own = *this;
    own.organization = named(kind->name);
    own.organizations.clear();
    if (!own.changes_mode() && !own.replicates()) continue;  // as a run: nothing to predict
    const auto made = make_organization(own, map);
    made->attach(machine);
    for (StorageField& field : made->predictors()) fields.push_back(std::move(field));
  }
  return fields;
}

}  // namespace strata
