// A machine with a Docker Engine of its own, for all runs of a command: another network, other
// files, other processes. It has the images of the test's Engine, and one with the clan's tool.
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { $ } from "bun";
import packageJson from "../../package.json" with { type: "json" };
import { canStartEngine, startFreshEngine } from "../support/docker/fresh-engine.ts";
import { compileForTests } from "../support/process/compiled.ts";

export const canStartFar = canStartEngine && Bun.which("openssl") !== null;

export const toolImage = "sett-test/chaos-tool:local";

export type FarMachine = AsyncDisposable & {
  /** The socket of its Engine, for the test alone. */
  readonly host: string;
  /** Runs `docker` with its Engine, and returns the output. */
  docker(...words: string[]): Promise<string>;
  /** Says what a container has written, by both its streams. */
  logs(container: string): Promise<string>;
  /** Sends a signal to the first process of a container that runs. */
  signal(container: string, name: NodeJS.Signals): Promise<void>;
  /** This machine, as its containers reach it. */
  readonly address: string;
  /** A folder of which it sees nothing. */
  readonly folder: string;
};

const images = ["cub", "redis", "orchestrator", "gateway", "agent-base"].flatMap((name) => [
  `sett/${name}:latest`,
  `sett/${name}:${packageJson.version}`,
]);

export async function startFarMachine(): Promise<FarMachine> {
  await using parts = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "sett-far-"));
  parts.defer(() => rm(folder, { recursive: true, force: true }));
  const pools = "--default-address-pool=base=10.214.0.0/16,size=26";
  const engine = parts.use(await startFreshEngine([pools], [folder]));
  const docker = async (...words: string[]) =>
    (await $`docker --host ${engine.host} ${words}`.quiet().text()).trim();
  await $`docker save ${images} | docker --host ${engine.host} load`.quiet();
  const tool = await compileForTests("test/chaos/far-tool.ts");
  const context = join(folder, "tool");
  await $`mkdir ${context}`;
  await copyFile(tool, join(context, basename(tool)));
  await writeFile(
    join(context, "Dockerfile"),
    `FROM sett/agent-base:latest\nCOPY ${basename(tool)} /app/tool\n`,
  );
  await docker("build", "--quiet", "--tag", toolImage, context);
  const address = await engine.connect();
  const all = parts.move();
  return {
    ...{ host: engine.host, docker, address, folder },
    logs: (container) => $`docker --host ${engine.host} logs ${container} 2>&1`.quiet().text(),
    async signal(container, name) {
      const pid = Number(await docker("inspect", "--format", "{{.State.Pid}}", container));
      // 0 means a container that does not run, and to `kill` its own process group.
      if (pid > 0) await $`${engine.there()} kill -s ${name} ${pid}`.quiet().nothrow();
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
