#!/bin/sh
# Says in the image root $1, which has no package manager, which of Debian's packages its files are from: $2 and following, or else those that
# own programs and libraries of these names. It is said where scanners of images and `.ci/sbom.ts` look. A base that does not know its own
# packages is passed over.
set -eu
root=$1
shift
record=var/lib/dpkg/status.d

owners() {
  find "$root" -type f | while read -r file; do
    # Lines such as `libc6:amd64: /lib/…`, and `diversion by dash …`, which is none.
    dpkg-query --search "*bin/${file##*/}" "*/lib*/${file##*/}" 2> /dev/null || true
  done | grep -v '^diversion ' | sed 's/[:,].*//' | sort -u
}

if command -v dpkg-query > /dev/null; then
  [ $# -gt 0 ] || set -- $(owners)
elif [ $# -eq 0 ] && [ -d "/$record" ]; then
  # What was unpacked for this image alone. Busybox serves those who build it.
  set -- $(ls "/$record" | grep -v '^busybox')
fi
mkdir -p "$root/$record" "$root/etc"
for release in /etc/os-release /etc/debian_version; do
  if [ -e "$release" ]; then cp -L "$release" "$root/etc/"; fi
done
for package; do
  if command -v dpkg-query > /dev/null; then
    { dpkg-query --status "$package" && echo; } > "$root/$record/$package"
  elif [ -e "/$record/$package" ]; then
    cp "/$record/$package" "$root/$record/"
  fi
done
