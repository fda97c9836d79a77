// The cluster of the one test by day that needs one: what SETT_TEST_KUBERNETES names, or one that
// scripts beside this repository start, which need root, and of which a machine has one at a time.
import { existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { $ } from "bun";
import { root } from "../root.ts";
import { kubeconfig as named } from "./test-cluster.ts";

const scripts = join(root, "../shared/kubernetes");
const home = join(tmpdir(), "kube");

export const canStartCluster =
  named !== "" || (existsSync(join(scripts, "kube-up.sh")) && process.getuid?.() === 0);

type Started = AsyncDisposable & { kubeconfig: string };

/**
 * One that runs already stays, and what a machine has left of one goes. Throws where that one does
 * not enforce policies.
 */
export async function startCluster(): Promise<Started> {
  const kept = async () => {};
  if (named !== "") return { kubeconfig: named, [Symbol.asyncDispose]: kept };
  const kubeconfig = join(home, "kubeconfig");
  const settings = join(home, "settings");
  const down = async () => void (await $`${scripts}/kube-down.sh`.quiet().nothrow());
  if (existsSync(settings) && !isRunning()) await down();
  if (existsSync(settings)) {
    if (/^KUBE_POLICY=1$/m.test(readFileSync(settings, "utf8")))
      return { kubeconfig, [Symbol.asyncDispose]: kept };
    throw new Error(`The cluster in ${home} enforces no policies: end it by kube-down.sh.`);
  }
  try {
    await $`${scripts}/kube-up.sh`.env({ ...process.env, KUBE_POLICY: "1" }).quiet();
  } catch (error) {
    await down();
    throw error;
  }
  return { kubeconfig, [Symbol.asyncDispose]: down };
}

/** Another program may have its number since. */
function isRunning(): boolean {
  try {
    const pid = readFileSync(join(home, "pids/kube-apiserver"), "utf8").trim();
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(`${home}/`);
  } catch {
    return false;
  }
}
