// How Redis starts: a script for a shell. Every user of the machine can read arguments, so that the
// settings take another way.
import { aclFileScript } from "./redis-acl-file.ts";
import { wholeFilesScript } from "./redis-files.ts";
import { maxmemoryScript } from "./redis-memory.ts";
import { redisSettings } from "./redis-settings.ts";

type At = { port: number; socket?: string };

/** `save ""`: only the append-only file. */
export function redisScript({ port, socket }: At, limitBytes: number | undefined): string {
  return socket === undefined
    ? onThisMachine(port, limitBytes)
    : inContainer(port, socket, limitBytes);
}

/** The settings go through a file in memory. */
function inContainer(port: number, socket: string, limitBytes: number | undefined): string {
  const settings = [
    ...[`port ${port}`, "bind * -::*", `unixsocket ${socket}`, "unixsocketperm 777"],
    ...["dir /data", ...redisSettings, "aclfile /data/users.acl"],
  ];
  return [
    "umask 077",
    maxmemoryScript(limitBytes),
    wholeFilesScript("/data/appendonlydir"),
    aclFileScript("/data/users.acl"),
    `printf '%s\\n' ${settings.map(quoted).join(" ")} > /tmp/redis.conf`,
    "exec redis-server /tmp/redis.conf",
  ].join("\n");
}

/** In double quotes, where the shell still reads variables. */
function quoted(setting: string): string {
  return `"${setting.replaceAll('"', '\\"')}"`;
}

/** Redis keeps its data in its working folder. Its settings come on stdin. */
function onThisMachine(port: number, limitBytes: number | undefined): string {
  return `umask 077
${maxmemoryScript(limitBytes)}
${wholeFilesScript("appendonlydir")}
${aclFileScript("users.acl")}
exec redis-server - <<END
port ${port}
bind 127.0.0.1
${redisSettings.join("\n")}
aclfile $PWD/users.acl
END`;
}
