// A Docker Engine of the test's own, without any image, volume or network.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { startLasting } from "./lasting-process.ts";
import { waitFor } from "./wait-for.ts";

/** Only root may start one, and only where the Engine is installed. */
export const canStartEngine = process.getuid?.() === 0 && Bun.which("dockerd") !== null;

export type FreshEngine = AsyncDisposable & { host: string };

export async function startFreshEngine(): Promise<FreshEngine> {
  const folder = await mkdtemp(join(tmpdir(), "sett-engine-"));
  const host = `unix://${join(folder, "docker.sock")}`;
  // Containers get networks of their own; the usual one, whose bridge has a fixed name, belongs to the machine's Engine.
  const places = [`--host=${host}`, `--data-root=${join(folder, "data")}`, `--exec-root=${join(folder, "exec")}`];
  const pool = `--default-address-pool=base=10.${200 + Math.floor(Math.random() * 50)}.0.0/16,size=24`;
  const engine = startLasting(["dockerd", ...places, `--pidfile=${join(folder, "pid")}`, "--bridge=none", pool]);
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
