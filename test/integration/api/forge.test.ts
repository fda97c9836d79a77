import { expect, setDefaultTimeout, test } from "bun:test";
import { ForgeScene } from "../../support/forge/forge-scene.ts";
import { commitFiles, git } from "../../support/git/sample-repository.ts";
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

/** The forge's only check is green, and Ada has approved. */
function approveAt({ forge, commits }: ForgeScene): void {
  const run = { name: "lint", status: "completed", conclusion: "success", text: "" };
  forge.runs.push({ sha: String(commits[0]), ...run });
  forge.review({ login: "ada-l", state: "APPROVED" });
}

const oneVersion = (_base: string, path: string) => [
  commitFiles(path, { "door.txt": "one\n" }, "Write the door"),
];

test("with `merge`, what the forge and every other reviewer approve is merged there, and nothing before", async () => {
  const bids = [{ on: "CodeCommit", bid: "review" as const }];
  await using scene = await ForgeScene.open({
    settings: { merge: "squash" },
    members: { second: { human: true, bids } },
    isBeside: true,
    work: oneVersion,
  });
  const { forge, commits } = scene;
  const goal = await scene.postGoal("Write the door\n\nFixes #12");
  const made = await scene.waiting(goal);
  await scene.look();
  approveAt(scene);
  await scene.look();
  await scene.look();
  expect([forge.merges, await scene.grant(made)]).toEqual([[], "waiting"]);

  await scene.verdict(made, "second");
  await waitFor("the merge", async () => {
    await scene.look();
    return (await scene.grant(made)) === "done";
  });
  expect(forge.merges).toEqual([
    {
      pull: 1,
      merge_method: "squash",
      commit_title: "Write the door (#1)",
      commit_message: `Sett-Goal: ${goal.goal_id}\nSett-Artefact: ${made.id}`,
    },
  ]);
  expect(forge.branch("main")).toBe(String(commits[0]));
  const reviews = await scene.clan.artefactsOf(goal);
  expect(reviews.map(({ metadata }) => metadata.comment)).toContain(
    `Approved at the forge by ada (ada-l). Green: lint. Commit ${commits[0]}. Merged into main at the forge as ${commits[0]}.`,
  );
  expect((await scene.steps()).filter((step) => step.startsWith("merge"))).toEqual([
    "merge begins",
    "merge done",
  ]);
});

test("a merge that the forge's rules refuse is said, tried again, and made once when it ends in the middle", async () => {
  await using scene = await ForgeScene.open({ settings: { merge: "merge" }, work: oneVersion });
  const { forge } = scene;
  const made = await scene.waiting(await scene.postGoal());
  await scene.look();
  approveAt(scene);
  forge.mergeRefusal = "Changes must be made through the merge queue";
  await scene.look();
  await scene.look();
  expect(await scene.grant(made)).toBe("waiting");
  expect(await scene.steps()).toContain(
    "review stops: The forge refuses it (405): Changes must be made through the merge queue",
  );
  forge.mergeRefusal = "";
  // The service ends after the forge has merged, and before it knows.
  forge.onRequest = (request, when) =>
    request.endsWith("/merge") && when === "after"
      ? Response.json({ message: "Bad gateway" }, { status: 502 })
      : undefined;
  await scene.look();
  scene.restart();
  await waitFor("the verdict", async () => {
    await scene.look();
    return (await scene.grant(made)) === "done";
  });
  expect(forge.merges).toHaveLength(1);
  expect((await scene.review(made)).metadata.comment).toContain("Merged into main at the forge");
});

test("where others push to the branch before the merge, nothing is merged", async () => {
  await using scene = await ForgeScene.open({ settings: { merge: "rebase" }, work: oneVersion });
  const { forge, repository } = scene;
  const made = await scene.waiting(await scene.postGoal());
  await scene.look();
  approveAt(scene);
  const [pull] = forge.pulls;
  // It comes between the last look at the pull request and the request to merge it.
  forge.onRequest = (request, when) => {
    if (request.endsWith("/merge") && when === "before")
      git(forge.folder, "update-ref", `refs/heads/${pull?.ref}`, repository.base);
    return undefined;
  };
  await scene.look();
  expect([forge.merges, await scene.grant(made)]).toEqual([[], "waiting"]);
});
