// Says what to do when Redis ends at its start, by the fatal line that it has printed. Sett itself
// never changes a damaged file. Pure.
import type { DataPlace } from "../hosts/data-place.ts";

/**
 * A sentence or several; undefined where the log names no known cause. `lines`: the end of the log,
 * the newest last. `isOutOfMemory`: the kernel has ended it for that.
 */
export function redisRemedy(
  lines: readonly string[],
  place: DataPlace,
  isOutOfMemory = false,
): string | undefined {
  const known = lines
    .filter(isWarning)
    .flatMap((line) => remedies.find(({ sign }) => sign.test(line)) ?? []);
  // Redis names a cause and its consequence on lines of their own: the most telling counts.
  const [first] = known.toSorted((a, b) => remedies.indexOf(a) - remedies.indexOf(b));
  // Then its log says nothing of it.
  const cause = first ?? (isOutOfMemory ? outOfMemory : undefined);
  return cause?.remedy(place);
}

/**
 * Redis marks a warning with `#`, and says on the way up much that sounds alike; a line without a
 * mark goes on with the one before.
 */
function isWarning(line: string): boolean {
  const [, mark, text = ""] = /^\d+:[A-Z] .*? ([.*#-]) (.*)$/.exec(line) ?? [undefined, "#", line];
  return mark === "#" && !harmless.test(text);
}

/** With these Redis goes on: an Engine that gives few open files has it say so at each start. */
const harmless = /^(?:WARNING|Warning|Deprecation)|maximum open files|maxclients|PID file/;

type Remedy = { sign: RegExp; remedy: (place: DataPlace) => string };

const outOfMemory: Remedy = {
  sign: /OUT OF MEMORY|Out Of Memory|Out of memory|failed allocating/,
  remedy: ({ data }) =>
    `Redis needs more memory than it has to read ${data}: raise \`services: { redis: { resources: { limits: { memory: … } } } }\` in sett.yml. If there is enough, a file is cut short: put back a back-up. Sett has changed nothing.`,
};

/** The signs are those of Redis 7 and 8, the most telling first. */
const remedies: readonly Remedy[] = [
  {
    sign: /No space left on device|Disk quota exceeded/,
    remedy: ({ data }) =>
      `The disk of ${data} is full: make room, then \`sett up\` again. Nothing is damaged.`,
  },
  {
    sign: /Read-only file system/,
    remedy: ({ data }) =>
      `${data} cannot be written: its file system is read-only. Mount it writable, then \`sett up\` again.`,
  },
  {
    sign: /Input\/output error|I\/O error|Structure needs cleaning|Stale (?:NFS )?file handle|Transport endpoint/,
    remedy: ({ data, copy }) =>
      `The disk of ${data} fails: the log of the machine says more (\`dmesg\`). Copy what can still be read (${copy}), and put back a back-up on another disk; Sett has changed nothing.`,
  },
  {
    sign: /redis-server: not found|[Ee]xec format error|exec: redis-server|can't execute|Unsupported system page size|CPU does not support|version `GLIBC|[Ee]rror (?:while )?loading shared librar|Illegal instruction/,
    remedy: () =>
      "The image that `services.redis.image` names has no Redis that runs on this machine: name one for its processor and kernel, or leave the key out.",
  },
  {
    sign: /Can't initialize.*Operation not permitted/,
    remedy: () =>
      "The Engine does not let Redis start threads: its rules for system calls are older than this Redis. Update the Engine, or name an older Redis with `services: { redis: { image: … } }` in sett.yml.",
  },
  {
    sign: /Failed opening Unix socket.*(?:denied|No such file)/,
    remedy: () =>
      "Redis may not write to the folder of its socket: `sett down`, then `sett up` makes it again, and keeps the blackboard.",
  },
  {
    sign: /exit to prevent data corruption/,
    remedy: () =>
      "The kernel of this machine has a fault with which Redis would lose data: update it, then `sett up` again. Nothing is damaged.",
  },
  {
    sign: /Permission denied|Operation not permitted/,
    remedy: ({ data, inside }) =>
      `Redis may not read or write what is in ${data}. \`${inside("ls -lan /data /data/appendonlydir")}\` shows whose it is; give it back to the user of Redis.`,
  },
  {
    sign: /AOF manifest|AOF MANIFEST|Unknown AOF file type/,
    remedy: ({ data, copy, inside }) =>
      `The list of the append-only files in ${data}, appendonlydir/appendonly.aof.manifest, is damaged; Sett has changed nothing, and the files beside it may be whole. Where a \`sett restore\` was killed: \`sett down\`, then the same with --replace. Else first copy them (${copy}). Then put back the list from a back-up, or write it again with a line for each file that \`${inside("ls /data/appendonlydir")}\` shows: \`file appendonly.aof.1.base.rdb seq 1 type b\`, then \`file appendonly.aof.1.incr.aof seq 1 type i\`.`,
  },
  {
    sign: /Can't handle RDB format version|contains (?:AUX )?module data|more than \d+ databases|Data file was created with/,
    remedy: ({ data }) =>
      `The files in ${data} were written by another, mostly a newer Redis: name its image with \`services: { redis: { image: … } }\` in sett.yml. Sett has changed nothing.`,
  },
  outOfMemory,
  {
    sign: /(?:AOF|append only|append log|append-only) file .*(?:doesn't exist|No such file)|The AOF directory .* doesn't exist/,
    remedy: ({ data, copy }) =>
      `An append-only file that the manifest in ${data} names is gone: put it back from a back-up. Copy what is left first (${copy}); Sett has changed nothing.`,
  },
  {
    sign: /append-only dir .*: Not a directory/,
    remedy: ({ data, copy }) =>
      `In ${data}, appendonlydir is a file, and should be the folder of the append-only files: put it back from a back-up. Copy what is left first (${copy}); Sett has changed nothing.`,
  },
  {
    sign: /(?:AOF|append).*(?:Is a directory|Too many levels of symbolic links)/,
    remedy: ({ data, copy }) =>
      `In ${data} a folder or a link has the name of a file of Redis, which the log names: move it away, and put the file back from a back-up. Copy what is left first (${copy}); Sett has changed nothing.`,
  },
  {
    // Its report may end in its test of the memory, whose lines are the last ones then.
    sign: /BUG REPORT|crashed by signal|ASSERTION FAILED|Guru Meditation|Preparing to test memory region/,
    remedy: ({ data, copy, inside }) =>
      `Redis has crashed while it read ${data}: a file there is damaged, or this Redis has a bug. Copy the files first (${copy}). Then \`${inside("redis-check-aof /data/appendonlydir/appendonly.aof.manifest")}\` may say where, or name another Redis with \`services: { redis: { image: … } }\` in sett.yml. Sett has changed nothing.`,
  },
  {
    sign: /\.base\.rdb|RDB|Wrong signature|Unexpected EOF|Short read|integrity check failed|[Ll]oading failed|Failed loading library|rdb file reading failure|rdbFunctionLoad/,
    remedy: ({ data, copy, inside }) =>
      `The base file in ${data}, appendonlydir/appendonly.aof.N.base.rdb, is damaged, and cannot be mended: put back a back-up. Copy what is left first (${copy}); Sett has changed nothing. Where there is no back-up, \`${inside("rm -r /data/appendonlydir")}\` has the next \`sett up\` begin an empty blackboard; git keeps the results.`,
  },
  {
    sign: /Bad file format|Unexpected end of file|Can't seek the end|Unknown command '.*' reading|Unrecoverable error reading|truncat|format error|Fatal error loading the DB/,
    remedy: ({ data, copy, inside }) =>
      `An append-only file in ${data} is damaged; Sett has changed nothing. First copy it (${copy}). Then \`${inside("redis-check-aof /data/appendonlydir/appendonly.aof.manifest")}\` says where; with \`--fix\` it cuts off everything from there on.`,
  },
  {
    sign: /ACL errors|loading ACLs|users\.acl/,
    remedy: ({ data, inside }) =>
      `The users of Redis in ${data}, users.acl, are damaged. Move the file away (\`${inside("mv /data/users.acl /data/users.acl.damaged")}\`): \`sett up\` makes all users again.`,
  },
  {
    sign: /CONFIG FILE ERROR|Bad directive|can't open config file|Can't chdir|Can't load module|configure TLS|users defined in redis\.conf/,
    remedy: () =>
      "Redis does not know a setting that Sett gives it: `services.redis.image` names a Redis that is too old, or something else. Leave it out.",
  },
  {
    sign: /Failed listening|Address already in use|Could not create server TCP|not listen anywhere|Failed opening Unix socket/,
    remedy: () =>
      "Another program listens where Redis would: `sett list` and `ss -ltnp` show which; end it, then `sett up` again.",
  },
  {
    sign: /ulimit|open files|Can't initialize|Can't set|event loop|can't fork|Resource temporarily unavailable/i,
    remedy: () =>
      "This machine gives Redis too few open files, processes or threads: raise the limits of the Engine (`docker info`, `ulimit -n`), then `sett up` again.",
  },
];
