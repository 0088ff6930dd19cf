#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "models/common/faults.h"

struct sqlite3;
struct sqlite3_stmt;

namespace strata::platforms {

/// What SQLite says of a file, behind its name.
class DatabaseError : public ConfigError {
 public:
  DatabaseError(const std::string& path, const std::string& why, int code);
  bool damaged() const { return damaged_; }
  const std::string& why() const { return why_; }

 private:
  std::string why_;
  bool damaged_;
};

/// A statement of SQL, to be run again and again with other values.
class Statement {
 public:
  Statement(sqlite3* database, const std::string& path, const std::string& sql);

  // Values of its `?`, in their order; afterwards run() or step(). A text must live until then.
  Statement& bind(const std::string& text);
  Statement& bind(std::string&& text) = delete;
  Statement& bind(std::int64_t number);
  Statement& bind(double number);
  Statement& bind_null();
  /// To the end; then it may be bound anew.
  void run();
  /// The next row; false: there is none, and it may be bound anew.
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

/// A SQLite file. Whatever goes wrong throws DatabaseError.
class Database {
 public:
  /// `make`: when there is none. What a process that died left half-done is undone.
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
