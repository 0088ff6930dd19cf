#include "platforms/studies/sweep/sweep_store.h"

#include <chrono>
#include <filesystem>
#include <iostream>

#include "models/common/faults.h"
#include "models/common/text.h"

namespace strata::platforms {
namespace {

namespace fs = std::filesystem;

constexpr const char schema_name[] = "strata-sweep";
constexpr double seconds_between_commits = 2;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// The name of a column, quoted for SQL.
std::string quoted(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

std::string literal(const std::string& value) {
  std::string text = "'";
  for (const char c : value) text += c == '\'' ? std::string("''") : std::string(1, c);
  return text + "'";
}

SweepStore::State state_called(const std::string& word) {
  if (word == "done") return SweepStore::State::done;
  return word == "failed" ? SweepStore::State::failed : SweepStore::State::waiting;
}

}  // namespace

std::string SweepStore::usable(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return path;
  if (!fs::is_regular_file(path, error)) throw ConfigError(path + ": is no file; move it away");
  const std::string damage = Database::damage_of(path);
  if (damage.empty()) return path;
  std::string to = path + ".damaged";
  for (int i = 2; fs::exists(to, error); ++i) to = path + ".damaged-" + std::to_string(i);
  fs::rename(path, to, error);
  if (error)
    throw ConfigError(path + ": is damaged (" + damage + ") and cannot be moved away: " + error.message());
  std::cerr << "strata: " << path << " is damaged (" << damage << "): it is now " << to
            << ", and a new one is made from the results directories" << std::endl;
  return path;
}

SweepStore::SweepStore(const std::string& path) : database_(usable(path), true) {
  database_.run("PRAGMA synchronous=NORMAL");
  Statement tables = database_.prepare("SELECT count(*) FROM sqlite_master");
  tables.step();
  if (tables.whole(0) == 0)
    make_tables();
  else if (const std::string fault = sweep_file_fault(database_); !fault.empty())
    throw ConfigError(database_.path() + ": " + fault + "; choose another --out");
  tables_.emplace(database_);
  committed_ = now();
}

SweepStore::~SweepStore() {
  try {
    commit();
  } catch (const ConfigError&) {  // required data has been committed
  }
}

void SweepStore::make_tables() {
  database_.run(std::string("BEGIN;") + sweep_tables + "INSERT INTO meta VALUES('schema','" + schema_name +
                "'),('schema_version','" + std::to_string(sweep_schema_version) + "'); COMMIT");
}

std::string sweep_file_fault(const Database& file) {
  std::string schema, version;
  try {
    schema = sweep_meta(file, "schema");
    version = sweep_meta(file, "schema_version");
  } catch (const ConfigError&) {  // no such table
  }
  if (schema != schema_name) return "holds tables, but not those of a sweep";
  if (version == std::to_string(sweep_schema_version)) return "";
  return "schema_version: expected " + std::to_string(sweep_schema_version) + ", found " + version +
         ": written by another version of Strata";
}

std::string sweep_meta(const Database& file, const std::string& key) {
  Statement find = file.prepare("SELECT value FROM meta WHERE key = ?");
  find.bind(key);
  return find.step() ? find.text(0) : "";
}

void SweepStore::set_meta(const std::string& key, const std::string& value) {
  begin();
  database_.prepare("INSERT OR REPLACE INTO meta VALUES(?, ?)").bind(key).bind(value).run();
}

void SweepStore::begin() {
  if (!open_) database_.run("BEGIN IMMEDIATE");
  open_ = true;
}

void SweepStore::commit() {
  if (open_) database_.run("COMMIT");
  open_ = false;
  committed_ = now();
}

/// A commit costs milliseconds; data lost with a process is collected again.
void SweepStore::touched() {
  if (now() - committed_ > seconds_between_commits) commit();
}

std::map<std::string, SweepStore::Known> SweepStore::known_points() const {
  std::map<std::string, Known> known;
  Statement all = database_.prepare("SELECT name, id, key, program, state FROM points");
  while (all.step()) known[all.text(0)] = {all.whole(1), all.text(2), all.text(3), state_called(all.text(4))};
  return known;
}

/// Figures of one name from another program or configuration are not mixed with others.
void SweepStore::refuse_changed(const std::map<std::string, Known>& known, const SweepPlan& plan,
                                const std::vector<std::size_t>& points) const {
  std::size_t changed = 0;
  std::string first, why;
  for (const std::size_t number : points) {
    const SweepPoint& point = plan.points[number];
    const auto at = known.find(point.name);
    if (at == known.end() || at->second.state != State::done || at->second.key == point.identity.key)
      continue;
    if (changed++ != 0) continue;
    first = point.name;
    why = at->second.program != point.identity.program ? "another build of strata"
                                                       : "another configuration, input or option";
  }
  if (changed != 0)
    throw ConfigError(path() + ": " + std::to_string(changed) + " points, '" + first +
                      "' among them, hold figures of " + why +
                      "; simulate them --again, or choose another --out");
}

std::int64_t SweepStore::insert(const SweepPlan& plan, const SweepPoint& point, Statement& insert,
                                Statement& setting) {
  const std::string arguments = joined(point.arguments);
  insert.bind(point.name).bind(point.platform()).bind(point.variant()).bind(point.workload());
  insert.bind(point.seed()).bind(arguments).bind(point.identity.key);
  insert.bind(point.identity.program).bind(point.identity.machine).bind(point.identity.input).run();
  const std::int64_t id = database_.last_row();
  for (std::size_t k = 4; k < plan.keys.size(); ++k)
    setting.bind(id).bind(plan.keys[k]).bind(point.values[k]).run();
  return id;
}

void SweepStore::forget(std::int64_t id) {
  tables_->remove(id);
  database_.prepare("DELETE FROM settings WHERE point = ?").bind(id).run();
  database_.prepare("DELETE FROM points WHERE id = ?").bind(id).run();
}

void SweepStore::plan(const SweepPlan& plan, const std::vector<std::size_t>& points, bool again) {
  const std::map<std::string, Known> known = known_points();
  if (!again) refuse_changed(known, plan, points);
  begin();
  database_.run("UPDATE points SET planned = 0");
  Statement keep = database_.prepare(
      "UPDATE points SET planned = 1, message = NULL, state = iif(state = 'done', 'done', 'waiting') WHERE "
      "id = "
      "?");
  Statement fresh = database_.prepare(
      "INSERT INTO points(name, platform, variant, workload, seed, planned, state, arguments, key, program, "
      "configuration, input) VALUES(?, ?, ?, ?, ?, 1, 'waiting', ?, ?, ?, ?, ?)");
  Statement setting = database_.prepare("INSERT INTO settings VALUES(?, ?, ?)");
  for (const std::size_t number : points) {
    const SweepPoint& point = plan.points[number];
    const auto at = known.find(point.name);
    if (at != known.end() && at->second.key == point.identity.key && !again) {
      keep.bind(at->second.id).run();
      ids_[point.name] = at->second.id;
      states_[point.name] = at->second.state == State::done ? State::done : State::waiting;
      continue;
    }
    if (at != known.end()) forget(at->second.id);
    ids_[point.name] = insert(plan, point, fresh, setting);
    states_[point.name] = State::waiting;
  }
  set_meta("name", plan.name);
  set_meta("file", plan.file);
  set_meta("text", plan.text);
  make_overview(plan);
  commit();
}

/// One row per point, with the varied settings and the selected figures: for use in a SQL client.
void SweepStore::make_overview(const SweepPlan& plan) {
  std::string columns;
  for (std::size_t k = 4; k < plan.keys.size(); ++k)
    columns += ", (SELECT value FROM settings s WHERE s.point = p.id AND s.key = " + literal(plan.keys[k]) +
               ") AS " + quoted(plan.keys[k]);
  for (const std::string& figure : plan.figures)
    columns += ", (SELECT value FROM figures f WHERE f.point = p.id AND f.name = " + literal(figure) +
               ") AS " + quoted(figure);
  database_.run("DROP VIEW IF EXISTS overview");
  database_.run("CREATE VIEW overview AS SELECT p.name, p.platform, p.variant, p.workload, p.seed" + columns +
                ", p.state, p.message FROM points p WHERE p.planned ORDER BY p.id");
}

std::int64_t SweepStore::id_of(const SweepPoint& point) const {
  return ids_.at(point.name);
}

SweepStore::State SweepStore::state(const SweepPoint& point) const {
  return states_.at(point.name);
}

void SweepStore::collect(const SweepPoint& point, const std::string& directory) {
  const RunRows rows = read_run_rows(directory);
  begin();
  const fs::path place = fs::path(directory).lexically_relative(fs::path(path()).parent_path());
  if (state(point) == State::done) tables_->remove(id_of(point));  // other points have no rows
  tables_->put(id_of(point), rows, place.string());
  states_[point.name] = State::done;
  touched();
}

void SweepStore::fail(const SweepPoint& point, const std::string& words) {
  begin();
  database_.prepare("UPDATE points SET state = 'failed', message = ? WHERE id = ?")
      .bind(words)
      .bind(id_of(point))
      .run();
  states_[point.name] = State::failed;
  touched();
}

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
