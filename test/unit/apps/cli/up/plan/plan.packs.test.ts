// The service of packs in the plan of an instance.
import { expect, test } from "bun:test";
import { plannedNames } from "../../../../../../apps/cli/up/plan/planned-names.ts";
import { InstanceName } from "../../../../../../lib/model/ids.ts";
import { repositoryAt, sampleConfig, samplePlan } from "../../../../../support/cli/sample-plan.ts";

const config = sampleConfig(
  `version: '1.0'
services: { packs: service }
agents:
  writer: { image: some/image:1, command: [run], workspace: { mode: rw }, resources: { limits: { disk: 1G } } }
  reader: { image: some/image:1, command: [run], strategy: fresh_per_call }
`,
);
const plan = samplePlan(config, { repository: repositoryAt("/objects", "/exchange") });
const targetsOf = (mounts: readonly { target: string }[] = []) =>
  mounts.map(({ target }) => target);

test("it has a volume and the sockets of those who call it, and nothing of the person's", () => {
  const { spec } = plan.packs ?? {};
  expect(spec?.mounts.filter(({ kind }) => kind === "bind")).toEqual([]);
  expect(targetsOf(spec?.mounts)).toEqual([
    "/packs",
    ...["writer", "reader", "api", "user"].map((name) => `/run/sett/packs/${name}`),
    "/tmp",
  ]);
  expect(JSON.parse(spec?.env.SETT_PACKS_SHELVES ?? "")).toEqual({
    writer: 1024 ** 3,
    reader: null,
  });
  expect(Object.keys(spec?.env ?? {}).filter((name) => /REDIS|KEY|SECRET/.test(name))).toEqual([]);
});

test("an agent has its own socket and its own copy, and no folder of this machine", () => {
  const { spec } = plan.agents.find(({ agent }) => agent === "writer") ?? {};
  expect(spec?.mounts.filter(({ kind }) => kind === "bind")).toEqual([]);
  expect(spec?.mounts).toContainEqual({
    ...{ kind: "volume", volume: "sett-demo.packs.writer" },
    ...{ target: "/run/sett/packs", access: "ro" },
  });
  expect(spec?.env).toMatchObject({ SETT_PACKS_URL: "unix:/run/sett/packs/packs.sock" });
  expect(spec?.env.SETT_PACKS_TOKEN).toBeUndefined();
});

test("each worker's copy is a name that the instance needs", () => {
  const { volume } = plannedNames(InstanceName.parse("demo"), config);
  expect(volume.filter((name) => name.endsWith(".store"))).toEqual([
    "sett-demo-workspace-writer.store",
    "sett-demo-workspace-reader.store",
    "sett-demo-workspace-reader.1.store",
  ]);
});

test("without the setting there is no service, and agents have the folders", () => {
  const usual = samplePlan(
    sampleConfig("version: '1.0'\nagents:\n  one: { image: some/image:1, command: [run] }\n"),
    { repository: repositoryAt("/objects", "/exchange") },
  );
  expect([usual.packs, usual.agents[0]?.spec.env.SETT_PACKS_URL]).toEqual([undefined, undefined]);
  expect(targetsOf(usual.agents[0]?.spec.mounts)).toContain("/git/objects");
});
