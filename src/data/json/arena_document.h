// A large document in one piece of memory: values that are read together lie together, and go
// together.
#pragma once

#include <boost/json/monotonic_resource.hpp>

#include "data/json/json.h"

namespace cairn::json {

// Threads  immutable once parsed; share freely.
class ArenaDocument final {
 public:
  ArenaDocument() = default;
  ArenaDocument(const ArenaDocument&) = delete;
  ArenaDocument& operator=(const ArenaDocument&) = delete;

  // As json::parse(). Call once.
  Result<void> parse(std::string_view text, const ParseLimits& limits = {});

  // A copy of it does not depend on this object.
  const Value& value() const { return value_; }

 private:
  boost::json::monotonic_resource memory_{1 << 16};
  Value value_ = Value(boost::json::storage_ptr(&memory_));
};

}  // namespace cairn::json
