import { expect, setDefaultTimeout, test } from "bun:test";
import { ForgeScene } from "../../support/forge/forge-scene.ts";
import { commitFiles } from "../../support/git/sample-repository.ts";
import { nightly } from "../../support/nightly.ts";
import { waitFor } from "../../support/wait-for.ts";

setDefaultTimeout(600_000);

const twoVersions = (_base: string, path: string) => [
  commitFiles(path, { "door.txt": "one\n" }, "Write the door"),
  commitFiles(path, { "door.txt": "two\n" }, "Write the door better"),
];

test("a result becomes a pull request, goes back for what a person wants, and is approved by her at the new head", async () => {
  await using scene = await ForgeScene.open({ work: twoVersions });
  const { forge, commits } = scene;
  const goal = await scene.postGoal("Write the door\n\nFixes #12, @everyone");
  await scene.statedFor(goal, 7);
  const first = await scene.waiting(goal);
  await scene.look();
  expect(forge.branch(`sett/${goal.id}`)).toBe(commits[0] as string);
  const [pull] = forge.pulls;
  expect(pull?.title).toBe("Write the door");
  expect(pull?.body).toContain(`Version 1, artefact ${first.id}, commit ${commits[0]}`);
  expect(pull?.body).not.toMatch(/@everyone|#12/);
  expect(pull?.body).toContain("\n\nFixes #7\n\n");
  expect(forge.statuses.map(({ context, state }) => [context, state])).toEqual([
    ["sett", "pending"],
  ]);
  const said = () => forge.comments.map(({ issue, body }) => `${issue} ${body}`);
  expect(said()).toEqual([
    expect.stringMatching(/^7 .*a result waits for its review here.*#1 is open\./s),
  ]);

  // A stranger's word counts for nothing; a person's approval waits for the check.
  forge.review({ login: "mallory", state: "CHANGES_REQUESTED" });
  forge.runs.push({
    sha: commits[0] as string,
    name: "lint",
    status: "in_progress",
    conclusion: null,
    text: "",
  });
  forge.review({ login: "Ada-L", state: "APPROVED" });
  await scene.look();
  expect(await scene.grant(first)).toBe("waiting");
  const comments = [{ path: "door.txt", line: 1, body: "Say two." }];
  forge.review({ login: "ada-l", state: "CHANGES_REQUESTED", body: "Not yet.", comments });
  await scene.look();
  const feedback = await scene.review(first);
  expect(feedback.payload).toContain("ada requests changes.");
  expect(feedback.payload).toContain("door.txt, line 1:\\n> Say two.");
  expect(feedback.payload).not.toContain("mallory");

  const second = await scene.waiting(goal, 2);
  await scene.look();
  expect(forge.branch(`sett/${goal.id}`)).toBe(commits[1] as string);
  expect(forge.pulls).toHaveLength(1);
  // The approval of version 1 does not count for version 2, whenever it comes.
  forge.review({ login: "ada-l", state: "APPROVED", commit_id: commits[0] as string });
  forge.runs.push({
    sha: commits[1] as string,
    name: "lint",
    status: "completed",
    conclusion: "success",
    text: "",
  });
  await scene.look();
  expect(await scene.grant(second)).toBe("waiting");
  forge.review({ login: "ada-l", state: "APPROVED" });
  await scene.look();
  const review = await scene.review(second);
  expect(review.payload).toBe("{}");
  expect(review.metadata.comment).toBe(
    `Approved at the forge by ada (ada-l). Green: lint. Commit ${commits[1]}.`,
  );
  expect(forge.statuses.at(-1)).toMatchObject({ sha: commits[1], state: "success" });
  expect(forge.pushes).toBe(2);
  await waitFor("the comment to say that it is done", async () => {
    await scene.look();
    return said().join().includes("the work is done.\n\nPull request #1 is open, and waits");
  });
  forge.merge();
  scene.restart();
  await waitFor("the comment to say that it is merged", async () => {
    await scene.look();
    return said().join().includes("the work is done.\n\nPull request #1 was merged.");
  });
  expect(forge.comments).toHaveLength(1);
});

nightly(
  "killed at every request, before the forge acts and after, it leaves one branch, one pull request, one status of each kind",
  async () => {
    await using scene = await ForgeScene.open({
      settings: { approvals: 0 },
      work: (_base, path) => [commitFiles(path, { "door.txt": "one\n" }, "Write the door")],
    });
    const { forge, commits } = scene;
    const [commit = ""] = commits.map(String);
    const goal = await scene.postGoal();
    const made = await scene.waiting(goal);
    forge.runs.push({
      sha: commit,
      name: "lint",
      status: "completed",
      conclusion: "success",
      text: "",
    });
    let kills = 0;
    const moments = Array.from({ length: 40 }, (_, survived) =>
      (["before", "after"] as const).map((when) => ({ survived, when })),
    ).flat();
    for (const { survived, when } of moments) {
      let left = survived;
      forge.onRequest = (_, at) => {
        if (at !== when || left-- > 0) return undefined;
        kills++;
        return new Response("", { status: 502 });
      };
      // What would have followed the request is lost with the process.
      scene.restart();
      await scene.look();
      if ((await scene.grant(made)) !== "waiting") break;
    }
    forge.onRequest = () => undefined;
    scene.restart();
    await scene.look();
    await scene.review(made);
    expect(kills).toBeGreaterThan(12);
    expect(forge.pushes).toBe(1);
    expect(forge.pulls).toHaveLength(1);
    expect(forge.statuses.map(({ state }) => state)).toEqual(["pending", "success"]);
    const effects = ["push", "open", "status", "status"];
    expect((await scene.steps()).toSorted()).toEqual(
      effects.flatMap((effect) => [`${effect} begins`, `${effect} done`]).toSorted(),
    );
  },
);
