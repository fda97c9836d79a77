import { expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readGoalState } from "../../../lib/client/facts/goal.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { CommitHash } from "../../../lib/model/ids.ts";
import { ForgeScene } from "../../support/forge/forge-scene.ts";
import { commitFiles, git } from "../../support/git/sample-repository.ts";
import { isNight, nightly } from "../../support/nightly.ts";
import { waitFor } from "../../support/wait-for.ts";

setDefaultTimeout(600_000);

type Files = Record<string, string>;
const one =
  (files: Files, message = "Write the door") =>
  (_base: string, path: string) => [commitFiles(path, files, message)];
const door = one({ "door.txt": "one\n" });

nightly(
  "a commit that another person has pushed to the branch is not written over, and a person decides",
  async () => {
    await using scene = await ForgeScene.open({ work: door });
    const goal = await scene.postGoal();
    const made = await scene.waiting(goal);
    const { path } = scene.repository;
    const other = commitFiles(path, { "other.txt": "mine\n" }, "Other");
    git(path, "push", "--quiet", scene.forge.folder, `${other}:refs/heads/sett/${goal.id}`);
    await scene.look();
    await scene.look();
    expect(scene.forge.branch(`sett/${goal.id}`)).toBe(other);
    expect(await scene.grant(made)).toBe("waiting");
    const steps = await scene.steps();
    expect(steps).toEqual([expect.stringContaining("has a commit that is not on record")]);
    expect(scene.forge.pulls).toHaveLength(0);
  },
);

nightly(
  "a pull request from a fork whose branch has the same name is not taken for Sett's",
  async () => {
    await using scene = await ForgeScene.open({ work: door });
    const goal = await scene.postGoal();
    await scene.waiting(goal);
    const ref = `sett/${goal.id}`;
    const [sha = ""] = scene.commits;
    const theirs = { title: "Mine", body: "", draft: false, base: "main", merged_at: null };
    scene.forge.pulls.push({ ...theirs, number: 1, state: "open", ref, repo: "acme/fork", sha });
    await scene.look();
    expect(scene.forge.pulls.map(({ repo, title }) => [repo, title])).toEqual([
      ["acme/fork", "Mine"],
      ["acme/door", "Write the door"],
    ]);
  },
);

const secret = "correct-horse-battery-9";
const leaks: [string, (path: string) => CommitHash][] = [
  ["a file", (path) => commitFiles(path, { "key.txt": `x ${secret}\n` })],
  ["the name of a file", (path) => commitFiles(path, { [`${secret}.txt`]: "x\n" })],
  ["a message", (path) => commitFiles(path, { a: "x\n" }, `With ${secret}`)],
  [
    "an author",
    (path) => {
      commitFiles(path, { a: "x\n" });
      git(path, "commit", "--amend", "--quiet", "--no-edit", `--author=${secret} <a@b.invalid>`);
      return CommitHash.parse(git(path, "rev-parse", "HEAD"));
    },
  ],
  [
    "a commit before the last one",
    (path) => {
      commitFiles(path, { a: Buffer.from(secret).toString("base64") });
      return commitFiles(path, { a: "x\n" });
    },
  ],
];
for (const [place, commit] of isNight ? leaks : leaks.slice(0, 1)) {
  test(`a secret in ${place} does not reach the forge, and goes back`, async () => {
    await using scene = await ForgeScene.open({ work: (_base, path) => [commit(path)] });
    scene.secrets.set("deploy", Buffer.from(secret));
    const goal = await scene.postGoal();
    const made = await scene.waiting(goal);
    await scene.look();
    const { payload } = await scene.review(made);
    expect(payload).toContain("the value of the secret deploy");
    expect(payload).not.toContain(secret);
    expect(scene.forge.branch(`sett/${goal.id}`)).toBeUndefined();
  });
}

test("a workflow is pushed only when a person has approved the commit that changes it", async () => {
  const work = one({ ".github/workflows/ci.yml": "on: push\n" });
  await using alone = await ForgeScene.open({ work });
  const goal = await alone.postGoal();
  const made = await alone.waiting(goal);
  await alone.look();
  expect(alone.forge.branch(`sett/${goal.id}`)).toBeUndefined();
  expect(await alone.grant(made)).toBe("waiting");
  expect(await alone.steps()).toEqual([expect.stringContaining("a person has to approve it")]);

  const maintainer = { human: true as const, bids: [{ on: "CodeCommit", bid: "review" as const }] };
  await using asked = await ForgeScene.open({ work, members: { maintainer } });
  const other = await asked.postGoal();
  const result = await asked.clan.made(other, ({ type }) => type === "CodeCommit");
  await asked.verdict(result, "maintainer");
  await asked.waiting(other);
  await asked.look();
  expect(asked.forge.branch(`sett/${other.id}`)).toBe(String(asked.commits[0]));
});

test("a push that the forge refuses is not tried again, and a person decides", async () => {
  await using scene = await ForgeScene.open({ work: door });
  const hook = join(scene.forge.folder, "hooks/pre-receive");
  writeFileSync(hook, "#!/bin/sh\nexit 1\n");
  chmodSync(hook, 0o755);
  const goal = await scene.postGoal();
  const made = await scene.waiting(goal);
  for (const _ of [1, 2, 3]) await scene.look();
  const tries = scene.forge.requests.filter((line) => line.includes("POST /acme/door.git"));
  expect(tries).toHaveLength(1);
  expect(await scene.grant(made)).toBe("waiting");
  expect((await scene.steps()).at(-1)).toContain("The forge refuses the push");
});

test("a protected branch and the base are never pushed", async () => {
  await using scene = await ForgeScene.open({ work: door });
  const goal = await scene.postGoal();
  await scene.waiting(goal);
  const name = `sett/${goal.id}`;
  scene.forge.protectedBranches.push(name);
  git(
    scene.repository.path,
    "push",
    "--quiet",
    scene.forge.folder,
    `${scene.repository.base}:refs/heads/${name}`,
  );
  await scene.look();
  expect(scene.forge.branch(name)).toBe(scene.repository.base);
  expect(await scene.steps()).toEqual([expect.stringContaining("is protected")]);
});

nightly(
  "a commit that only a fork's pull request has brought there is searched like any other",
  async () => {
    await using scene = await ForgeScene.open({
      work: (_base, path) => {
        commitFiles(path, { ".github/workflows/ci.yml": "on: push\n" }, "Of a stranger");
        return [commitFiles(path, { "door.txt": "one\n" }, "Write the door")];
      },
    });
    const { path } = scene.repository;
    git(path, "push", "--quiet", scene.forge.folder, `${scene.commits[0]}~1:refs/pull/9/head`);
    const goal = await scene.postGoal();
    await scene.waiting(goal);
    await scene.look();
    expect(scene.forge.branch(`sett/${goal.id}`)).toBeUndefined();
    expect(await scene.steps()).toEqual([expect.stringContaining("a person has to approve it")]);
  },
);

nightly("a branch that was deleted after the merge stays deleted", async () => {
  await using scene = await ForgeScene.open({ work: door, settings: { checks: "none" } });
  const goal = await scene.postGoal();
  const made = await scene.waiting(goal);
  await scene.look();
  scene.forge.review({ login: "ada-l", state: "APPROVED" });
  scene.forge.merge();
  scene.restart();
  await scene.look();
  expect((await scene.review(made)).payload).toBe("{}");
  expect(scene.forge.branch(`sett/${goal.id}`)).toBeUndefined();
  expect(scene.forge.pushes).toBe(1);
  expect(scene.forge.pulls).toHaveLength(1);
});

test("a commit that cannot be read is left to a person, and so is a push of too much, which is not prepared again", async () => {
  await using scene = await ForgeScene.open({ work: door });
  await scene.waiting(await scene.postGoal());
  let tries = 0;
  scene.onRead = () => {
    tries++;
    throw new SettError("git-failed", "No agent has published it.");
  };
  await scene.look();
  expect(await scene.steps()).toEqual(["review stops: No agent has published it."]);
  scene.onRead = () => {
    tries++;
    throw new SettError("usage", "A push to the forge would have more than 2000 commits.");
  };
  await scene.look();
  await scene.look();
  expect(tries).toBe(2);
  expect((await scene.steps()).at(-1)).toContain("more than 2000 commits");
});

test("a forge that limits requests is left alone until the time that it states", async () => {
  await using scene = await ForgeScene.open({ work: door });
  await scene.waiting(await scene.postGoal());
  scene.forge.onRequest = (_, when) =>
    when === "before"
      ? Response.json(
          { message: "You have exceeded a secondary rate limit" },
          { status: 403, headers: { "retry-after": "150" } },
        )
      : undefined;
  let requests = 0;
  const limited = scene.forge.onRequest;
  scene.forge.onRequest = (...request) => {
    requests++;
    return limited(...request);
  };
  // Each look comes a minute after the one before.
  for (const _ of [1, 2, 3]) await scene.look();
  expect(requests).toBe(1);
  await scene.look();
  expect(requests).toBe(2);
});

test("an issue at which the forge refuses a comment is left without one, and its pull request is made", async () => {
  await using scene = await ForgeScene.open({ work: door });
  const goal = await scene.postGoal();
  await scene.statedFor(goal, 7);
  await scene.waiting(goal);
  let tries = 0;
  scene.forge.onRequest = (request, when) => {
    if (when === "after" || !request.startsWith("POST ") || !request.endsWith("/issues/7/comments"))
      return undefined;
    tries++;
    return Response.json({ message: "Resource not accessible" }, { status: 403 });
  };
  for (const _ of [1, 2, 3]) await scene.look();
  expect(tries).toBe(1);
  expect(scene.forge.pulls).toHaveLength(1);
  expect(await scene.steps()).toContainEqual(
    "comment stops: The forge refuses it (403): Resource not accessible",
  );
});

nightly(
  "why a goal has failed is said at its issue, unless a secret is in it, also if it ended while the service was away",
  async () => {
    for (const [summary, shown] of [
      ["It does not build", "it has failed. It does not build"],
      [`It printed ${secret}`, "it has failed.\n"],
    ] as const) {
      const failing = {
        bid: ({ type }: { type: string }) =>
          type === "GoalDefined" ? ("exclusive" as const) : ("ignore" as const),
        work: () => ({
          ...{ structural_type: "Failure" as const, type: "ToolExecutionFailure" },
          ...{ payload: "exit 1", metadata: { summary } },
        }),
      };
      await using scene = await ForgeScene.open({
        work: door,
        members: { coder: { behaviour: failing } },
      });
      scene.secrets.set("deploy", Buffer.from(secret));
      const goal = await scene.postGoal();
      await scene.statedFor(goal, 7);
      await waitFor("the goal to fail", async () => {
        const { status } = await readGoalState(scene.clan.board, goal.goal_id);
        return status.state === "failed";
      });
      await scene.look();
      expect(scene.forge.comments.map(({ body }) => body)).toEqual([
        expect.stringContaining(shown),
      ]);
      expect(JSON.stringify(scene.forge.comments)).not.toContain(secret);
    }
  },
);

nightly(
  "where verdicts are signed, what the forge says is a hint, and a person decides",
  async () => {
    const signing = { signers: "", people: [], required: true as const };
    const rule = { human: true as const, bids: [], signing };
    await using scene = await ForgeScene.open({ work: door, members: { rule } });
    const goal = await scene.postGoal();
    const made = await scene.waiting(goal);
    await scene.look();
    scene.forge.review({ login: "ada-l", state: "APPROVED" });
    for (const _ of [1, 2]) await scene.look();
    expect(await scene.grant(made)).toBe("waiting");
    const stops = (await scene.steps()).filter((step) => step.startsWith("review stops"));
    expect(stops).toEqual([
      `review stops: A forge does not sign, and each verdict has to be signed (sett approve ${made.id} --for pull-request --sign)`,
    ]);
  },
);
