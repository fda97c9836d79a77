// A cluster whose nodes are on this machine, as a run of chaos treats it: what its pods run can be
// killed and frozen, and so can its own processes where a command for that is named.
import { readdir, readFile } from "node:fs/promises";
import process from "node:process";
import { $ } from "bun";
import { sleep } from "../../lib/async/sleep.ts";
import { partLabel } from "../../lib/runtime/kubernetes/manifests.ts";
import { kubeconfig } from "../support/runtime/test-cluster.ts";
import type { Part } from "./supervised.ts";

/** It ends and starts one of the cluster's own processes: `COMMAND kill|start NAME`. */
const processCommand = process.env.SETT_TEST_CLUSTER_PROCESS;
/** So long the cluster is without one of its processes that was killed. */
const awayMs = 3_000;

export async function kubectl(...words: string[]): Promise<string> {
  return (await $`kubectl --kubeconfig ${kubeconfig} ${words}`.quiet().text()).trim();
}

/** All runs share them: a second fault of one of them waits for the first. */
export function clusterProcesses(): Map<string, Part> {
  if (processCommand === undefined) return new Map();
  const names = ["kube-apiserver", "etcd", "kubelet-1", "kube-controller-manager"];
  return new Map(names.map((name) => [name, ownProcess(processCommand, name)]));
}

function ownProcess(command: string, name: string): Part {
  let last: Promise<void> = Promise.resolve();
  const kill = async () => {
    await $`${command} kill ${name}`.quiet();
    return async () => void (await $`${command} start ${name}`.quiet());
  };
  const alone = (job: () => Promise<void>) => {
    last = last.then(job);
    return last;
  };
  return {
    kill: () =>
      alone(async () => {
        const start = await kill();
        await sleep(awayMs, new AbortController().signal);
        await start();
      }),
    halt: kill,
    freeze: kill,
  };
}

/** `kind`: of the object that keeps its pods there. `pod`: one of several. */
export function podPart(
  namespace: string,
  part: string,
  kind: "deployment" | "statefulset",
  pod?: string,
): Part {
  const processes = () => firstAndOthers(namespace, part, pod);
  return {
    kill: async () => {
      for (const { id, isFirst } of await processes()) if (isFirst) signal(id, "SIGKILL");
    },
    halt: async () => {
      await kubectl("scale", `-n${namespace}`, `${kind}/${part}`, "--replicas=0");
      return async () =>
        void (await kubectl("scale", `-n${namespace}`, `${kind}/${part}`, "--replicas=1"));
    },
    freeze: async () => {
      const frozen = await processes();
      for (const { id } of frozen) signal(id, "SIGSTOP");
      return async () => {
        for (const { id } of frozen) signal(id, "SIGCONT");
      };
    },
  };
}

/** The ids of all that runs in the pods of a part. */
export async function processesOfPart(namespace: string, part: string): Promise<number[]> {
  return (await firstAndOthers(namespace, part)).map(({ id }) => id);
}

async function firstAndOthers(namespace: string, part: string, pod?: string) {
  const selector = `--selector=${partLabel}=${part}`;
  const columns = "jsonpath={range .items[*]}{.metadata.name} {.metadata.uid}{'\\n'}{end}";
  const listed = await kubectl("get", "pods", `-n${namespace}`, selector, `-o${columns}`);
  const uids = listed
    .split("\n")
    .map((line) => line.split(" "))
    .flatMap(([name, uid]) => (pod === undefined || name === pod ? [uid ?? ""] : []));
  return await processesOf(uids);
}

/** The cluster's own of each pod, which holds its network, is left out. */
async function processesOf(uids: readonly string[]): Promise<{ id: number; isFirst: boolean }[]> {
  const wanted = uids.flatMap((uid) => [uid, uid.replaceAll("-", "_")]);
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const all = await Promise.all(
    ids.map(async (id) => {
      const read = (file: string) => readFile(`/proc/${id}/${file}`, "utf8").catch(() => "");
      const groups = await read("cgroup");
      if (!wanted.some((uid) => groups.includes(`pod${uid}`))) return [];
      const status = await read("status");
      const isPause = /^Name:\s*pause$/m.test(status);
      return isPause ? [] : [{ id: Number(id), isFirst: /^NSpid:.*\t1$/m.test(status) }];
    }),
  );
  return all.flat();
}

function signal(id: number, name: NodeJS.Signals): void {
  try {
    process.kill(id, name);
  } catch {
    // It has ended by itself.
  }
}
