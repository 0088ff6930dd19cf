#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "models/common/faults.h"

struct sqlite3;
struct sqlite3_stmt;

namespace strata::platforms {

/// An error message of SQLite about a file, after its name.
class DatabaseError : public ConfigError {
 public:
  DatabaseError(const std::string& path, const std::string& why, int code);
  bool damaged() const { return damaged_; }
  const std::string& why() const { return why_; }

 private:
  std::string why_;
  bool damaged_;
};

/// A prepared SQL statement, run repeatedly with different values.
class Statement {
 public:
  Statement(sqlite3* database, const std::string& path, const std::string& sql);

  // Binds values of its `?`, in their order; then call run() or step(). A text must live until then.
  Statement& bind(const std::string& text);
  Statement& bind(std::string&& text) = delete;
  Statement& bind(std::int64_t number);
  Statement& bind(double number);
  Statement& bind_null();
  /// Runs it to the end; then it can be bound again.
  void run();
  /// Steps to the next row; false: there is none, and it can be bound again.
  bool step();
  std::string text(int column) const;
  std::int64_t whole(int column) const;
  double real(int column) const;

 private:
  void check(int code) const;

  sqlite3* database_;
  std::string path_;
  std::shared_ptr<sqlite3_stmt> statement_;
  int bound_ = 0;
};

/// A SQLite file. Every failure throws DatabaseError.
class Database {
 public:
  /// `make`: creates the file if there is none. Unfinished work of a process that died is rolled back.
  explicit Database(const std::string& path, bool make = false);

  void run(const std::string& sql);
  Statement prepare(const std::string& sql) const { return {database_.get(), path_, sql}; }
  const std::string& path() const { return path_; }
  std::int64_t last_row() const;

  /// What is wrong with the contents of a file: "file is not a database"; empty: nothing.
  static std::string damage_of(const std::string& path);

 private:
  std::string path_;
  std::shared_ptr<sqlite3> database_;
};

}  // namespace strata::platforms
