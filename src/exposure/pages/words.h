// Words: everything the pages say, in every language they speak.
//
// A phrase may have places, `{0}` and `{1}`, for names and the like.
// Invariants  every phrase is there in every language: the table does not compile otherwise.
// Threads     plain functions of their arguments.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "exposure/pages/html.h"

namespace cairn::pages {

enum class Language : std::uint8_t { kEnglish, kChinese };
// As the attribute `lang` has it.
std::string_view tag_of(Language language);
// The best of an Accept-Language header, or of a list of tags such as OAuth's ui_locales.
Language language_of(std::string_view accepted);

enum class Word : std::uint8_t {
  kSignIn,
  kSignInTitle,
  kSignInToGrant,
  kSignInForDevice,
  kName,
  kPassword,
  kHaveLink,
  kLinkExplained,
  kTicket,
  kUseLink,
  kSignInWith,
  kOr,
  kWrong,
  kTooOften,
  kNotAuthorised,
  kLinkOver,
  kGoingOn,
  kContinue,
  kAlreadyIn,
  kSignedInAs,
  kSignOut,
  kSignedOut,
  kStartTitle,
  kRoleAdmin,
  kRoleUser,
  kConnectTitle,
  kConnectExplained,
  kAddress,
  kSignInsTitle,
  kThisBrowser,
  kLastUsed,
  kEnd,
  kEndOthers,
  kPasswordTitle,
  kCurrentPassword,
  kNewPassword,
  kPasswordHint,
  kChangePassword,
  kPasswordChanged,
  kPasswordWrong,
  kPasswordLength,
  kConsentTitle,
  kAsksFor,
  kCallsItself,
  kUnverified,
  kVerifiedHost,
  kAddedByAdmin,
  kYouAre,
  kNotYou,
  kAnswerGoes,
  kThisComputer,
  kLoopbackWarning,
  kDeviceFrom,
  kDeviceWarning,
  kMay,
  kRead,
  kReadHint,
  kWrite,
  kWriteHint,
  kManage,
  kManageHint,
  kSees,
  kSeesAll,
  kSeesDepots,
  kSeesFolder,
  kSeesOnly,
  kNoDepots,
  kMoreDepots,
  kDepot,
  kFolder,
  kFolderHint,
  kUntil,
  kHour,
  kDay,
  kMonth,
  kYear,
  kRevoked,
  kChildren,
  kAllow,
  kDeny,
  kChooseDepot,
  kCannotGrant,
  kAllowed,
  kDenied,
  kBackTo,
  kDeviceTitle,
  kDeviceExplained,
  kCode,
  kCheckCode,
  kCodeUnknown,
  kDeviceAllowed,
  kDeviceDenied,
  kCloseThis,
  kErrorTitle,
  kRequestOver,
  kForeignPage,
  kNotFound,
  kWentWrong,
  kToStart,
  kMinutesAgo,
  kJustNow,
  kHelp,
  kCount,
};

std::string_view say(Language language, Word word);
// With something in its places.
Html say(Language language, Word word, std::initializer_list<Html> in_places);

}  // namespace cairn::pages
