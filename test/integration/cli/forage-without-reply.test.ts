// A goal that was posted without a reply: Redis has stored it, or not, and the caller cannot know.
import { expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { runSett } from "../../support/cli/sett-process.ts";
import { Workspace } from "../../support/cli/workspace.ts";
import { startRedisProxy } from "../../support/redis/redis-proxy.ts";

test("a goal that was posted without a reply keeps its commit, and posting it again by its id changes nothing", async () => {
  await using at = await Workspace.create();
  await using proxy = await startRedisProxy(at.redis.url);
  // Redis gets its functions from the first program that asks for one: that answer is not the one
  // to lose.
  await at.need("forage", "--goal", "Open the door");
  const gone = proxy.goAwayAfter("Paint the door");
  const forage = (...words: string[]) =>
    runSett(["forage", "--goal", "Paint the door", ...words], {
      cwd: at.folder,
      env: { ...at.env, REDIS_URL: proxy.url },
    });
  const first = await forage();
  await gone;
  expect([first.code, first.out]).toEqual([1, ""]);
  expect(first.err).toContain("The goal may or may not have been posted:");
  const [, id = ""] = /sett forage --id ([0-9a-f-]{36}) /.exec(first.err) ?? [];
  const pinned = await at.git("rev-parse", `refs/sett/demo/${id}`);
  expect(pinned).toBe(await at.git("rev-parse", "HEAD"));
  expect((await at.need("hoard", id)).includes("Paint the door")).toBe(true);

  proxy.comeBack();
  await at.commit("later.txt", "later\n");
  const again = await forage("--id", id);
  expect([again.code, again.out]).toEqual([0, `${id}\n`]);
  expect(JSON.parse(await at.need("hoard", "--json"))).toHaveLength(2);
  expect(await at.git("rev-parse", `refs/sett/demo/${id}`)).toBe(pinned);
});

test("an id posts a goal that is not there yet, and is refused where it is of something else", async () => {
  await using at = await Workspace.create();
  const id = randomUUID();
  expect(await at.need("forage", "--id", id, "--goal", "Paint the door")).toBe(`${id}\n`);
  const other = await at.sett("forage", "--id", id, "--goal", "Paint the house");
  expect([other.code, other.out]).toEqual([2, ""]);
  expect(other.err).toContain(`Another artefact has the id ${id}: GoalDefined, Paint the door.`);
  const invalid = await at.sett("forage", "--id", "door", "--goal", "Paint the door");
  expect([invalid.code, invalid.err.includes("--id takes a UUID")]).toEqual([2, true]);
  expect(JSON.parse(await at.need("hoard", "--json"))).toHaveLength(1);
});
