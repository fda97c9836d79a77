import { expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fillRepository } from "../../../.ci/demo-repository.ts";
import { repository, sceneIn, withoutHashes } from "../../support/agents/changelog-scene.ts";
import { git } from "../../support/agents/run-agent.ts";

test("the demo's own commit is no part of what the clone of a repository releases", async () => {
  await using source = await repository();
  await source.commit("Add a door", "door.txt");
  await git(source.folder, "tag", "v0.9.0");
  await source.commit("Add a bell", "bell.txt");
  await source.commit("Fix the door", "door.txt", "fixed\n");
  const folder = await mkdtemp(join(tmpdir(), "sett-demo-test-"));
  await fillRepository(source.folder, folder);
  await using clone = await sceneIn(folder);
  const { summary } = await clone.ask("Release 1.0.0");
  expect(summary).toStartWith("Listed 2 commits since v0.9.0");
  expect(withoutHashes(await clone.changelog())).not.toContain("release train");
});
