#!/bin/sh
# Builds the unix port of MicroPython with 32-bit words and single-precision floats, as boards have
# MIT license; Copyright (c) 2026 the tflm authors
#
# usage: micropython32.sh FOLDER      the result is FOLDER/micropython; about a minute
#
# The source is Debian's package `micropython`, from the archive that this machine's own apt
# sources name. Needs make and gcc, and root if gcc cannot make 32-bit programs yet.
set -eu

mkdir -p "$1"
folder=$(cd "$1" && pwd)
if [ -x "$folder/micropython" ]; then
    exit 0
fi
cd "$folder"

# A compiler for 32-bit programs.
if ! echo 'int main(void) { return 0; }' | gcc -m32 -x c -o probe - 2> probe.log; then
    echo "installing gcc-multilib" >&2
    apt-get update -q > apt.log
    apt-get install -y -q --no-install-recommends gcc-multilib > apt.log
fi

# A private apt, which knows the sources of one suite and changes nothing on the system. The suite
# has a version of the port that has no known defect for this purpose; 1.25 does as well.
archive=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources \
    2> probe.log | sed -n -e 's/^URIs: *\([^ ]*\).*/\1/p' \
    -e 's/^deb  *\(\[[^]]*\]  *\)\{0,1\}\([^ ]*\) .*/\2/p' | head -n 1)
mkdir -p apt/sources.list.d apt/lists/partial apt/cache/archives/partial
cat > apt/sources.list.d/suite.sources << EOF
Types: deb-src
URIs: $archive
Suites: ${SUITE:-sid}
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
EOF
private_apt() {
    apt-get -q -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$folder/apt/sources.list.d" \
        -o Dir::State::Lists="$folder/apt/lists" -o Dir::Cache="$folder/apt/cache" \
        -o APT::Sandbox::User=root "$@" > apt.log 2>&1 || { cat apt.log >&2; exit 1; }
}
echo "fetching the source of MicroPython" >&2
private_apt update
private_apt source --download-only micropython

# The submodule micropython-lib is not in the package, and a folder with a README stands for it.
rm -rf source lib
mkdir source lib
tar -xf micropython_*.orig.tar.* -C source --strip-components=1
echo "not here" > lib/README.md
echo 'include("$(MPY_DIR)/extmod/asyncio")' > manifest.py

echo "building" >&2
jobs=$(getconf _NPROCESSORS_ONLN)
make -C source/mpy-cross -j"$jobs" BUILD="$folder/build-mpy-cross" CWARN=-Wall > make.log 2>&1 \
    || { tail -n 20 make.log >&2; exit 1; }
make -C source/ports/unix -j"$jobs" VARIANT=standard BUILD="$folder/build" \
    MICROPY_FORCE_32BIT=1 CFLAGS_EXTRA=-DMICROPY_FLOAT_IMPL=MICROPY_FLOAT_IMPL_FLOAT \
    MICROPY_PY_FFI=0 MICROPY_PY_SSL=0 MICROPY_SSL_MBEDTLS=0 MICROPY_PY_BTREE=0 \
    MPY_LIB_DIR="$folder/lib" FROZEN_MANIFEST="$folder/manifest.py" \
    MICROPY_MPYCROSS="$folder/build-mpy-cross/mpy-cross" MICROPY_MPYCROSS_DEPENDENCY= \
    CWARN=-Wall > make.log 2>&1 || { tail -n 20 make.log >&2; exit 1; }

# Small integers have 31 bits, and a float 24.
"build/micropython" -c 'import sys; assert sys.maxsize == 0x7FFFFFFF and 16777216.0 + 1 == 16777216.0'
cp build/micropython micropython
rm -rf source lib build build-mpy-cross apt probe manifest.py micropython_*
