// A Docker Engine of the test's own that runs without root, as a user who has nothing but a range
// of user ids.
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { $ } from "bun";
import { startOwnEngine } from "./own-engine.ts";

/** Made by `.ci/setup.mjs --tests`. */
const user = "sett-rootless";
/** Debian has the Engine's own script beside its documentation. */
const path =
  "/usr/share/docker.io/contrib:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const starter = "dockerd-rootless.sh";
const asUser = [
  "setpriv",
  `--reuid=${user}`,
  `--regid=${user}`,
  "--init-groups",
  "--",
  "env",
  "-i",
  `PATH=${path}`,
];

/**
 * Only root may work as another user; the rest is there where the set-up has found Debian's
 * packages, and the kernel lets users have namespaces.
 */
export const canStartRootless =
  process.getuid?.() === 0 &&
  [starter, "newuidmap", "slirp4netns"].every((tool) => Bun.which(tool, { PATH: path }) !== null) &&
  (await $`${asUser} rootlesskit true`.quiet().nothrow()).exitCode === 0;

export type RootlessEngine = AsyncDisposable & {
  /** Belongs to the user, and is gone with the Engine. */
  folder: string;
  uid: number;
  /** The words with which a program begins that is to run as the user, and finds the Engine. */
  as: readonly string[];
};

export async function startRootlessEngine(): Promise<RootlessEngine> {
  const uid = Number(await $`id -u ${user}`.text());
  const folder = await mkdtemp(join(tmpdir(), "sett-rootless-"));
  const [home, runtime] = [join(folder, "home"), join(folder, "run")];
  for (const each of [home, runtime]) await mkdir(each, { mode: 0o700 });
  await $`chown -R ${uid} ${folder}`;
  const as = [
    ...asUser,
    `HOME=${home}`,
    `XDG_RUNTIME_DIR=${runtime}`,
    `DOCKER_HOST=unix://${runtime}/docker.sock`,
  ] as const;
  const { stop } = await startOwnEngine({
    command: ["setpriv", ...as.slice(1), starter, `--data-root=${join(folder, "data")}`],
    answers: async () => (await $`${as} docker version`.quiet().nothrow()).exitCode === 0,
    clear: async () => {
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
    },
  });
  return { folder, uid, as, [Symbol.asyncDispose]: stop };
}
