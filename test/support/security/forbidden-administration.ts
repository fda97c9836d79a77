// What mallory's user of Redis may not send, whatever the key: administration, functions, searching, destroying, and other channels.
import type { ForbiddenCommands } from "./forged-calls.ts";

const text = (line: string) => line.split(" ");

export const forbiddenAdministration: ForbiddenCommands[] = [
  {
    attack: "users and their rights",
    commands: () =>
      [
        "ACL SETUSER agent-mallory allkeys allcommands",
        "ACL SETUSER mallory on nopass ~* &* +@all",
        "ACL DELUSER person",
        "ACL GETUSER agent-busy",
        ...["ACL LIST", "ACL USERS", "ACL WHOAMI", "ACL SAVE", "ACL LOAD", "ACL LOG RESET", "ACL GENPASS"],
      ].map(text),
  },
  {
    attack: "functions and scripts",
    commands: ({ library }) => [
      ["FUNCTION", "LOAD", "REPLACE", `#!lua name=${library}\nredis.register_function('x', function() return 1 end)`],
      ...[`FUNCTION DELETE ${library}`, "FUNCTION FLUSH", "FUNCTION LIST", "FUNCTION DUMP", "FUNCTION KILL"].map(text),
      ["FUNCTION", "RESTORE", "x", "REPLACE"],
      ["EVAL", "return redis.call('FLUSHALL')", "0"],
      ["EVAL_RO", "return 1", "0"],
      ["EVALSHA", "0000000000000000000000000000000000000000", "0"],
      ["SCRIPT", "LOAD", "return 1"],
      ...["SCRIPT FLUSH", "SCRIPT KILL"].map(text),
    ],
  },
  {
    attack: "to search and to read what is not meant for it",
    commands: ({ key, goal, claims }) => [
      ...["KEYS *", "SCAN 0", "RANDOMKEY", "DBSIZE", "INFO", "SELECT 1", "SLOWLOG GET", "LATENCY LATEST"].map(text),
      ["MEMORY", "USAGE", key("agents")],
      ["OBJECT", "ENCODING", key("agents")],
      ["DUMP", key("agents")],
      ["HSCAN", key("agents"), "0"],
      ["GET", key("gateway")],
      ["HGETALL", key(`goal:${goal}:budget`)],
      ["HGETALL", key(`goal:${goal}:calls`)],
      ["HGETALL", key("agents")],
      ["GET", key("agent:busy:registration")],
      ["HGETALL", key("orchestrator")],
      ["HGETALL", key("delivery:x")],
      ["XRANGE", key("agent:busy:logs"), "-", "+"],
      ["ZRANGE", key("agent:busy:queued"), "0", "-1"],
      ["HGETALL", `sett:another:claim:${claims.work}`],
      ["GET", "another:key"],
    ],
  },
  {
    attack: "to destroy and to move",
    commands: ({ key, letter }) => [
      ...["FLUSHALL", "FLUSHDB", "SWAPDB 0 1", "SHUTDOWN NOSAVE"].map(text),
      ["DEL", key("events")],
      ["DEL", key(`artifact:${letter}`)],
      ["UNLINK", key("agents")],
      ["EXPIRE", key("events"), "1"],
      ["PERSIST", key("events")],
      ["RENAME", key("events"), key("agent:mallory:out")],
      ["COPY", key("agents"), key("agent:mallory:out")],
      ["MOVE", key("events"), "1"],
      ["SORT", key("artefacts"), "BY", "nosort", "STORE", key("agent:mallory:out")],
      ["SET", "another:key", "x"],
      ["SET", key("events"), "x"],
    ],
  },
  {
    attack: "the server, its clients and its copies",
    commands: () => [
      ...["CONFIG GET *", "CONFIG SET maxmemory 1", "CONFIG REWRITE", "CONFIG RESETSTAT"].map(text),
      ...["CLIENT LIST", "CLIENT KILL TYPE normal", "CLIENT PAUSE 1000", "CLIENT NO-EVICT on", "CLIENT UNBLOCK 1"].map(text),
      ...["MONITOR", "SYNC", "PSYNC ? -1", "REPLICAOF 127.0.0.1 1", "REPLCONF capa eof", "FAILOVER", "WAIT 1 1"].map(text),
      ...["SAVE", "BGSAVE", "BGREWRITEAOF", "LASTSAVE", "MODULE LIST", "ROLE", "COMMAND"].map(text),
      ["MIGRATE", "127.0.0.1", "1", "x", "0", "1"],
    ],
  },
  {
    attack: "the channels of others",
    commands: ({ key, letter, claims }) => [
      ["SUBSCRIBE", "__keyspace@0__:*"],
      ["SUBSCRIBE", key("events")],
      ["PSUBSCRIBE", "*"],
      ["SSUBSCRIBE", key("claim_events")],
      ["PUBLISH", key("artefact_events"), letter],
      ["PUBLISH", key("claim_events"), claims.riddle],
      ["SPUBLISH", key("claim_events"), claims.riddle],
      ["PUBSUB", "CHANNELS"],
    ],
  },
];
