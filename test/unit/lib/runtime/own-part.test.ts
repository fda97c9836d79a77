// A part is ours by our labels, our name by its own creation, and the id of its instance.
import { expect, test } from "bun:test";
import { ClaimId, GoalId, InstanceName } from "../../../../lib/model/ids.ts";
import { newInstanceId } from "../../../../lib/runtime/instance-id.ts";
import {
  madeLabel,
  type PartKind,
  type PartLabels,
  writeLabels,
} from "../../../../lib/runtime/labels.ts";
import { idsOf, ownPart, withIdOfInstance } from "../../../../lib/runtime/own-part.ts";
import { agentName } from "../../../support/records/sample.ts";

const demo = InstanceName.parse("demo");
const agent: PartLabels = {
  ...{
    instance: demo,
    workspace: "/work",
    version: "1.2.3",
    fingerprint: "image=1",
    id: "aa.1000",
  },
  ...{ component: "agent", agent: agentName("echo"), role: "echo" },
};
const labels = { ...writeLabels(agent), [madeLabel]: "one" };

test("labels without a name of the instance, and a name without labels, make no part", () => {
  expect(ownPart({ name: "sett-demo-agent-echo", labels })).toEqual(agent);
  expect(ownPart({ name: "sett-demo-agent-echo.old", labels })).toEqual(agent);
  for (const name of [
    "keepme",
    "sett-demonstration",
    "sett-other-agent-echo",
    "x-sett-demo-agent-echo",
  ])
    expect(ownPart({ name, labels })).toBeUndefined();
  for (const other of [{}, null, undefined, { "dev.sett.instance": "demo" }])
    expect(ownPart({ name: "sett-demo-redis", labels: other })).toBeUndefined();
});

const { id: _, component: __, agent: ___, role: ____, ...shared } = agent;
const of = (kind: PartKind): PartLabels => ({ ...shared, id: "aa.1000", ...kind });
const work = {
  agent: agentName("echo"),
  role: "echo",
  goal: GoalId.parse("0f2a9c1b-0000-4000-8000-000000000000"),
  claim: ClaimId.parse("1f2a9c1b-0000-4000-8000-000000000000"),
  attempt: 2,
};
const named: [PartLabels, ...string[]][] = [
  [of({ component: "redis" }), "redis", "redis.old"],
  [agent, "agent-echo", "agent-echo.old"],
  [of({ component: "worker", ...work }), "worker-echo-1f2a9c1b-2"],
  [of({ component: "blackboard" }), "blackboard", "blackboard.idle-0123abcd"],
  [of({ component: "record" }), "record"],
  [of({ component: "carrier" }), "cub-0123456789ab", "cub-0123456789ab.idle-0123abcd"],
  [of({ component: "workspace", agent: work.agent }), "workspace-echo", "workspace-echo.3"],
];

test.each(named)(
  "a part with labels of %j has a name that Sett gives to such a part",
  (part, ...names) => {
    for (const name of names)
      expect(ownPart({ name: `sett-demo-${name}`, labels: writeLabels(part) })).toEqual(part);
  },
);

test.each(named)("a copy with all labels of %j and another name is no part", (part, ...names) => {
  for (const end of ["-copy", ".bak", "-2", "_1", ".old.old"])
    for (const name of names)
      expect(
        ownPart({ name: `sett-demo-${name}${end}`, labels: writeLabels(part) }),
      ).toBeUndefined();
  expect(ownPart({ name: "sett-demo-notes", labels: writeLabels(part) })).toBeUndefined();
});

test("volumes with a dot in their names, and networks, are known by labels and name as well", () => {
  const isOwn = (kind: PartKind, name: string) =>
    ownPart({ name: `sett-demo${name}`, labels: writeLabels(of(kind)) }) !== undefined;
  const secrets = { component: "secrets", agent: work.agent } as const;
  for (const [kind, right, wrong] of [
    [{ component: "network" }, ["", ".open"], ["-copy", ".opened"]],
    [
      { component: "socket" },
      [".gateway", ".gateway.echo", ".egress.echo.prepare"],
      ["", "-gateway", ".a.b.c"],
    ],
    [{ component: "api-files" }, [".api"], ["-api", ".api.bak"]],
    [secrets, [".secrets.echo"], [".secrets.other", ".secrets.echo.bak"]],
  ] as const) {
    for (const name of right) expect(isOwn(kind, name)).toBe(true);
    for (const name of wrong) expect(isOwn(kind, name)).toBe(false);
  }
});

test("the labels that a container has from its image count for nothing, also where the image is of one of ours", () => {
  const name = "sett-demo-agent-echo";
  expect(ownPart({ name, labels, imageLabels: labels })).toBeUndefined();
  expect(ownPart({ name, labels: { ...labels, [madeLabel]: "two" }, imageLabels: labels })).toEqual(
    agent,
  );
  // The image that was built for the agent has a label as well.
  expect(ownPart({ name, labels, imageLabels: { "dev.sett.instance": "demo" } })).toEqual(agent);
});

test("a container without a mark of its own is not ours, whatever labels it has", () => {
  const name = "sett-demo-agent-echo";
  expect(ownPart({ name, labels: writeLabels(agent), imageLabels: {} })).toBeUndefined();
});

test("a part with another id than its instance, or with none, is not ours", () => {
  const { id: _, ...withoutId } = agent;
  const part = (labels: PartLabels) => ({ labels });
  const blackboard = { ...withoutId, component: "blackboard" as const };
  const id = newInstanceId("aa", new Date(1_000_900));
  const parts = [
    part({ ...agent, id: "bb.5" }),
    part({ ...blackboard, id }),
    part({ ...agent, id }),
    part(withoutId),
  ];
  const ids = idsOf(parts);
  expect([...ids]).toEqual([[demo, "aa.1000"]]);
  expect(withIdOfInstance(parts, ids)).toEqual(parts.slice(1, 3));
  expect(withIdOfInstance([part(withoutId)], idsOf([]))).toEqual([]);
});
