#include "platforms/report/run_observer.h"

#include "platforms/report/capacity_observer.h"
#include "platforms/report/line_use_observer.h"
#include "platforms/report/replication_observer.h"
#include "platforms/report/sharing_observer.h"

namespace strata::platforms {
namespace {

template <class Observer>
std::unique_ptr<RunObserver> make(const Platform& platform) {
  return std::make_unique<Observer>(platform);
}

struct Row {
  const char* name;
  std::unique_ptr<RunObserver> (*make)(const Platform&);
  std::vector<SummaryRow> (*describe)();
};
constexpr Row rows[] = {
    {"sharing", make<SharingObserver>, describe_sharing},
    {"replication", make<ReplicationObserver>, describe_replication},
    {"lines", make<LineUseObserver>, describe_line_use},
    {"capacity", make<CapacityObserver>, describe_capacity},
};

}  // namespace

std::vector<std::string> observer_names() {
  std::vector<std::string> names;
  for (const Row& row : rows) names.emplace_back(row.name);
  return names;
}

std::unique_ptr<RunObserver> make_observer(const std::string& name, const Platform& platform) {
  for (const Row& row : rows)
    if (name == row.name) return row.make(platform);
  return nullptr;
}

std::vector<SummaryRow> describe_observers() {
  std::vector<SummaryRow> all;
  for (const Row& row : rows)
    for (SummaryRow& figure : row.describe()) all.push_back(std::move(figure));
  return all;
}

SummaryRow load_stalls(std::uint64_t cycles) {
  return observed(
      "load_stall_cycles", "cycles",
      "cycles for which warps waited for the result of a load, or for a free entry in their table "
      "of loads; counted with --by-source",
      cycles);
}

SummaryRow observed(const char* name, const char* unit, const char* sentence, std::uint64_t count) {
  SummaryRow figure;
  figure.name = name;
  figure.unit = unit;
  figure.sentence = sentence;
  figure.count = count;
  return figure;
}

}  // namespace strata::platforms
