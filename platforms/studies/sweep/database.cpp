#include "platforms/studies/sweep/database.h"

#include <sqlite3.h>

namespace strata::platforms {
namespace {

constexpr int busy_ms = 10'000;

}  // namespace

DatabaseError::DatabaseError(const std::string& path, const std::string& why, int code)
    : ConfigError(path + ": " + why), why_(why), damaged_(code == SQLITE_CORRUPT || code == SQLITE_NOTADB) {}

Statement::Statement(sqlite3* database, const std::string& path, const std::string& sql)
    : database_(database), path_(path) {
  sqlite3_stmt* statement = nullptr;
  check(sqlite3_prepare_v2(database, sql.data(), static_cast<int>(sql.size()), &statement, nullptr));
  statement_.reset(statement, sqlite3_finalize);
}

void Statement::check(int code) const {
  if (code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE)
    throw DatabaseError(path_, sqlite3_errmsg(database_), code);
}

Statement& Statement::bind(const std::string& text) {
  check(sqlite3_bind_text(statement_.get(), ++bound_, text.data(), static_cast<int>(text.size()),
                          SQLITE_STATIC));
  return *this;
}

Statement& Statement::bind(std::int64_t number) {
  check(sqlite3_bind_int64(statement_.get(), ++bound_, number));
  return *this;
}

Statement& Statement::bind(double number) {
  check(sqlite3_bind_double(statement_.get(), ++bound_, number));
  return *this;
}

Statement& Statement::bind_null() {
  check(sqlite3_bind_null(statement_.get(), ++bound_));
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) {
    const std::string why = sqlite3_errmsg(database_);
    sqlite3_reset(statement_.get());
    throw DatabaseError(path_, why, code);
  }
  sqlite3_reset(statement_.get());
  bound_ = 0;
  return false;
}

void Statement::run() {
  while (step()) {
  }
}

std::string Statement::text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  return text == nullptr ? "" : text;
}

std::int64_t Statement::whole(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

double Statement::real(int column) const {
  return sqlite3_column_double(statement_.get(), column);
}

Database::Database(const std::string& path, bool make) : path_(path) {
  sqlite3* database = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (make ? SQLITE_OPEN_CREATE : 0);
  const int code = sqlite3_open_v2(path.c_str(), &database, flags, nullptr);
  database_.reset(database, sqlite3_close_v2);
  if (code != SQLITE_OK) throw DatabaseError(path, sqlite3_errstr(code), code);
  sqlite3_busy_timeout(database, busy_ms);
}

void Database::run(const std::string& sql) {
  char* why = nullptr;
  const int code = sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, &why);
  if (code == SQLITE_OK) return;
  const std::string text = why == nullptr ? "unknown error" : why;
  sqlite3_free(why);
  throw DatabaseError(path_, text, code);
}

std::int64_t Database::last_row() const {
  return sqlite3_last_insert_rowid(database_.get());
}

std::string Database::damage_of(const std::string& path) {
  try {
    Statement check = Database(path).prepare("PRAGMA quick_check(1)");
    std::string found = check.step() ? check.text(0) : "no response";
    if (found == "ok") return {};
    while (found.find('\n') != std::string::npos) found.replace(found.find('\n'), 1, ", ");
    return found;
  } catch (const DatabaseError& error) {
    if (error.damaged()) return error.why();
    throw;  // locked, not readable: it may be intact
  }
}

}  // namespace strata::platforms
