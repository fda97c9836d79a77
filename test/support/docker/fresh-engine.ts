// A Docker Engine of the test's own, without any image, volume or network.
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
  within: readonly string[];
};

/**
 * It has the network of a machine of its own: an Engine that starts makes the rules for packets
 * anew, those of the machine's Engine too, and docker0 has a fixed name.
 */
export async function startFreshEngine(options: readonly string[] = []): Promise<FreshEngine> {
  const folder = await mkdtemp(join(tmpdir(), "sett-engine-"));
  const host = `unix://${join(folder, "docker.sock")}`;
  const pidFile = join(folder, "pid");
  const places = [
    `--host=${host}`,
    `--data-root=${join(folder, "data")}`,
    `--exec-root=${join(folder, "exec")}`,
  ];
  const start = [
    "unshare",
    "--net",
    "sh",
    "-c",
    'ip link set lo up && exec dockerd "$@"',
    "dockerd",
  ] as const;
  const stop = await startOwnEngine({
    command: [...start, ...places, `--pidfile=${pidFile}`, ...options],
    answers: async () => (await $`docker --host ${host} version`.quiet().nothrow()).exitCode === 0,
    clear: async () => {
      await $`umount -R ${join(folder, "data")} ${join(folder, "exec")}`.quiet().nothrow();
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
    },
  });
  const pid = (await Bun.file(pidFile).text()).trim();
  return {
    host,
    within: ["nsenter", `--net=/proc/${pid}/ns/net`, "--"],
    [Symbol.asyncDispose]: stop,
  };
}
