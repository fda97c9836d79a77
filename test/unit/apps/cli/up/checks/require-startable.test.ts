// A variable that is longer than Linux allows is named by the key of sett.yml that it comes from,
// and a volume of an image that is in the way by its agent.
import { expect, test } from "bun:test";
import type { PlannedImage } from "../../../../../../apps/cli/services/input.ts";
import { requireStartable } from "../../../../../../apps/cli/up/checks/require-startable.ts";
import type { InstancePlan } from "../../../../../../apps/cli/up/plan/plan.ts";
import { AgentName } from "../../../../../../lib/model/ids.ts";
import { sampleConfig, samplePlan } from "../../../../../support/cli/sample-plan.ts";

const text = `version: '1.0'
models: { big: { provider: anthropic, model: claude-sonnet-4-5, key: $KEY } }
secrets: { tok: { file: ./tok }, key: { file: ./key } }
services: { api: { tokens: [{ name: ci, may: [read], secret: tok }], cors: ["https://a.example"] } }
notify: [{ url: "https://a.example/hook", secret: $KEY }]
triggers: { nightly: { cron: "0 3 * * *", goal: Do it } }
tools: { issues: { mcp: { url: https://mcp.example/mcp }, allow: [find] } }
forges: { hub: { kind: github, repository: acme/door, token: tok } }
agents:
  coder: { image: some/image:1, prompts: { execution: "Do it" }, model: big, tools: [issues] }
  asking: { forge: hub, bids: [{ on: CodeCommit, bid: review }], pull_request: { base: main, approvals: 0 } }
  lane: { image: some/image:1, lane: main, merge: { method: merge, gates: [["true"]] }, bids: [{ on: CodeCommit, bid: exclusive }] }
  partly: { image: some/image:1, command: [echo], workspace: { mode: rw, paths: ["door/"] } }
  many: { image: some/image:1, command: [echo], bid_command: [echo], replicas: 3, strategy: fresh_per_call }
  secretive: { image: some/image:1, command: [echo], secrets: [key] }
  reaching: { image: some/image:1, command: [echo], egress: [example.com] }
`;
const config = sampleConfig(text, { KEY: "0123456789abcdef" });
const plan = samplePlan(config, {}, { socket: { path: "/var/run/docker.sock", gid: 1 } });
const long = "x".repeat(200_000);

async function refusal(
  changed: InstancePlan,
  agents = new Map<AgentName, PlannedImage>(),
): Promise<unknown> {
  const images = { agents };
  const known = { config, images, secrets: {}, isInContainer: true };
  return await requireStartable(changed, known).catch((error: unknown) => error);
}

test("a text of Sett's own is named by its key, whichever part gets it", async () => {
  // A list or an object that grows with sett.yml.
  const parts = [...plan.services, ...plan.agents];
  const grows = parts.flatMap(({ spec }) =>
    Object.entries(spec.env).flatMap(([name, value]) =>
      // No text of sett.yml is in what confines a command.
      name.startsWith("SETT_") && name !== "SETT_CAGE" && /^[[{]/.test(value)
        ? [{ part: spec.name, name }]
        : [],
    ),
  );
  expect(new Set(grows.map(({ name }) => name)).size).toBeGreaterThan(8);
  for (const { part, name } of grows) {
    const lengthen = <One extends { spec: InstancePlan["agents"][number]["spec"] }>(
      one: One,
    ): One =>
      one.spec.name === part
        ? { ...one, spec: { ...one.spec, env: { ...one.spec.env, [name]: long } } }
        : one;
    const changed = {
      ...plan,
      services: plan.services.map(lengthen),
      agents: plan.agents.map(lengthen),
    };
    const failure = await refusal(changed);
    expect({ name, failure: String(failure) }).toEqual({
      name,
      failure: expect.stringContaining("gets it as one text of 200000 bytes"),
    });
    expect(String(failure)).not.toContain(name);
  }
});

test("a person's variable is named as it is", async () => {
  const name = AgentName.parse("coder");
  const agents = plan.agents.map((one) =>
    one.agent === name ? { ...one, spec: { ...one.spec, env: { LONG: long } } } : one,
  );
  expect(String(await refusal({ ...plan, agents }))).toContain(
    "agents.coder: the variable LONG has 200000 bytes",
  );
});

test("a volume of an image is refused within a mount of Sett's, and nowhere else", async () => {
  const declaring = (...volumes: string[]) => {
    const image = { tag: "some/image:1", id: "sha256:1", env: {}, volumes };
    return refusal(plan, new Map([[AgentName.parse("partly"), image]]));
  };
  expect(await declaring("/workspace", "/git/objects", "/tmp/x", "/run", "/workspaces/x")).toBe(
    undefined,
  );
  expect(await declaring("/workspace/", "/workspace/.", "/workspace/../data")).toBe(undefined);
  for (const volume of [
    "/workspace//x/",
    "workspace/x",
    "/workspace/node_modules",
    "/cub/x",
    "/git/objects/x",
    "/git/exchange/x",
  ])
    expect(String(await declaring("/data", volume))).toContain(
      `agents.partly: its image some/image:1 declares the volume ${volume}, within `,
    );
});
