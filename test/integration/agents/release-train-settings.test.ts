// Does agents/release-train/sett.yml say what the agents need, and who works on what?
import { expect, test } from "bun:test";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { checkConfig } from "../../../lib/config/read-config.ts";
import { registrationsOf } from "../../../lib/config/registrations.ts";
import { bidByRules } from "../../../lib/core/decide-bid.ts";
import type { BidWord } from "../../../lib/model/bid.ts";
import { root } from "../../support/root.ts";

const file = join(root, "agents/release-train/sett.yml");

async function settings() {
  const { config, mistakes, warnings } = await checkConfig(file, {});
  if (config === undefined) throw new Error(JSON.stringify(mistakes));
  return { config, warnings };
}

test("it is valid in place, without a warning, where no variable is set", async () => {
  expect((await settings()).warnings).toEqual([]);
});

test("every agent has a folder with a README, a Dockerfile and an executable script", async () => {
  for (const { source } of (await settings()).config.agents) {
    if (source.kind !== "build") throw new Error(JSON.stringify(source));
    for (const name of ["README.md", "Dockerfile"])
      expect((await stat(join(source.context, name))).isFile()).toBe(true);
    expect((await stat(join(source.context, "run.sh"))).mode & 0o111).toBe(0o111);
  }
});

test("every file that a script takes from its own folder is copied into the image", async () => {
  for (const { source } of (await settings()).config.agents) {
    if (source.kind !== "build") throw new Error(JSON.stringify(source));
    const copied =
      /^COPY (.*) \/app\/$/m
        .exec(await Bun.file(join(source.context, "Dockerfile")).text())?.[1]
        ?.split(" ") ?? [];
    const files = await Array.fromAsync(new Bun.Glob("*.{sh,awk}").scan(source.context));
    expect(
      files.filter((name) => !copied.some((pattern) => new Bun.Glob(pattern).match(name))),
    ).toEqual([]);
  }
});

test("a goal is for the changelog agent, a commit is reviewed, checked by three and packed by one", async () => {
  const agents = registrationsOf((await settings()).config, new Map());
  const bids = (type: string, produced_by_role: string) =>
    Object.fromEntries(
      agents.map((agent) => [agent.name, bidByRules({ type, produced_by_role }, agent)]),
    );
  const ignoring: Record<string, BidWord | undefined> = Object.fromEntries(
    agents.map(({ name }) => [name, "ignore"]),
  );
  expect(bids("GoalDefined", "user")).toEqual({ ...ignoring, changelog: "exclusive" });
  expect(bids("CodeCommit", "changelog")).toEqual({
    changelog: "ignore",
    reviewer: "review",
    tester: "claim",
    licences: "claim",
    secrets: "claim",
    packager: "exclusive",
  });
  for (const type of ["TestReport", "LicenceReport", "SecretsReport", "ChangelogUnchanged"])
    expect(bids(type, "tester")).toEqual(ignoring);
});

test("only the agent that commits may publish; secrets has three fresh workers and the tester a second try", async () => {
  const { agents } = (await settings()).config;
  expect(
    agents.filter(({ workspace }) => workspace.mode === "rw").map(({ name }) => String(name)),
  ).toEqual(["changelog"]);
  const { secrets, tester } = Object.fromEntries(agents.map((agent) => [agent.name, agent]));
  expect([secrets?.replicas, secrets?.strategy, tester?.retries]).toEqual([3, "fresh_per_call", 1]);
});
