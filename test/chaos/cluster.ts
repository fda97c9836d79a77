// A cluster whose nodes are on this machine, as a run of chaos treats it: what its pods run can be
// killed and frozen, and so can its own processes and its nodes where a command for that is named.
import { readdir, readFile } from "node:fs/promises";
import process from "node:process";
import { $ } from "bun";
import { sleep } from "../../lib/async/sleep.ts";
import { partLabel } from "../../lib/runtime/kubernetes/manifests.ts";
import { kubeconfig } from "../support/runtime/test-cluster.ts";
import { waitFor } from "../support/wait-for.ts";
import type { Part } from "./supervised.ts";

/** It ends and starts one of the cluster's own processes: `COMMAND kill|start NAME`. */
const processCommand = process.env.SETT_TEST_CLUSTER_PROCESS;
/** It makes a node fail, and brings it back: `COMMAND crash|boot|cut|join NUMBER`. */
const nodeCommand = process.env.SETT_TEST_CLUSTER_NODE;
/** So long the cluster is without one of its processes that was killed. */
const awayMs = 3_000;
/** Longer than a cluster that notices soon needs to run the pods of a node elsewhere. */
const nodeAwayMs = 20_000;

export async function kubectl(...words: string[]): Promise<string> {
  return (await $`kubectl --kubeconfig ${kubeconfig} ${words}`.quiet().text()).trim();
}

/** All runs share them: a second fault of one of them waits for the first. */
export async function sharedParts(): Promise<Map<string, Part>> {
  const names = ["kube-apiserver", "etcd", "kubelet-1", "kube-controller-manager"];
  const own = processCommand === undefined ? [] : names;
  const nodes =
    nodeCommand === undefined ? [] : (await kubectl("get", "nodes", "-oname")).split("\n");
  return new Map([
    ...own.map((name) => [name, ownProcess(String(processCommand), name)] as const),
    ...nodes.flatMap((node, index) => [
      [`node ${index + 1}`, failingNode(String(nodeCommand), String(index + 1))] as const,
      [`drain of node ${index + 1}`, drainedNode(node)] as const,
    ]),
  ]);
}

function ownProcess(command: string, name: string): Part {
  return aloneFor(awayMs, async () => {
    await $`${command} kill ${name}`.quiet();
    return async () => void (await $`${command} start ${name}`.quiet());
  });
}

/** Killed it loses all that runs on it; frozen it is cut off, and what runs on it goes on. */
function failingNode(command: string, node: string): Part {
  const fail = (action: string, mend: string) => async () => {
    await $`${command} ${action} ${node}`.quiet();
    return async () => void (await $`${command} ${mend} ${node}`.quiet());
  };
  const { freeze } = aloneFor(0, async () => {
    const join = await fail("cut", "join")();
    await sleep(nodeAwayMs, new AbortController().signal);
    return join;
  });
  return { ...aloneFor(nodeAwayMs, fail("crash", "boot")), freeze };
}

function drainedNode(node: string): Part {
  const words = ["--ignore-daemonsets", "--delete-emptydir-data", "--force", "--timeout=60s"];
  return aloneFor(awayMs, async () => {
    // What does not go in time stays: the node takes nothing new all the same.
    await kubectl("drain", node, ...words).catch(() => "");
    return async () => void (await insist("uncordon", node));
  });
}

/** Until it has worked: the API server may be away, also when it has done what was asked. */
export async function insist(...words: string[]): Promise<void> {
  const isDone = (error: unknown) =>
    error instanceof $.ShellError && error.stderr.includes("AlreadyExists");
  await waitFor(`kubectl ${words[0]}`, () => kubectl(...words).then(() => true, isDone));
}

/** One fault of it after the other. `forMs`: so long it is away when it is killed. */
export function aloneFor(forMs: number, takeAway: () => Promise<() => Promise<void>>): Part {
  let last: Promise<void> = Promise.resolve();
  const begin = async () => {
    const before = last;
    const over = Promise.withResolvers<void>();
    last = over.promise;
    await before;
    const bringBack = await takeAway().catch((error: unknown) => {
      over.resolve();
      throw error;
    });
    return async () => {
      await bringBack();
      over.resolve();
    };
  };
  return {
    kill: async () => {
      const bringBack = await begin();
      await sleep(forMs, new AbortController().signal);
      await bringBack();
    },
    halt: begin,
    freeze: begin,
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
