// How much Redis may keep.

/** The other half is for the copy that Redis makes while it rewrites its file, for its clients' buffers and for what lies between. */
const share = 2;

/**
 * Lines of a shell script that set `maxmemory`: half of the limit of its memory, or of the machine's (of 2 GiB, where nothing tells) without one. The
 * script asks where Redis runs, which may be another machine than this.
 */
export function maxmemoryScript(limitBytes: number | undefined): string {
  if (limitBytes !== undefined) return `maxmemory=${Math.floor(limitBytes / share)}`;
  return [
    "maxmemory=1gb",
    "if [ -r /proc/meminfo ]; then",
    `  while read -r name kib _; do if [ "$name" = MemTotal: ]; then maxmemory=$((kib * 1024 / ${share})); fi; done < /proc/meminfo`,
    "fi",
  ].join("\n");
}
