#include "exposure/oidc/foreign_sign_in.h"

#include <algorithm>

#include "base/os/disk_files.h"
#include "base/os/os_error.h"
#include "base/os/secret_file.h"
#include "base/quote.h"
#include "data/oauth/url.h"

namespace cairn::oidc {
namespace {

class Open final : public ForeignSignIn {
 public:
  Open(std::string name, ProviderOptions provider, const PeoplePolicy& policy, Parts parts)
      : name_(std::move(name)),
        provider_(std::move(provider), std::move(parts.fetch), parts.clock),
        identities_(parts.kv, parts.clock, parts.random),
        people_(policy, parts.users, identities_, parts.clock),
        flow_(provider_, people_, parts.kv, parts.clock, parts.random),
        handler_({.flow = flow_,
                  .clock = parts.clock,
                  .origin = std::move(parts.origin),
                  .open = std::move(parts.open),
                  .refused = std::move(parts.refused),
                  .behind_proxy = parts.behind_proxy}) {}

  Handler& handler() override { return handler_; }
  const std::string& name() const override { return name_; }
  Result<void> tidy() override { return flow_.tidy(); }

 private:
  const std::string name_;
  Provider provider_;
  Identities identities_;
  People people_;
  Flow flow_;
  Handler handler_;
};

bool is_domain(std::string_view text) {
  return text.contains('.') && text.find_first_of("@ /*") == text.npos && !text.starts_with('.');
}

}  // namespace

Result<void> check(const Settings& settings) {
  TRY(check_address(settings.issuer, settings.issuer, "--oidc-issuer"));
  if (settings.issuer.contains('?')) {
    return fail(Code::kInvalidArgument, "--oidc-issuer '{}' should have no query",
                shown(settings.issuer));
  }
  if (settings.client_id.empty()) {
    return fail(Code::kInvalidArgument,
                "--oidc-issuer and --oidc-client-id go together: the provider knows this server by "
                "the id");
  }
  if (!(" " + settings.scope + " ").contains(" openid ")) {
    return fail(Code::kInvalidArgument, "--oidc-scope '{}' should contain openid",
                shown(settings.scope));
  }
  for (const auto& domain : settings.people.domains) {
    if (!is_domain(domain)) {
      return fail(Code::kInvalidArgument, "--oidc-domain '{}' should be like example.com",
                  shown(domain));
    }
  }
  return {};
}

Result<std::unique_ptr<ForeignSignIn>> ForeignSignIn::open(const Settings& settings, Parts parts) {
  TRY(check(settings));
  ProviderOptions provider{.issuer = settings.issuer,
                           .client_id = settings.client_id,
                           .scope = settings.scope,
                           .max_age = settings.max_age,
                           .groups_claim = settings.groups_claim,
                           .wants_groups = !settings.people.groups.empty()};
  if (const auto& file = settings.secret_file) {
    TRY(os::check_secret(*file));
    auto secret = TRY(os::checked(os::read_line(*file), "read", *file));
    if (secret.empty()) {
      return fail(Code::kInvalidArgument,
                  "the first line of {} should be the client secret that the provider gave",
                  file->string());
    }
    provider.client_secret = std::move(secret);
  }
  const auto name =
      settings.name.empty() ? oauth::Url::parse(settings.issuer)->host : settings.name;
  return std::make_unique<Open>(name, std::move(provider), settings.people, std::move(parts));
}

}  // namespace cairn::oidc
