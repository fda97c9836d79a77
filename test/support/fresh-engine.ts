// A Docker Engine of the test's own, without any image, volume or network.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { startLasting } from "./lasting-process.ts";
import { waitFor } from "./wait-for.ts";

/** Only root may start one, and only where the Engine is installed. */
export const canStartEngine = process.getuid?.() === 0 && Bun.which("dockerd") !== null && Bun.which("ip") !== null;

export type FreshEngine = AsyncDisposable & { host: string };

export async function startFreshEngine(): Promise<FreshEngine> {
  const folder = await mkdtemp(join(tmpdir(), "sett-engine-"));
  const host = `unix://${join(folder, "docker.sock")}`;
  // The usual bridge, docker0, belongs to the machine's Engine, and one that is told to have none would remove it.
  const net = `10.${200 + Math.floor(Math.random() * 50)}`;
  const bridge = `sett${crypto.randomUUID().slice(0, 8)}`;
  await $`ip link add ${bridge} type bridge && ip addr add ${net}.255.1/24 dev ${bridge} && ip link set ${bridge} up`.quiet();
  const places = [`--host=${host}`, `--data-root=${join(folder, "data")}`, `--exec-root=${join(folder, "exec")}`];
  const pool = `--default-address-pool=base=${net}.0.0/17,size=24`;
  const engine = startLasting(["dockerd", ...places, `--pidfile=${join(folder, "pid")}`, `--bridge=${bridge}`, pool]);
  let log = "";
  for (const stream of [engine.stdout, engine.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      log = `${log}${text}`.slice(-4_000);
    });
  }
  let exitCode: number | undefined;
  void engine.exited.then((code) => {
    exitCode = code;
  });
  const stop = async () => {
    engine.signal("SIGTERM");
    await engine.exited;
    await $`ip link delete ${bridge}`.quiet().nothrow();
    await $`umount -R ${join(folder, "data")} ${join(folder, "exec")}`.quiet().nothrow();
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
  };
  try {
    await waitFor("the Engine to answer", async () => {
      if (exitCode !== undefined) throw new Error(`dockerd ended with exit code ${exitCode}.`);
      return (await $`docker --host ${host} version`.quiet().nothrow()).exitCode === 0;
    });
  } catch (error) {
    await stop();
    throw new Error(`No fresh Engine:\n${log}`, { cause: error });
  }
  return { host, [Symbol.asyncDispose]: stop };
}
