#include "tools/engine/scratch_engine.h"

#include <utility>

#include "base/guarded.h"
#include "tools/files/known.h"
#include "tools/files/seen_files.h"

namespace cairn {
namespace {

// Remembers what it gave.
class RememberingRandom final : public Random {
 public:
  explicit RememberingRandom(Random& random) : random_(random) {}

  Bytes bytes(std::size_t count) override {
    auto out = random_.bytes(count);
    given_.lock()->push_back(out);
    return out;
  }
  std::vector<Bytes> given() const { return *given_.lock(); }

 private:
  Random& random_;
  mutable Guarded<std::vector<Bytes>> given_;
};

class ScratchEngine final : public Rehearsal {
 public:
  ScratchEngine(std::unique_ptr<Store> store, Services& live, const RealmOptions& realm,
                const DelegateOptions& delegates, const Session& caller)
      : store_(std::move(store)),
        random_(live.random),
        realms_(*store_, live.clock, random_, realm),
        delegates_(store_->kv(), live.clock, random_, delegates),
        users_(store_->kv(), live.clock, random_),
        endpoints_(store_->kv(), live.clock, random_),
        // What calls were made is not what they did: it goes to the one log. Documents are kept by
        // their keys.
        sign_ins_(store_->kv(), users_, live.clock, random_),
        services_{realms_, delegates_, users_,  live.audit, endpoints_,          live.documents,
                  seen_,   live.clock, random_, sign_ins_,  live.password_limits} {
    seen_.take_over(live.seen, fs::seen_owner(caller));
  }

  Services& services() override { return services_; }
  std::vector<Bytes> made_up() const override { return random_.given(); }

 private:
  std::unique_ptr<Store> store_;
  RememberingRandom random_;
  Realms realms_;
  Delegates delegates_;
  Users users_;
  Endpoints endpoints_;
  SeenFiles seen_;
  SignIns sign_ins_;
  Services services_;
};

}  // namespace

Result<std::unique_ptr<Rehearsal>> scratch_engine(Services& live, const RealmOptions& realm,
                                                  const DelegateOptions& delegates,
                                                  const Session& caller) {
  auto store = TRY(live.realms.store().snapshot());
  return std::make_unique<ScratchEngine>(std::move(store), live, realm, delegates, caller);
}

}  // namespace cairn
