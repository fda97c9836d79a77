// `just chaos`: random kills against a working clan, each run checked against the history it leaves
// behind.
//
// --runs N  how many runs (200)        --seed N  the first run's seed; by itself: that run alone
// --jobs N  runs at a time (6)         --keep    keep the logs of runs that went well, too
// --faults "kill redis,garbage"  these kinds alone
// --far     in containers of another machine, over a link that is cut, slow and silent, too
// --cluster in the Kubernetes cluster of SETT_TEST_KUBERNETES, a kubeconfig
//
// A seed repeats a run's goals, faults and tools; what falls together in time is still the
// machine's. Exit code 1 when a rule was broken.
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { messageOf } from "../../lib/model/errors.ts";
import type { EventType } from "../../lib/model/event.ts";
import { stopSignal } from "../../lib/service/stop-signal.ts";
import { kubeconfig } from "../support/runtime/test-cluster.ts";
import { prepareCluster, startClusterWorld } from "./cluster-world.ts";
import { canStartFar, startFarMachine } from "./far-machine.ts";
import { startFarWorld } from "./far-world.ts";
import { clusterKinds, type Fault, farKinds, faultKinds } from "./faults.ts";
import type { Kind } from "./history-checker.ts";
import { type RunReport, runChaos } from "./run.ts";
import type { World } from "./world.ts";

const { values: options } = parseArgs({
  options: {
    runs: { type: "string" },
    seed: { type: "string" },
    jobs: { type: "string", default: "6" },
    keep: { type: "boolean", default: false },
    faults: { type: "string" },
    far: { type: "boolean", default: false },
    cluster: { type: "boolean", default: false },
  },
});
const first = Number(options.seed ?? "1");
const runs = Number(options.runs ?? (options.seed === undefined ? "200" : "1"));
const { far: isFar, cluster: isInCluster } = options;
const possible: readonly Fault["kind"][] = isInCluster
  ? clusterKinds
  : isFar
    ? farKinds
    : faultKinds;
const wanted = options.faults?.split(",") ?? possible;
const kinds = possible.filter((kind) => wanted.includes(kind));
const unknown = wanted.filter((kind) => !possible.some((known) => known === kind));
if (unknown.length > 0) {
  console.error(`There is no fault ${unknown.join(", ")}: use ${possible.join(", ")}.`);
  process.exit(2);
}
if (isFar && !canStartFar) {
  console.error(
    "Only root can start another machine's Engine: with dockerd, ip, unshare and nsenter.",
  );
  process.exit(2);
}
if (isInCluster && kubeconfig === "") {
  console.error(
    "SETT_TEST_KUBERNETES names no kubeconfig: test/chaos/README.md says what is needed.",
  );
  process.exit(2);
}
const stop = stopSignal();
const reports: RunReport[] = [];
await using machine = isFar ? await startFarMachine() : undefined;
await using cluster = isInCluster ? await prepareCluster() : undefined;
const start = startIn();

let next = first;
await Promise.all(
  Array.from({ length: Math.min(runs, Number(options.jobs)) }, async () => {
    while (next < first + runs && !stop.aborted) {
      const seed = next++;
      const report = await runChaos(seed, stop, kinds, start).catch((error: unknown) => {
        if (!stop.aborted) console.log(`NO RUN seed ${seed}: ${messageOf(error)}`);
      });
      if (report !== undefined) await print(report);
    }
  }),
);

const countOf = (kind: Kind) =>
  reports.flatMap(({ violations }) => violations).filter((one) => one.kind === kind).length;
const wrong = countOf("wrong");
const broken = reports.filter(({ violations }) => violations.length > 0);
for (const { seed, folder } of broken)
  console.log(`just chaos --seed ${seed}    # what it left behind: ${folder}`);
console.log(
  `${reports.length} runs: ${countOf("lost")} lost, ${countOf("duplicated")} duplicated, ${countOf("in limbo")} in limbo` +
    (wrong === 0 ? "" : `, ${wrong} otherwise wrong`),
);
process.exitCode = stop.aborted ? 130 : Math.min(1, broken.length + runs - reports.length);

function startIn(): ((run: { seed: number }) => Promise<World>) | undefined {
  if (cluster !== undefined) return (run) => startClusterWorld(cluster, run);
  return machine && ((run) => startFarWorld(machine, run));
}

async function print(report: RunReport): Promise<void> {
  const { seed, seconds, goals, faults, violations, history, folder } = report;
  reports.push(report);
  const verdict = violations.length === 0 ? "ok    " : "BROKEN";
  const count = (type: EventType) => history.events.filter((event) => event.type === type).length;
  const [again, refused, epochs] = [
    count("grant_retrying"),
    count("result_refused"),
    count("orchestrator_started"),
  ];
  const about = `${goals} goals, ${count("grant_waiting")} questions, ${history.events.length} events, ${again} attempts again, ${refused} refused, ${count("retry_requested")} asked for again, ${epochs} epochs`;
  console.log(
    `${verdict} seed ${String(seed).padEnd(4)} ${seconds.toFixed(1).padStart(6)} s   ${about}; ${faults.join(", ")}`,
  );
  for (const { kind, rule, sentence } of violations.slice(0, 10))
    console.log(`       ${kind} (${rule}): ${sentence}`);
  if (violations.length > 10) console.log(`       … and ${violations.length - 10} more`);
  if (violations.length === 0 && !options.keep) await rm(folder, { recursive: true });
  else
    await writeFile(
      join(folder, "events.jsonl"),
      history.events.map((event) => `${JSON.stringify(event)}\n`).join(""),
    );
}
