// A Docker Engine of the test's own, without any image, volume or network.
import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { startOwnEngine } from "./own-engine.ts";

/** Only root may start one, and only where the Engine is installed. */
export const canStartEngine =
  process.getuid?.() === 0 &&
  ["dockerd", "ip", "unshare", "nsenter"].every((tool) => Bun.which(tool) !== null);

export type FreshEngine = AsyncDisposable & {
  host: string;
  /** The words with which a command begins that is to reach the ports of its containers. */
  within(): readonly string[];
  /** The same for one that is to run on its machine. */
  there(): readonly string[];
  /**
   * Lays a cable between its machine and this one, and resolves with this one's address on it,
   * which its containers reach, too.
   */
  connect(): Promise<string>;
  /** Ends all that runs in it at once, as a power cut does, and starts it again. */
  restartMachine(): Promise<void>;
};

/**
 * `hidden`: folders that are empty on its machine, which has the usual socket of an Engine then.
 *
 * It has the network of a machine of its own: an Engine that starts makes the rules for packets
 * anew, those of the machine's Engine too, and docker0 has a fixed name. Its processes and mounts
 * are its own as well, and go with it.
 */
export async function startFreshEngine(
  options: readonly string[] = [],
  hidden: readonly string[] = [],
): Promise<FreshEngine> {
  const folder = await mkdtemp(join(tmpdir(), "sett-engine-"));
  const host = `unix://${join(folder, "docker.sock")}`;
  const [pidFile, execRoot] = [join(folder, "pid"), join(folder, "exec")];
  const namespaces = ["--net", "--mount", "--pid", "--fork", "--kill-child"];
  // Its number on this machine shows in this machine's /proc alone.
  const first = `read -r pid _ < /proc/self/stat; echo "$pid" > ${pidFile}
    mount -t proc proc /proc && ${hide(hidden)} ip link set lo up && exec dockerd "$@"`;
  const places = [
    `--host=${host}`,
    ...(hidden.length === 0 ? [] : ["--host=unix:///var/run/docker.sock"]),
    `--data-root=${join(folder, "data")}`,
    `--exec-root=${execRoot}`,
    `--pidfile=${join(execRoot, "pid")}`,
  ];
  const start = () =>
    startOwnEngine({
      command: ["unshare", ...namespaces, "sh", "-c", first, "dockerd", ...places, ...options],
      // `unshare` ignores SIGTERM, and its child ends with it.
      stopSignal: "SIGKILL",
      answers: async () =>
        (await $`docker --host ${host} version`.quiet().nothrow()).exitCode === 0,
      clear: () => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 }),
    });
  let engine = await start();
  const spaces = (...kinds: string[]) => {
    const of = `/proc/${readFileSync(pidFile, "utf8").trim()}/ns`;
    return [
      "nsenter",
      ...kinds.map((kind) => `--${kind}=${of}/${kind === "mount" ? "mnt" : kind}`),
      "--",
    ];
  };
  return {
    host,
    within: () => spaces("net"),
    there: () => spaces("net", "mount", "pid"),
    async connect() {
      const [subnet, name] = [randomInt(1, 255), `sett${randomInt(1, 99_999)}`];
      const [here, inside] = [`10.213.${subnet}.1`, `10.213.${subnet}.2`];
      const pid = readFileSync(pidFile, "utf8").trim();
      // It goes with the other machine.
      await $`ip link add ${name} type veth peer name cable netns ${pid}`.quiet();
      await $`ip address add ${here}/24 dev ${name}`.quiet();
      await $`ip link set ${name} up`.quiet();
      const there = spaces("net");
      await $`${there} ip address add ${inside}/24 dev cable`.quiet();
      await $`${there} ip link set cable up`.quiet();
      return here;
    },
    async restartMachine() {
      await engine.kill();
      await rm(execRoot, { recursive: true });
      engine = await start();
    },
    [Symbol.asyncDispose]: () => engine.stop(),
  };
}

/** The folder of sockets is its own then, too. */
function hide(folders: readonly string[]): string {
  const all = folders.length === 0 ? [] : ["/run", ...folders];
  const mounts = all.map((folder) => `mount -t tmpfs sett-hidden ${folder}`);
  return [...mounts, "mkdir -p /run/sshd"].map((each) => `${each} &&`).join(" ");
}
