// Shows what `sett up` finds to do on an instance.
import { describe, expect, test } from "bun:test";
import type { PlanInput } from "../../../../../../apps/cli/services/input.ts";
import {
  agentsOfOldWorkers,
  type Change,
  diffOf,
} from "../../../../../../apps/cli/up/plan/diff.ts";
import { registrationsOf } from "../../../../../../lib/config/registrations.ts";
import { InstanceName } from "../../../../../../lib/model/ids.ts";
import { changedParts } from "../../../../../../lib/runtime/fingerprint.ts";
import type { PartLabels } from "../../../../../../lib/runtime/labels.ts";
import type { ContainerPart, InstanceParts } from "../../../../../../lib/runtime/port.ts";
import { sampleConfig, samplePlan } from "../../../../../support/cli/sample-plan.ts";
import { agentName } from "../../../../../support/records/sample.ts";

const instance = InstanceName.parse("demo");
const agent = (name: string, more = "") =>
  `  ${name}:\n    image: some/image:1\n    command: [run]\n${more}`;
const coder = agent("coder", "    environment: { A: 1, B: 2 }\n");
const tester = agent("tester");

function planOf(
  agents: string,
  {
    imageId = "sha256:3",
    cubId = "sha256:2",
    over = {} as Partial<PlanInput>,
    top = "",
    host = {} as Record<string, string>,
  } = {},
) {
  const text = `version: '1.0'\n${top}agents:\n${agents}`;
  const config = sampleConfig(text, host);
  const image = (id: string) => ({ tag: "some/image:1", id, env: {} });
  const images = {
    redis: image("sha256:0"),
    orchestrator: image("sha256:1"),
    gateway: image("sha256:9"),
    agents: new Map(config.agents.map(({ name }) => [name, image(imageId)])),
  };
  const registrations = registrationsOf(config, new Map());
  const socket = { path: "/var/run/docker.sock", gid: 1 };
  return samplePlan(config, { registrations, images, ...over }, { cub: image(cubId), socket });
}

/** Returns what the engine reports when all of a plan runs. */
function running({ networks, services, agents }: ReturnType<typeof planOf>): InstanceParts {
  const container = ({ name, labels }: { name: string; labels: PartLabels }): ContainerPart => ({
    id: `id of ${name}`,
    name,
    labels,
    image: { tag: "", id: "" },
    state: { state: "running", startedAt: "", health: "none" },
    restarts: 0,
    isOutOfMemory: false,
    memoryBytes: undefined,
    createdAt: "",
    env: {},
    ports: [],
  });
  const parts = [...services, ...agents];
  const volumes = parts.flatMap((part) =>
    part.volumes.map(({ name, labels }) => ({ name, labels })),
  );
  return {
    instance,
    containers: parts.map(({ spec }) => container(spec)),
    networks: networks.map((network, index) => ({ id: String(index), ...network })),
    volumes: [...new Map(volumes.map((volume) => [volume.name, volume])).values()],
  };
}

/** Name → what becomes of it. */
function fates(plan: ReturnType<typeof planOf>, parts: InstanceParts): Record<string, string> {
  const { services, agents } = diffOf(plan, parts);
  return Object.fromEntries([...services, ...agents].map(({ name, kind }) => [name, kind]));
}

function changedIn(change: Change): string[] {
  return change.kind === "replace"
    ? changedParts(change.found.labels.fingerprint, change.spec.labels.fingerprint)
    : [];
}

const both = running(planOf(coder + tester));
const kept = {
  redis: "keep",
  orchestrator: "keep",
  recorder: "keep",
  coder: "keep",
  tester: "keep",
};

describe("of a sett that runs", () => {
  test("nothing is touched when sett.yml says the same, in whatever order, by whatever version of Sett", () => {
    expect(fates(planOf(coder + tester), both)).toEqual(kept);
    const reordered = agent("coder", "    environment: { B: 2, A: 1 }\n");
    expect(fates(planOf(tester + reordered, { over: { version: "1.2.4" } }), both)).toEqual(kept);
    expect(diffOf(planOf(coder + tester), both)).toMatchObject({
      removed: [],
      leftovers: [],
      unusedVolumes: [],
      unusedNetworks: [],
      missingNetworks: [],
    });
  });

  test.each([
    ["command", agent("tester").replace("[run]", "[run, fast]"), ["command"]],
    ["environment", agent("tester", "    environment: { A: 1 }\n"), ["environment"]],
    ["prompt", agent("tester", "    prompts: { execution: Do it }\n"), ["prompts"]],
    [
      "rule, which only its registration has,",
      agent("tester", "    bids: [{ on: Draft, bid: review }]\n"),
      ["settings"],
    ],
    [
      "limit of memory",
      agent("tester", "    resources: { limits: { memory: 64M } }\n"),
      ["resources"],
    ],
    ["workspace", agent("tester", "    workspace: { mode: rw }\n"), ["settings"]],
    ["role", agent("tester", "    role: critic\n"), ["settings"]],
  ])(
    "an agent with another %s is replaced, and it alone; what has changed is known",
    (_, changed, parts) => {
      const plan = planOf(coder + changed);
      expect(fates(plan, both)).toEqual({ ...kept, tester: "replace" });
      expect(diffOf(plan, both).agents.map(changedIn)).toEqual([[], parts]);
    },
  );

  test("agents are replaced when their image, or the cub, is another one under the same name", () => {
    const replaced = { ...kept, coder: "replace", tester: "replace" };
    const rebuilt = planOf(coder + tester, { imageId: "sha256:33" });
    expect(fates(rebuilt, both)).toEqual(replaced);
    expect(diffOf(rebuilt, both).agents.map(changedIn)).toEqual([["image"], ["image"]]);
    const plan = planOf(coder + tester, { cubId: "sha256:22" });
    expect(fates(plan, both)).toEqual(replaced);
    expect(diffOf(plan, both).agents.map(changedIn)).toEqual([["container"], ["container"]]);
    expect(diffOf(plan, both).unusedVolumes).toEqual(["sett-demo-cub-2"]);
  });

  test("the orchestrator is replaced for the settings it goes by", () => {
    const plan = planOf(coder + tester, { top: "consensus: first_bid\n" });
    expect(fates(plan, both)).toEqual({ ...kept, orchestrator: "replace" });
  });

  test("an agent that is new is started, and one that was removed leaves with its workers and its workspaces", () => {
    const [found] = both.containers;
    if (found === undefined) throw new Error("no container");
    const worker = {
      ...found.labels,
      component: "worker",
      agent: agentName("tester"),
      role: "tester",
    } as PartLabels;
    const parts = {
      ...both,
      containers: [
        ...both.containers,
        { ...found, name: "sett-demo-worker-tester-1", labels: worker },
      ],
    };
    const plan = planOf(coder + agent("writer"));
    expect(fates(plan, parts)).toEqual({
      redis: "keep",
      orchestrator: "keep",
      recorder: "replace",
      coder: "keep",
      writer: "start",
    });
    const { removed, unusedVolumes } = diffOf(plan, parts);
    expect(removed.map(({ name }) => name)).toEqual([
      "sett-demo-agent-tester",
      "sett-demo-worker-tester-1",
    ]);
    expect(unusedVolumes).toEqual(["sett-demo.recorder.tester", "sett-demo-workspace-tester"]);
  });

  test("an agent with a worker of before is known, until that has ended", () => {
    const plan = planOf(coder + tester);
    const found = both.containers.find(({ name }) => name === "sett-demo-agent-tester");
    if (found === undefined) throw new Error("no container");
    const workerOf = (fingerprint = "", state = found.state) => {
      const labels = { ...found.labels, component: "worker", fingerprint } as PartLabels;
      return agentsOfOldWorkers(plan, [...both.containers, { ...found, state, labels }]);
    };
    expect([...workerOf("of before")]).toEqual([agentName("tester")]);
    expect([...workerOf(found.labels.fingerprint)]).toEqual([]);
    expect([...workerOf("of before", { state: "exited", exitCode: 0, endedAt: "" })]).toEqual([]);
    // The agent's own container is replaced, and keeps no rights.
    const labels = { ...found.labels, fingerprint: "of before" } as PartLabels;
    expect([...agentsOfOldWorkers(plan, [{ ...found, labels }])]).toEqual([]);
  });

  test("the checkout that agents share goes with the last of them", () => {
    const over = { isLayered: true };
    const layered = running(planOf(coder + tester, { over }));
    const unused = (agents: string) => diffOf(planOf(agents, { over }), layered).unusedVolumes;
    expect(unused(coder + tester)).toEqual([]);
    const ofTester = [
      "sett-demo.recorder.tester",
      "sett-demo-workspace-tester",
      "sett-demo-workspace-tester.upper",
    ];
    expect(unused(coder)).toEqual(ofTester);
    const fresh = agent("coder", "    strategy: fresh_per_call\n");
    expect(unused(fresh)).toEqual(ofTester);
  });

  describe("with models", () => {
    const models = (model: string, key = "$" + "{KEY}") =>
      `models:\n  strong: { provider: anthropic, model: ${model}, key: "${key}" }\n`;
    const thinker = agent("thinker", "    model: strong\n");
    const planWith = (model: string, key = "one", over: Partial<PlanInput> = {}) =>
      planOf(coder + thinker, { top: models(model), host: { KEY: key }, over });
    const present = running(planWith("claude-one"));
    const allKept = {
      redis: "keep",
      orchestrator: "keep",
      gateway: "keep",
      recorder: "keep",
      coder: "keep",
      thinker: "keep",
    };

    test("another key replaces nothing, because nothing was made from it", () => {
      expect(fates(planWith("claude-one", "two"), present)).toEqual(allKept);
      expect(JSON.stringify(planWith("claude-one", "a-secret-key"))).not.toContain("a-secret-key");
    });

    test("another model replaces the gateway, and the agents that have it", () => {
      const plan = planWith("claude-two");
      expect(fates(plan, present)).toEqual({ ...allKept, gateway: "replace", thinker: "replace" });
      expect(diffOf(plan, present).agents.map(changedIn)).toEqual([[], ["model"]]);
    });

    test("another folder of cassettes replaces the gateway alone", () => {
      const cassettes = (mode: "record" | "replay", folder: string) =>
        planWith("claude-one", "one", { cassettes: { mode, folder } });
      expect(fates(cassettes("record", "/one"), present)).toEqual({
        ...allKept,
        gateway: "replace",
      });
      const recording = running(cassettes("record", "/one"));
      expect(fates(cassettes("record", "/one"), recording)).toEqual(allKept);
      expect(fates(cassettes("record", "/two"), recording)).toEqual({
        ...allKept,
        gateway: "replace",
      });
      expect(fates(cassettes("replay", "/one"), recording)).toEqual({
        ...allKept,
        gateway: "replace",
      });
    });

    test("without its models the gateway leaves, and its record stays", () => {
      const { removed, unusedVolumes, leftovers } = diffOf(
        planOf(coder + agent("thinker")),
        present,
      );
      expect(removed.map(({ name }) => name)).toEqual(["sett-demo-gateway"]);
      expect([unusedVolumes, leftovers]).toEqual([["sett-demo.gateway.thinker"], []]);
    });
  });

  test("what does not run is replaced, and what is not there is started", () => {
    const [first, ...others] = both.containers;
    const stopped = others.map((part) =>
      part.name.endsWith("-coder") ? { ...part, state: { state: "paused" as const } } : part,
    );
    expect(first?.labels.component).toBe("redis");
    expect(fates(planOf(coder + tester), { ...both, containers: stopped })).toEqual({
      ...kept,
      redis: "start",
      coder: "replace",
    });
  });

  test("a container that a killed `up` has set aside is no part of it", () => {
    const containers = both.containers.map((part) =>
      part.name.endsWith("-coder") ? { ...part, name: `${part.name}.old` } : part,
    );
    const plan = planOf(coder + tester);
    expect(fates(plan, { ...both, containers })).toEqual({ ...kept, coder: "start" });
    expect(diffOf(plan, { ...both, containers }).leftovers.map(({ name }) => name)).toEqual([
      "sett-demo-agent-coder.old",
    ]);
    expect(diffOf(plan, { ...both, containers }).removed).toEqual([]);
  });
});

test("a container that a killed `up` has left over a volume is removed, whatever it was for", () => {
  const plan = planOf(coder + tester);
  const [first] = both.containers;
  if (first === undefined) throw new Error("no container");
  const idle = [...plan.services, ...plan.agents]
    .flatMap(({ volumes }) => volumes)
    .map(({ name, labels }) => ({
      ...first,
      name,
      labels,
    }));
  const changes = diffOf(plan, { ...both, containers: [...both.containers, ...idle] });
  expect(changes.leftovers).toEqual(idle);
  expect(changes.removed).toEqual([]);
});

test("where there is nothing, all is started", () => {
  const nothing = { instance, containers: [], networks: [], volumes: [] };
  expect(new Set(Object.values(fates(planOf(coder + tester), nothing)))).toEqual(
    new Set(["start"]),
  );
  expect(diffOf(planOf(coder + tester), nothing).missingNetworks.map(({ name }) => name)).toEqual([
    "sett-demo",
  ]);
});
