// Whether the egress proxy knows the addresses that this machine has now.
import { expect, test } from "bun:test";
import type { PartFacts } from "../../../../../apps/cli/doctor/facts.ts";
import { judgeMachineNetworks } from "../../../../../apps/cli/doctor/judge-machine-networks.ts";
import { instanceParts } from "../../../../support/cli/instance-parts.ts";

const [, service] = instanceParts("demo", "/w", "containers").containers;
if (service === undefined) throw new Error("The sample has a service.");
const { instance, workspace, version } = service.labels;

const proxy = (env: Record<string, string>): PartFacts => ({
  part: { ...service, labels: { instance, workspace, version, component: "egress" }, env },
  survey: undefined,
  image: undefined,
});
const judged = (facts: PartFacts, now: string[]) =>
  judgeMachineNetworks(facts, { subject: "egress", now, up: "sett up" });

const open = { SETT_EGRESS: '{"agent":["*:*"]}', SETT_EGRESS_MACHINE: '["93.184.216.34/32"]' };

test("an address that this machine has since then is a warning, which names it", () => {
  const found = judged(proxy(open), ["2a01:4f8:1:2::/64", "93.184.216.34/32"]);
  expect(found).toMatchObject([
    {
      check: "addresses",
      level: "warning",
      found: "this machine has 2a01:4f8:1:2::/64 since `sett up`",
      remedy: "`sett up` tells it.",
    },
  ]);
  expect(judged(proxy({ SETT_EGRESS: open.SETT_EGRESS }), ["93.184.216.34/32"])).toMatchObject([
    { level: "warning" },
  ]);
});

test("the same addresses, and one that it has no more, are well", () => {
  for (const now of [["93.184.216.34/32"], []])
    expect(judged(proxy(open), now)).toMatchObject([{ level: "ok" }]);
});

test("hosts that are named in full, and other parts, need no judgement", () => {
  expect(
    judged(proxy({ SETT_EGRESS: '{"agent":["git.example.org:*"]}' }), ["93.184.216.34/32"]),
  ).toEqual([]);
  expect(judged({ ...proxy(open), part: service }, ["93.184.216.34/32"])).toEqual([]);
});
