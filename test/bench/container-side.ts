// Measures what real containers cost: starting an instance beside starting one container, memory at
// rest, sizes. It needs the images.
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import { root } from "../support/root.ts";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";
import { median } from "./figures.ts";

async function took(job: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await job();
  return performance.now() - began;
}

export type ContainerFigures = {
  up_ms: number;
  docker_run_ms: number;
  up_ratio: number;
  idle_memory_mb: Record<string, number>;
};

/**
 * `sett up` with one agent, images present, a fresh volume each time, in turn with `docker run -d`
 * of the agent's image.
 */
export async function containerFigures(rounds: number): Promise<ContainerFigures> {
  await using sett = await SettWorkspace.create({
    ...scriptAgent("idle", "cat > /dev/null"),
    "sett.yml": settYml({ idle: "    bids:\n      - { on: Nothing, bid: exclusive }\n" }),
  });
  await sett.commit("Add a sett");
  await sett.up();
  const idle_memory_mb = await memoryAtRest(sett.name);
  const ups: number[] = [];
  const runs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await sett.need("down", "--volumes");
    ups.push(await took(() => sett.up()));
    const label = `dev.sett.instance=${sett.name}`;
    runs.push(
      await took(() =>
        $`docker run -d --label ${label} --entrypoint sleep sett/agent-base:latest 600`.quiet(),
      ),
    );
    await $`docker rm -f $(docker ps -q --filter label=${label} --filter ancestor=sett/agent-base:latest)`.quiet();
  }
  return {
    up_ms: median(ups),
    docker_run_ms: median(runs),
    up_ratio: median(ups) / median(runs),
    idle_memory_mb,
  };
}

/**
 * From a grant's queueing to its acceptance in a worker made for it, in turn with `docker run` of
 * the same image from the call to its program's first word. The first worker of a place, which gets
 * its volume then, comes before.
 */
export async function workerStartRatio(rounds: number): Promise<number> {
  await using sett = await SettWorkspace.create({
    ...scriptAgent(
      "worker",
      `jq -n '{artefact_type: "Done", artefact_payload: "", summary: "", structural_type: "Terminal"}'`,
    ),
    "sett.yml": settYml({
      worker:
        "    strategy: fresh_per_call\n    bids:\n      - { on: GoalDefined, bid: exclusive }\n",
    }),
  });
  await sett.commit("Add a sett");
  await sett.up();
  const startMs = async (text: string): Promise<number> => {
    const goal = await sett.forage(text);
    const events = await waitFor(
      "the worker's result",
      async () => {
        const all = await sett.events(goal);
        return all.some((event) => event.type === "grant_done") && all;
      },
      { timeoutMs: 60_000, everyMs: 100 },
    );
    const at = (type: string) =>
      Date.parse(events.find((event) => event.type === type)?.time ?? "");
    return at("grant_started") - at("grant_queued");
  };
  await startMs("warm up");
  const workers: number[] = [];
  const runs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    workers.push(await startMs(`round ${round}`));
    runs.push(
      await took(() =>
        $`docker run --rm --entrypoint echo sett-${sett.name}-agent-worker:latest hello`.quiet(),
      ),
    );
  }
  return median(workers) / median(runs);
}

async function memoryAtRest(name: string): Promise<Record<string, number>> {
  const containers = ["orchestrator", "agent-idle", "redis"];
  const lines =
    await $`docker stats --no-stream --format ${"{{.Name}} {{.MemUsage}}"} ${containers.map((part) => `sett-${name}-${part}`)}`.text();
  return Object.fromEntries(
    [...lines.matchAll(/^sett-.*?-(orchestrator|agent-idle|redis) ([\d.]+)(\w+)/gm)].map(
      ([, part = "", amount, unit]) => [
        part === "agent-idle" ? "cub" : part,
        Number(amount) * (unit === "GiB" ? 1_024 : 1),
      ],
    ),
  );
}

/** Median milliseconds of `sett --version`. */
export async function versionMs(rounds: number): Promise<number> {
  const samples: number[] = [];
  for (let round = 0; round < rounds; round++)
    samples.push(await took(() => $`${join(root, "bin/sett")} --version`.quiet()));
  return median(samples);
}

/** Megabytes of the binaries and images. */
export async function sizes(): Promise<Record<string, number>> {
  const binaries = {
    "bin/sett": "bin/sett",
    cub: "bin/linux-amd64/cub",
    orchestrator: "bin/linux-amd64/orchestrator",
  };
  const entries = await Promise.all(
    Object.entries(binaries).map(
      async ([name, path]) =>
        [name, ((await stat(join(root, path)).catch(() => undefined))?.size ?? 0) / 1e6] as const,
    ),
  );
  const images =
    await $`docker images --format ${"{{.Repository}} {{.Size}}"} --filter reference=${"sett/*:latest"}`.text();
  const imageEntries = [...images.matchAll(/^(sett\/\S+) ([\d.]+)MB/gm)].map(
    ([, name = "", size]) => [`image ${name}`, Number(size)] as const,
  );
  return Object.fromEntries([...entries, ...imageEntries]);
}
