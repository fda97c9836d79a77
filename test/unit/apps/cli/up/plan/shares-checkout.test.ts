// Which instances begin over one checkout? Large ones, from their beginning on.
import { expect, test } from "bun:test";
import { sharesCheckout } from "../../../../../../apps/cli/up/plan/shares-checkout.ts";
import type { HostRepository } from "../../../../../../lib/git/repository/host-repository.ts";
import { CommitHash, InstanceName } from "../../../../../../lib/model/ids.ts";
import type { PartKind, PartLabels } from "../../../../../../lib/runtime/labels.ts";
import { agentName } from "../../../../../support/records/sample.ts";

const instance = InstanceName.parse("demo");
const agent = agentName("coder");

function shares({
  isLarge = true,
  isRootless = false,
  volumes = {} as Record<string, PartKind>,
}): Promise<boolean> {
  const repository = {
    head: async () => CommitHash.parse("a".repeat(40)),
    takesMoreThan: async () => isLarge,
  } as unknown as HostRepository;
  const labels = (kind: PartKind): PartLabels => ({
    ...{ instance, workspace: "", version: "" },
    ...kind,
  });
  const before = {
    ...{ instance, containers: [], networks: [] },
    volumes: Object.entries(volumes).map(([name, kind]) => ({ name, labels: labels(kind) })),
  };
  const engine = {
    ...{ version: "", architecture: "", cpus: 1, memoryBytes: 1 },
    ...{ canLimitSystemCalls: true, canLimitProcessors: true, isRootless },
  };
  return sharesCheckout({ before, engine }, { instance, repository });
}

const workspace = { component: "workspace", agent } as const;

test("a large repository, where the Engine can", async () => {
  expect(await shares({})).toBe(true);
  expect(await shares({ isLarge: false })).toBe(false);
  expect(await shares({ isRootless: true })).toBe(false);
  expect(await shares({ volumes: { "sett-demo-blackboard": { component: "blackboard" } } })).toBe(
    true,
  );
});

test("an instance stays as it began, whatever its repository has become", async () => {
  const plain = { "sett-demo-workspace-coder": workspace };
  const layered = { ...plain, "sett-demo.layer": { component: "layer" } as const };
  expect(await shares({ volumes: plain })).toBe(false);
  expect(await shares({ volumes: layered, isLarge: false })).toBe(true);
});

test("what a worker has left says nothing", async () => {
  expect(await shares({ volumes: { "sett-demo-workspace-coder.over-0a": workspace } })).toBe(true);
});
