// The release train in real containers: phases, rework, workers and the end of a goal, as `npm run demo` shows them.
import { expect, setDefaultTimeout, test } from "bun:test";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import { root } from "../support/root.ts";
import { SettWorkspace } from "../support/sett/sett-workspace.ts";

setDefaultTimeout(300_000);

const agents = join(root, "agents");
const train = ["changelog", "reviewer", "tester", "licences", "secrets", "packager", "release-train"];

test("a clan of tools releases a repository: reviewed, mended, checked by three at once, packed", async () => {
  await using sett = await SettWorkspace.create();
  const sample = join(sett.folder, "sample");
  await $`${join(agents, "release-train/make-repository.sh")} ${sample}`.quiet();
  await $`rm -rf .git README.md && mv sample/.git sample/* . && rm -rf sample`.cwd(sett.folder);
  await $`git reset --quiet --hard`.cwd(sett.folder);
  for (const name of train) await cp(join(agents, name), join(sett.folder, "agents", name), { recursive: true });
  await sett.commit("Add the release train");
  await sett.need("up", "--name", sett.name, "--file", "agents/release-train/sett.yml");

  const { code } = await sett.sett("forage", "--watch", "--goal", "Release 1.2.0");
  expect(code).toBe(0);
  const [goal] = JSON.parse(await sett.need("status", "--json")).goals;
  expect(goal.state).toBe("achieved");
  const made = await sett.artefacts(goal.id);
  expect(made.slice(0, 5).map(({ type, version }) => `${type} ${version}`)).toEqual([
    "GoalDefined 1",
    "CodeCommit 1",
    "Review 1",
    "CodeCommit 2",
    "Review 1",
  ]);
  expect(
    made
      .slice(5, 8)
      .map(({ type }) => type)
      .toSorted(),
  ).toEqual(["LicenceReport", "SecretsReport", "TestReport"]);
  expect(made.at(8)).toMatchObject({ type: "Release", structural_type: "Terminal" });
  expect(made).toHaveLength(9);

  const [, first, feedback, second, approval, ...rest] = made;
  expect(JSON.parse(feedback?.payload ?? "").problems.length).toBeGreaterThan(0);
  expect(approval?.payload).toBe("{}");
  // Version 2 of the same thread, from version 1 and its review.
  expect(second).toMatchObject({ logical_id: first?.logical_id, source_artefacts: [first?.id, feedback?.id] });
  for (const report of rest.slice(0, 3))
    expect(report.source_artefacts).toEqual([second?.id, approval?.id].filter((id) => id !== undefined));

  const events = await sett.events(goal.id);
  const begun = events.filter(({ type, claim_id }) => type === "grant_started" && claim_id === rest.at(-1)?.claim_id);
  expect(begun.map(({ data }) => data?.phase)).toEqual(["review", "parallel", "parallel", "parallel", "exclusive"]);
  // The commit is here, and the archive can be made again to the last byte.
  const { archive, commit } = JSON.parse(rest.at(-1)?.payload ?? "");
  expect(commit).toBe(second?.metadata.commit);
  expect(await $`sh -c ${archive.recipe} | sha256sum`.cwd(sett.folder).text()).toStartWith(archive.sha256);
});
