// The memory limit of Redis.

/** Redis may use one half for data. The other half is for rewriting its file, for buffers of clients, and for fragmentation. */
const share = 2;

/**
 * Lines of a shell script that set `maxmemory`: half of the container's limit, or without one half of the machine's memory (of 2 GiB where
 * it is unknown). The script runs beside Redis, which may be on another machine.
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
