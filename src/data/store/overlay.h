// Changes not yet written, and the tables as they will look with them.
//
// The changes of a group of commits lie over the backend, those of one commit over the group's:
// dropping the upper overlay undoes the commit, absorbing it accepts it.
// REQUIRES: what lies below does not change meanwhile. Used by one thread.
#pragma once

#include "data/store/backend.h"

namespace cairn {

class Overlay final {
 public:
  explicit Overlay(const Backend& backend) : backend_(backend) {}
  explicit Overlay(const Overlay* below) : backend_(below->backend_), below_(below) {}
  Overlay(const Overlay&) = delete;
  Overlay& operator=(const Overlay&) = delete;

  Result<std::optional<Bytes>> get(Table table, ByteView key) const;
  void put(Table table, Bytes key, Bytes value);
  void erase(Table table, Bytes key);

  // Takes over the changes of an overlay that lay over this one.
  void absorb(Overlay&& above);

  const Changes& changes() const { return changes_; }

 private:
  const Backend& backend_;
  const Overlay* below_ = nullptr;
  Changes changes_;
};

}  // namespace cairn
