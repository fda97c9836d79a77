// The settings of an instance's Redis that are the same for a container and for a process. One to a
// line, as in Redis' own file.

/**
 * The most that a single connection may take, so that a hostile command cannot starve other agents
 * (SECURITY.md).
 */
export const connectionSettings = [
  // A command's output has at most 32 MiB, and so has the JSON text of every result; 16 MiB of JSON
  // as a text in JSON have 32 MiB, too.
  "proto-max-bulk-len 64mb",
  // The largest value, and the beginning of what follows it.
  "client-query-buffer-limit 80mb",
  // The programs of Sett send a heartbeat every second, and a read that blocks is not idle.
  "timeout 300",
  // A machine that went away without a word has its connections ended within two minutes.
  "tcp-keepalive 60",
  // The orchestrator looks in this log for agents that keep Redis busy (microseconds).
  "slowlog-log-slower-than 2000",
];

/** For a shell that has run `maxmemoryScript`. */
export const redisSettings = [
  "appendonly yes",
  "appendfsync everysec",
  'save ""',
  "maxmemory $maxmemory",
  "maxmemory-clients $maxmemory_clients",
  // Redis looks at the limit above between commands only, and one command can ask for a value a
  // million times. This limit ends such a connection in the middle of its answer.
  "client-output-buffer-limit normal $maxmemory_answer 0 0",
  "maxmemory-policy noeviction",
  ...connectionSettings,
];
