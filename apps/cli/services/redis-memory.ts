// The memory of Redis: how much of it data may use, and how much the connections.

/**
 * Redis may use one half for data. The other half is for rewriting its file, for buffers of
 * clients, and for fragmentation.
 */
const share = 2;

/**
 * The memory of all connections together, by what data may use: beyond it Redis ends those that
 * hold most. It counts as data, too.
 */
const clientShare = 4;
/**
 * The largest value that a connection may send, and some space beside it: also a small Redis takes
 * every result.
 */
const minClientBytes = 96 * 1024 ** 2;
/**
 * The most of it that one answer may take. Redis serves no other client while it writes an answer,
 * and needs seconds for the quarter of a large machine.
 */
const maxAnswerBytes = 256 * 1024 ** 2;

/**
 * Lines of a shell script that set `maxmemory`: half of the container's limit, or without one half
 * of the machine's memory (of 2 GiB where it is unknown), `maxmemory_clients` and
 * `maxmemory_answer`. The script runs beside Redis, which may be on another machine.
 */
export function maxmemoryScript(limitBytes: number | undefined): string {
  return [
    ...(limitBytes === undefined ? ofMachine : [`maxmemory=${Math.floor(limitBytes / share)}`]),
    `maxmemory_clients=$((maxmemory / ${clientShare}))`,
    `if [ $maxmemory_clients -lt ${minClientBytes} ]; then maxmemory_clients=${minClientBytes}; fi`,
    "maxmemory_answer=$maxmemory_clients",
    `if [ $maxmemory_answer -gt ${maxAnswerBytes} ]; then maxmemory_answer=${maxAnswerBytes}; fi`,
  ].join("\n");
}

const ofMachine = [
  `maxmemory=${1024 ** 3}`,
  "if [ -r /proc/meminfo ]; then",
  `  while read -r name kib _; do if [ "$name" = MemTotal: ]; then maxmemory=$((kib * 1024 / ${share})); fi; done < /proc/meminfo`,
  "fi",
];
