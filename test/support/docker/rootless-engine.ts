// A Docker Engine of the test's own that runs without root, as a user who has nothing but a range of user ids.
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { $ } from "bun";
import { startDetached } from "../process/detached-process.ts";
import { waitFor } from "../wait-for.ts";

/** Made by `.ci/setup.mjs --tests`. */
const user = "sett-rootless";
/** Debian has the Engine's own script beside its documentation. */
const path = "/usr/share/docker.io/contrib:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const starter = "dockerd-rootless.sh";
const asUser = ["setpriv", `--reuid=${user}`, `--regid=${user}`, "--init-groups", "--", "env", "-i", `PATH=${path}`];

/** Only root may work as another user; the rest is there where the set-up has found Debian's packages, and the kernel lets users have namespaces. */
export const canStartRootless =
  process.getuid?.() === 0 &&
  [starter, "newuidmap", "slirp4netns"].every((tool) => Bun.which(tool, { PATH: path }) !== null) &&
  (await $`${asUser} rootlesskit true`.quiet().nothrow()).exitCode === 0;

export type RootlessEngine = AsyncDisposable & {
  /** Belongs to the user, and is gone with the Engine. */
  folder: string;
  uid: number;
  /** What a program begins with that is to run as the user, and finds the Engine. */
  as: readonly string[];
};

export async function startRootlessEngine(): Promise<RootlessEngine> {
  const uid = Number(await $`id -u ${user}`.text());
  const folder = await mkdtemp(join(tmpdir(), "sett-rootless-"));
  const [home, runtime] = [join(folder, "home"), join(folder, "run")];
  for (const each of [home, runtime]) await mkdir(each, { mode: 0o700 });
  await $`chown -R ${uid} ${folder}`;
  const as = [...asUser, `HOME=${home}`, `XDG_RUNTIME_DIR=${runtime}`, `DOCKER_HOST=unix://${runtime}/docker.sock`] as const;
  const engine = startDetached(["setpriv", ...as.slice(1), starter, `--data-root=${join(folder, "data")}`]);
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
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
  };
  try {
    await waitFor("the Engine to answer", async () => {
      if (exitCode !== undefined) throw new Error(`${starter} ended with exit code ${exitCode}.`);
      return (await $`${as} docker version`.quiet().nothrow()).exitCode === 0;
    });
  } catch (error) {
    await stop();
    throw new Error(`No rootless Engine:\n${log}`, { cause: error });
  }
  return { folder, uid, as, [Symbol.asyncDispose]: stop };
}
