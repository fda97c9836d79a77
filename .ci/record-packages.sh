#!/bin/sh
# Says in the image root $1, which has no package manager, which of Debian's packages its files are from: $2 and following. It is said
# where scanners of images and `.ci/sbom.ts` look. A base that does not know its own packages is passed over.
set -eu
root=$1
shift
record=var/lib/dpkg/status.d
mkdir -p "$root/$record" "$root/etc"
if [ -e /etc/os-release ]; then cp -L /etc/os-release "$root/etc/"; fi
for package; do
  if command -v dpkg-query > /dev/null; then
    { dpkg-query --status "$package" && echo; } > "$root/$record/$package"
  elif [ -e "/$record/$package" ]; then
    cp "/$record/$package" "$root/$record/"
  fi
done
