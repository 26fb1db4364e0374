// The calls into the kernel that have to do with files, each with a name of its own and with what
// it fails with as a value.
//
// A *name* is one component of a path: no `/`, not `.` or `..`. What is opened by name is never
// reached through a link. With AT_FDCWD as its directory a whole path may stand for a name: then
// only its last component is no link.
//
// Threads     plain functions of their arguments.
// Fails with  the errno. EINTR is retried.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/os/handle.h"
#include "base/os/kernel.h"

namespace cairn::os {

template <typename T>
using Outcome = std::expected<T, int>;

using Stat = struct statx;

inline bool is_file(const Stat& stat) { return S_ISREG(stat.stx_mode); }
inline bool is_directory(const Stat& stat) { return S_ISDIR(stat.stx_mode); }
inline bool is_link(const Stat& stat) { return S_ISLNK(stat.stx_mode); }
bool same_inode(const Stat& a, const Stat& b);

Outcome<Stat> stat(int fd, const Kernel& kernel = {});
// Of a link itself.
Outcome<Stat> stat_name(int directory, const std::string& name, const Kernel& kernel = {});

// A place to start from (O_PATH), or a file that is there, or with O_CREAT a new one.
Outcome<Handle> open_name(int directory, const std::string& name, int flags, mode_t mode = 0,
                          const Kernel& kernel = {});
// Whatever the path leads to, links included.
Outcome<Handle> open_path(const std::string& path, int flags, const Kernel& kernel = {});
// Whatever the path leads to below the root, links included; never anything else. O_PATH only.
// An absolute link is EXDEV, even one that leads to below the root. ENOSYS: use open_name.
Outcome<Handle> open_beneath(int root, const char* path, const Kernel& kernel = {});
// The regular file that an O_PATH handle stands for, for reading; the inode is the same. ENOENT:
// there is no /proc.
Outcome<Handle> reopen(int fd, const Kernel& kernel = {});
// The directory that an O_PATH handle stands for, for listing.
Outcome<Handle> open_listing(int directory, const Kernel& kernel = {});
// Where it matters that the file system took everything: some say so only now.
Outcome<void> close(Handle handle, const Kernel& kernel = {});

// The text of a link, from its own O_PATH handle.
Outcome<std::string> read_link(int link);
// Whether it is part of a /proc, whose links lead where no path does.
bool on_proc(int fd);
// Where a handle is, as the kernel sees it now; empty when it cannot tell.
std::string path_of(int fd, const Kernel& kernel = {});

// Some of what comes next, from the room's front; 0 at the end.
Outcome<std::size_t> read(int fd, std::span<char> room, const Kernel& kernel = {});
// As much as there is, at most the room.
Outcome<std::size_t> read_at(int fd, std::uint64_t offset, char* room, std::size_t size,
                             const Kernel& kernel = {});
Outcome<void> write_all(int fd, ByteView bytes, const Kernel& kernel = {});
// All that was written is on the disk; of a directory, its names.
Outcome<void> sync(int fd, const Kernel& kernel = {});
// The same for everything on the file system that it is on.
Outcome<void> sync_file_system(int fd, const Kernel& kernel = {});
// Until it is closed, or the process ends. EWOULDBLOCK: somebody else has it.
Outcome<void> try_lock(int fd, const Kernel& kernel = {});
Outcome<void> set_mode(int fd, mode_t mode, const Kernel& kernel = {});

// `flags` as renameat2 takes them.
Outcome<void> rename(int from_directory, const std::string& from, int to_directory,
                     const std::string& to, unsigned flags, const Kernel& kernel = {});
// Gives `to` up when it is there.
Outcome<void> rename_over(int from_directory, const std::string& from, int to_directory,
                          const std::string& to, const Kernel& kernel = {});
// EEXIST when `to` is there, also when it came in between.
Outcome<void> rename_new(int from_directory, const std::string& from, int to_directory,
                         const std::string& to, const Kernel& kernel = {});

// Anything but a directory, or, with AT_REMOVEDIR, one that is empty.
Outcome<void> remove_name(int directory, const std::string& name, int flags = 0,
                          const Kernel& kernel = {});
Outcome<void> make_directory(int directory, const std::string& name, mode_t mode,
                             const Kernel& kernel = {});

// Whether names can be made in the directory and taken out of it: EACCES, EROFS.
Outcome<void> may_change(int directory);

// Entries as getdents64 has them; 0 at the end. See NameReader.
Outcome<std::size_t> list(int directory, std::span<char> room, const Kernel& kernel = {});

}  // namespace cairn::os
