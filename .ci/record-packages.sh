#!/bin/sh
# Records in the image root $1, which has no package manager, the Debian packages of its files: $2 and following, or else the packages that
# own programs and libraries of these names. The record is where image scanners and `.ci/sbom.ts` look. A package of which the base has no
# record is left out.
set -eu
root=$1
shift
record=var/lib/dpkg/status.d

owners() {
  find "$root" -type f | while read -r file; do
    # Lines such as `libc6:amd64: /lib/…`; the lines `diversion by dash …` name no package.
    dpkg-query --search "*bin/${file##*/}" "*/lib*/${file##*/}" 2> /dev/null || true
  done | grep -v '^diversion ' | sed 's/[:,].*//' | sort -u
}

if [ $# -eq 0 ]; then
  if [ -d "/$record" ]; then
    # A stand-in (.ci/setup), whose packages were unpacked for this image; busybox and its like are needed only for the build.
    set -- $(ls "/$record" | grep -v '^busybox')
  else
    set -- $(owners)
  fi
fi
mkdir -p "$root/$record" "$root/etc"
for release in /etc/os-release /etc/debian_version; do
  if [ -e "$release" ]; then cp -L "$release" "$root/etc/"; fi
done
for package; do
  if [ -e "/$record/$package" ]; then
    cp "/$record/$package" "$root/$record/"
  elif status="$(dpkg-query --status "$package" 2> /dev/null)"; then
    printf '%s\n\n' "$status" > "$root/$record/$package"
  fi
done
