#!/bin/sh
# firmware.sh DIR CORE: build MicroPython's qemu port for a core of boards/ as DIR/CORE.elf.
# MIT license; Copyright (c) 2026 the tflm authors
#
# Nothing is installed and root is not needed: the sources (Debian's source package, suite sid) and the
# cross compilers (this machine's own suite) are fetched with apt-get and unpacked below DIR.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
core=$2
packages=$out/packages
root=$out/toolchain
heap=3145728

say() { echo "cycles: $*" >&2; }
fail() { say "$*"; exit 1; }

# The commands that this machine must have.
for tool in apt-get dpkg-deb make tar xz; do
    command -v $tool >/dev/null || fail "$tool is missing; on Debian: apt-get install make xz-utils"
done

# apt-get with lists and cache of its own; the address is the one that this machine's sources name.
# $1 is the suite, the rest are apt-get's arguments.
apt() {
    state=$packages/apt-$1
    mkdir -p "$state/lists/partial" "$state/cache/archives/partial" "$state/sources"
    printf 'deb %s %s main\ndeb-src %s %s main\n' "$uri" "$1" "$uri" "$1" |
        sed "s#^\(deb[^ ]*\) #\1 [signed-by=$keyring] #" >"$state/sources/suite.list"
    shift
    apt-get -qq -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$state/sources" \
        -o Dir::State::Lists="$state/lists" -o Dir::Cache="$state/cache" \
        -o APT::Sandbox::User="$(id -un)" -o Acquire::Languages=none "$@"
}

# What the machine's own sources say: "uri suite" of the first Debian archive among them.
archive() {
    cat /etc/apt/sources.list.d/*.sources 2>/dev/null |
        awk '/^URIs:/ {uri = $2} /^Suites:/ {print uri, $2}' | grep -v -e security -e updates
    cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
        sed -n 's/^deb \(\[[^]]*\] \)\?\([^ ]*\) \([^ ]*\) .*/\2 \3/p' | grep debian
}

# Fetch and unpack the sources and the compilers.
fetch() {
    keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    [ -f $keyring ] || fail "$keyring is missing; this needs Debian's packages"
    set -- $(archive | grep -m 1 debian) ""
    uri=$1
    suite=${2:-}
    [ -n "$suite" ] || fail "apt's sources name no Debian archive; this needs Debian's packages"
    mkdir -p "$packages"
    cd "$packages"
    say "fetching MicroPython's sources"
    apt sid update
    apt sid source --download-only micropython
    rm -rf "$out"/micropython*
    tar -C "$out" -xf micropython_*.orig.tar.xz
    mv "$out"/micropython-* "$out/micropython"
    mkdir -p "$out/no-library"
    echo "in place of micropython-lib, which the source package lacks" >"$out/no-library/README.md"
    say "fetching the cross compilers"
    apt "$suite" update
    apt "$suite" download gcc-arm-none-eabi binutils-arm-none-eabi libnewlib-dev \
        gcc-riscv64-unknown-elf binutils-riscv64-unknown-elf libgmp10 libisl23 libmpc3 libmpfr6
    rm -rf "$root.part" "$root"
    for package in *.deb; do dpkg-deb -x "$package" "$root.part"; done
    # A third of the size goes with what compiling C does not need.
    rm -rf "$root.part/usr/share"
    find "$root.part" \( -name cc1plus -o -name lto1 -o -name f951 \) -delete
    mv "$root.part" "$root"
    rm -rf "$packages"
}

[ -d "$out/micropython" ] && [ -d "$root" ] || fetch
libraries=$(echo "$root"/usr/lib/*-linux-gnu)
export PATH="$root/usr/bin:$PATH" C_INCLUDE_PATH="$root/usr/include/newlib"
say "building the firmware for $core"
LD_LIBRARY_PATH="$libraries" make -C "$out/micropython/ports/qemu" -j2 BOARD="CYCLES_$core" \
    BOARD_DIR="$here/boards/$core" BUILD="$out/$core" MPY_LIB_DIR="$out/no-library" \
    FROZEN_MANIFEST= MICROPY_HEAP_SIZE=$heap >"$out/$core.log" 2>&1 ||
    fail "the build failed; the end of $out/$core.log: $(tail -n 3 "$out/$core.log")"
cp "$out/$core/firmware.elf" "$out/$core.elf"
