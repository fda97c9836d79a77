#!/bin/sh
# mmdebstrap hook: finishes an unpacked, unconfigured Debian in $1. It does what the packages' own scripts would have done
# as far as shell scripts need it: awk, users, and one bundle of certificates.
set -eu
ln -s mawk "$1/usr/bin/awk"
cp "$1/usr/share/base-passwd/passwd.master" "$1/etc/passwd"
cp "$1/usr/share/base-passwd/group.master" "$1/etc/group"
mkdir -p "$1/etc/ssl/certs" "$1/root"
find "$1/usr/share/ca-certificates" -name '*.crt' -exec cat {} + > "$1/etc/ssl/certs/ca-certificates.crt"
rm -rf "$1/usr/share/doc" "$1/usr/share/man" "$1/usr/share/info" "$1/usr/share/locale" "$1/usr/share/lintian"

# For dpkg nothing is installed here: .ci/record-packages.sh reads this record of the unpacked packages.
mkdir -p "$1/var/lib/dpkg/status.d"
for archive in "$1"/var/cache/apt/archives/*.deb; do
  { dpkg-deb --field "$archive"; echo; } > "$1/var/lib/dpkg/status.d/$(dpkg-deb --field "$archive" Package)"
done
