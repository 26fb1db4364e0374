# Every third-party library, found once, from Debian's packages (see scripts/packages).

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(fmt REQUIRED)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(rocksdb REQUIRED IMPORTED_TARGET rocksdb)
pkg_check_modules(re2 REQUIRED IMPORTED_TARGET re2)
pkg_check_modules(libgit2 REQUIRED IMPORTED_TARGET libgit2)
pkg_check_modules(hyperscan IMPORTED_TARGET libhs)
find_package(CLI11 REQUIRED)
