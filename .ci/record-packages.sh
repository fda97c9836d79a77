#!/bin/sh
# Says in the image root $1, which has no package manager, which of Debian's packages its files are from: $2 and following, or else those that
# own programs and libraries of these names. It is said where scanners of images and `.ci/sbom.ts` look. What the base does not know of its
# own packages is passed over.
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

if [ $# -eq 0 ]; then
  if [ -d "/$record" ]; then
    # A stand-in (.ci/setup), whose packages were unpacked for this image: some are needed only to build it, such as busybox.
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
