#!/bin/sh
# mmdebstrap hook: makes the unpacked Redis in $1 look like the official image to its user.
set -eu
mkdir -p "$1/data" "$1/etc" "$1/root" "$1/proc" "$1/sys" "$1/dev" "$1/usr/local/bin" "$1/usr/sbin" "$1/sbin"
mkdir -p -m 1777 "$1/tmp" "$1/var/tmp"
printf 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\nredis:x:999:1000::/home/redis:/bin/sh\n' > "$1/etc/passwd"
printf 'root:x:0:\nnogroup:x:65534:\nredis:x:1000:\n' > "$1/etc/group"
chown 999:1000 "$1/data"

# Debian's server is this same binary, started under its other name.
ln -s redis-check-rdb "$1/usr/bin/redis-server"
for applet in $("$1/bin/busybox" --list); do
  [ -e "$1/bin/$applet" ] || [ -e "$1/usr/bin/$applet" ] || ln -s /bin/busybox "$1/bin/$applet"
done

cat > "$1/usr/local/bin/docker-entrypoint.sh" <<'SCRIPT'
#!/bin/sh
# As in the official image: options alone start the server, clients from outside the container need no protected mode
# switched off first, and a server started by root steps down to the user redis.
set -e
case "${1-}" in -* | *.conf) set -- redis-server "$@" ;; esac
case "$*" in
  *protected-mode*) ;;
  redis-server*) set -- "$@" --protected-mode no ;;
esac
if [ "$1" = redis-server ] && [ "$(id -u)" = 0 ]; then
  find . ! -user redis -exec chown redis '{}' +
  exec su -s /bin/sh redis -c 'exec "$0" "$@"' -- "$@"
fi
exec "$@"
SCRIPT
chmod 755 "$1/usr/local/bin/docker-entrypoint.sh"
rm -rf "$1/usr/share/doc" "$1/usr/share/man" "$1/usr/share/info" "$1/usr/share/locale" "$1/usr/share/lintian"

# For dpkg nothing is installed here: .ci/record-packages.sh reads this record of the unpacked packages.
mkdir -p "$1/var/lib/dpkg/status.d"
for archive in "$1"/var/cache/apt/archives/*.deb; do
  { dpkg-deb --field "$archive"; echo; } > "$1/var/lib/dpkg/status.d/$(dpkg-deb --field "$archive" Package)"
done
