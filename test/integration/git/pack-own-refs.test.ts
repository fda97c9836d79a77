// The names of an instance's goals do not stay a file each.
import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { settRef } from "../../../lib/git/repository/refs.ts";
import { GoalId } from "../../../lib/model/ids.ts";
import { exchangeScene } from "../../support/git/exchange-scene.ts";
import { git, hostEnv, instance, newArtefactId } from "../../support/git/sample-repository.ts";

test("many loose names are packed by the next goal, and name what they named", async () => {
  using scene = await exchangeScene();
  const goal = () => GoalId.parse(newArtefactId());
  const loose = () => readdirSync(join(scene.path, ".git/refs/sett", instance)).length;
  const names = Array.from({ length: 600 }, () => settRef(instance, goal()));
  const input = names.map((name) => `create ${name} ${scene.base}\n`).join("");
  execFileSync("git", ["update-ref", "--stdin"], { cwd: scene.path, env: hostEnv, input });
  expect(loose()).toBeGreaterThanOrEqual(600);
  const last = goal();
  await scene.repository.pin(instance, last, scene.base);
  const listed = git(
    scene.path,
    "for-each-ref",
    "--format=%(refname) %(objectname)",
    `refs/sett/${instance}/`,
  ).split("\n");
  for (const name of [...names, settRef(instance, last)])
    expect(listed).toContain(`${name} ${scene.base}`);
  const left = readdirSync(join(scene.path, ".git/refs/sett"), { recursive: true }).length;
  expect(left).toBeLessThan(10);
  // A name that is packed can go.
  await scene.repository.unpin(instance, last);
  expect(git(scene.path, "for-each-ref", settRef(instance, last))).toBe("");
  await scene.repository.pin(instance, goal(), scene.base);
  expect(loose()).toBe(1);
});
