#!/bin/sh
# Runs the gateway in its container, and starts it again when it has ended. A restart of the container would lose the keys, which are in its
# memory; so the container ends only with SIGTERM, or with a wrong configuration (exit code 78), which no restart repairs.
stopping=
child=
stop() {
  stopping=yes
  if [ -n "$child" ]; then kill -TERM "$child" 2> /dev/null; fi
}
trap stop TERM INT

while [ -z "$stopping" ]; do
  /gateway "$@" &
  child=$!
  wait "$child"
  code=$?
  # A signal ends only the waiting.
  while kill -0 "$child" 2> /dev/null; do
    wait "$child"
    code=$?
  done
  if [ -n "$stopping" ] || [ "$code" -eq 78 ]; then exit "$code"; fi
  echo "gateway: ended with exit code $code, and starts again." >&2
  /bin/sleep 1 &
  child=$!
  wait "$child"
done
