// A large document in one piece of memory: values that are read together lie together, and go
// together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>

#include <boost/json/memory_resource.hpp>
#include <boost/json/monotonic_resource.hpp>

#include "data/json/json.h"

namespace cairn::json {

// Threads  immutable once parsed; share freely.
class ArenaDocument final {
 public:
  // For a text of about so many bytes: a small one begins with little room.
  explicit ArenaDocument(std::size_t text_bytes = std::size_t{1} << 16)
      : memory_(first_room(text_bytes), &room_) {}
  ArenaDocument(const ArenaDocument&) = delete;
  ArenaDocument& operator=(const ArenaDocument&) = delete;

  // As json::parse(). Call once.
  Result<void> parse(std::string_view text, const ParseLimits& limits = {});

  // A copy of it does not depend on this object.
  const Value& value() const { return value_; }
  // The bytes it takes.
  std::size_t memory() const { return sizeof(ArenaDocument) + room_.taken(); }

 private:
  // Counts what the values are given.
  class Room final : public boost::json::memory_resource {
   public:
    std::size_t taken() const { return taken_; }

   private:
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
      auto* given = ::operator new(bytes, std::align_val_t(alignment));
      taken_ += bytes;
      return given;
    }
    void do_deallocate(void* given, std::size_t /*bytes*/, std::size_t alignment) override {
      ::operator delete(given, std::align_val_t(alignment));
    }
    bool do_is_equal(const boost::json::memory_resource& other) const noexcept override {
      return this == &other;
    }

    std::size_t taken_ = 0;
  };

  static std::size_t first_room(std::size_t text_bytes) {
    constexpr std::size_t kLeast = 512;
    constexpr std::size_t kMost = std::size_t{1} << 16;
    return std::clamp(text_bytes * 2, kLeast, kMost);
  }

  Room room_;
  boost::json::monotonic_resource memory_;
  Value value_ = Value(boost::json::storage_ptr(&memory_));
};

}  // namespace cairn::json
