// SignedIn: the token of a sign-in that is kept on this machine, renewed whenever that is needed,
// by whichever process is first.
//
// Threads     any.
// Fails with  INVALID_TOKEN when the sign-in has ended, with the command that makes another; as
//             CredentialsFile and Web for the rest.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/guarded.h"
#include "exposure/http/client.h"
#include "exposure/login/credentials.h"

namespace cairn::login {

class SignedIn final {
 public:
  // REQUIRES: the clock outlives it.
  SignedIn(CredentialsFile file, std::string server, const Clock& clock, http::ClientOptions client)
      : file_(std::move(file)),
        server_(std::move(server)),
        clock_(clock),
        client_(std::move(client)) {}

  // The token to send now. `refused` is one that the server did not take, or empty; the same comes
  // back when there is no other to be had.
  Result<std::string> token(std::string_view refused) EXCLUDES(known_);

 private:
  Result<Credentials> stored() const;
  Result<Credentials> renewed(std::string_view refused) const;
  bool will_do(const Credentials& credentials, std::string_view refused) const;
  // The sentence for a sign-in that is no more.
  Failure over(std::string_view why) const;

  const CredentialsFile file_;
  const std::string server_;
  const Clock& clock_;
  const http::ClientOptions client_;
  Guarded<std::optional<Credentials>> known_;
};

}  // namespace cairn::login
