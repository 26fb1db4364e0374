// A schema that is compiled when it is first needed: most of those in the program never are in one
// run.
#pragma once

#include <cstdint>
#include <memory>

#include "data/json/schema.h"

namespace cairn::json {

// Threads     check() from any number of them; the first compiles, others that come meanwhile wait.
class LazySchema final {
 public:
  LazySchema();
  LazySchema(LazySchema&&) noexcept;
  LazySchema& operator=(LazySchema&&) noexcept;
  ~LazySchema();

  // As Schema::check().
  // REQUIRES: `source` is the same at every call.
  // Fails with  INTERNAL when the source does not compile: it is a part of the program.
  Result<void> check(const Value& source, const Value& instance) const;
  // How often that was.
  std::uint64_t checks() const;

 private:
  struct Compiled;
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace cairn::json
