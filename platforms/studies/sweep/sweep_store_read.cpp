// Queries of a sweep's file, and imports from others.
#include <filesystem>
#include <iostream>

#include "models/common/faults.h"
#include "platforms/studies/sweep/sweep_store.h"

namespace strata::platforms {

void SweepStore::attach(const std::string& path) {
  Statement attach = database_.prepare("ATTACH ? AS other");
  attach.bind(path).run();
  Statement version = database_.prepare("SELECT value FROM other.meta WHERE key = 'schema_version'");
  if (!version.step() || version.text(0) != std::to_string(sweep_schema_version))
    throw ConfigError(path + ": is no sweep of this version of Strata");
}

/// Copies the rows of point `from` there to point `to` here.
void SweepStore::copy(std::int64_t from, std::int64_t to) {
  const std::string columns =
      "state, message, results, version, digest, started, cpu_seconds, wall_seconds, peak_rss_bytes, bytes";
  database_
      .prepare("UPDATE points SET (" + columns + ") = (SELECT " + columns +
               " FROM other.points WHERE id = ?) WHERE id = ?")
      .bind(from)
      .bind(to)
      .run();
  tables_->remove(to);
  for (const char* rows :
       {"INSERT INTO main.figure_values SELECT ?, n.id, v.value FROM other.figure_values v"
        " JOIN other.names o ON o.id = v.figure JOIN main.names n ON n.name = o.name WHERE v.point = ?",
        "INSERT INTO main.ledger SELECT ?, accesses, place, cause, cycles FROM other.ledger WHERE point = ?"})
    database_.prepare(rows).bind(to).bind(from).run();
}

void SweepStore::take_over(const std::string& path, const SweepPlan& plan) {
  if (const std::string damage = Database::damage_of(path); !damage.empty()) {
    std::cerr << "strata: " << path << " is damaged (" << damage << "): nothing is taken from it"
              << std::endl;
    return;
  }
  commit();  // ATTACH must be outside of transactions
  attach(path);
  begin();
  database_.run("INSERT OR IGNORE INTO main.names(name, unit) SELECT name, unit FROM other.names");
  std::map<std::string, const SweepPoint*> points;
  for (const SweepPoint& point : plan.points) points[point.name] = &point;
  {
    Statement find =
        database_.prepare("SELECT id, name, key, state FROM other.points WHERE state != 'waiting'");
    while (find.step()) {
      const auto point = points.find(find.text(1));
      if (point == points.end() || point->second->identity.key != find.text(2)) continue;
      const auto known = ids_.find(point->first);
      if (known == ids_.end() || states_[point->first] == State::done) continue;
      copy(find.whole(0), known->second);
      states_[point->first] = find.text(3) == "done" ? State::done : State::failed;
    }
  }
  commit();
  database_.run("DETACH other");
}

std::map<std::string, SweepStore::Cost> SweepStore::costs() const {
  std::map<std::string, Cost> costs;
  Statement find = database_.prepare(
      "SELECT workload, count(*), avg(cpu_seconds), avg(bytes) FROM points WHERE state = 'done' AND planned "
      "GROUP BY workload");
  while (find.step())
    costs[find.text(0)] = {static_cast<std::size_t>(find.whole(1)), find.real(2), find.real(3)};
  return costs;
}

std::map<std::string, double> SweepStore::figure(const std::string& name) const {
  std::map<std::string, double> values;
  Statement find = database_.prepare(
      "SELECT p.name, v.value FROM names n CROSS JOIN points p CROSS JOIN figure_values v "  // found by its
                                                                                             // key
      "ON v.point = p.id AND v.figure = n.id WHERE n.name = ? AND v.value IS NOT NULL");
  find.bind(name);
  while (find.step()) values[find.text(0)] = find.real(1);
  return values;
}

std::vector<std::string> SweepStore::figure_names() const {
  std::vector<std::string> names;
  Statement find = database_.prepare("SELECT name FROM names");
  while (find.step()) names.push_back(find.text(0));
  return names;
}

std::map<std::string, std::string> SweepStore::failures() const {
  std::map<std::string, std::string> failures;
  Statement find = database_.prepare("SELECT name, message FROM points WHERE state = 'failed' AND planned");
  while (find.step()) failures[find.text(0)] = find.text(1);
  return failures;
}

}  // namespace strata::platforms
