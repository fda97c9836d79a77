#!/bin/sh
# opencode finds the gateway by opencode.json, which also says what it may do. The container is its limit.
export OPENCODE_CONFIG="${0%/*}/opencode.json"
exec opencode run --title sett <"$1"
