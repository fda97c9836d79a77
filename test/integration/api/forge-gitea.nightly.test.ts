// The way through a real Gitea, where one was built (support/forge/gitea.ts).
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { ForgeScene } from "../../support/forge/forge-scene.ts";
import { Gitea, hasGitea } from "../../support/forge/gitea.ts";
import { commitFiles, git } from "../../support/git/sample-repository.ts";
import { isNight } from "../../support/nightly.ts";
import { waitFor } from "../../support/wait-for.ts";

setDefaultTimeout(600_000);
const withGitea = test.skipIf(!isNight || !hasGitea);

let gitea: Gitea;
if (isNight && hasGitea) {
  beforeAll(async () => {
    gitea = await Gitea.start();
  });
  afterAll(async () => await gitea[Symbol.asyncDispose]());
}

const twoVersions = (_base: string, path: string) => [
  commitFiles(path, { "door.txt": "zero\none\n" }, "Write the door"),
  commitFiles(path, { "door.txt": "zero\ntwo\n" }, "Write the door better"),
];

async function open(settings: Parameters<typeof ForgeScene.open>[0]["settings"]) {
  const repository = await gitea.repository();
  const { real } = repository;
  const scene = await ForgeScene.open({ work: twoVersions, settings: { ...settings }, real });
  repository.push(scene.repository.path, `${scene.repository.base}:refs/heads/main`);
  await waitFor("the forge to notice the push", async () =>
    repository.ask("GET", "/pulls").then(
      () => true,
      () => false,
    ),
  );
  return { ...repository, scene };
}

withGitea(
  "a draft goes back for what a person wants, stays one pull request, and is approved with its checks",
  async () => {
    const { scene, ask, branch } = await open({ draft: true, checks: "required" });
    await using _ = scene;
    const [first = "", second = ""] = scene.commits.map(String);
    await ask("POST", "/branch_protections", {
      ...{ rule_name: "main", enable_push: false, required_approvals: 1 },
      ...{ enable_status_check: true, status_check_contexts: ["ci/*", "sett"] },
      ...{ dismiss_stale_approvals: true, block_on_rejected_reviews: true },
    });
    const status = (commit: string, context: string, state: string) =>
      ask("POST", `/statuses/${commit}`, { context, state, description: "So it went." });
    const goal = await scene.postGoal("Write the door\n\nFixes #1, @boss");
    const made = await scene.waiting(goal);
    const name = `sett/${goal.id}`;
    await scene.look();
    expect(branch(scene.repository.path, name)).toBe(first);
    const [pull] = await ask("GET", "/pulls");
    expect(pull).toMatchObject({ title: "WIP: Write the door", draft: true, state: "open" });
    expect(pull.body).not.toMatch(/@boss|#1/);
    expect((await ask("GET", `/commits/${first}/status`)).statuses).toMatchObject([
      { context: "sett", status: "pending" },
    ]);
    await ask("POST", `/pulls/${pull.number}/reviews`, {
      ...{ event: "REQUEST_CHANGES", body: "Not yet." },
      comments: [{ path: "door.txt", new_position: 2, body: "Say two." }],
    });
    // The account is none of its people: this counts for the forge alone.
    const ofOther = { event: "APPROVED", body: "", commit_id: first };
    await ask("POST", `/pulls/${pull.number}/reviews`, ofOther, "boss");
    await scene.look();
    const feedback = (await scene.review(made)).payload;
    expect(feedback).toContain("ada requests changes.\\n> Not yet.");
    expect(feedback).toContain("door.txt, line 2:\\n> Say two.");

    const better = await scene.waiting(goal, 2);
    await scene.look();
    expect(branch(scene.repository.path, name)).toBe(second);
    const [again, ...others] = await ask("GET", "/pulls");
    expect(others).toEqual([]);
    expect(again).toMatchObject({ number: pull.number, title: "WIP: Write the door" });
    const approve = (commit_id: string) =>
      ask("POST", `/pulls/${pull.number}/reviews`, { event: "APPROVED", body: "", commit_id });
    await status(second, "ci/lint", "skipped");
    await status(second, "ci/test", "pending");
    await scene.look();
    // It dismisses all approvals a moment after it shows the new head, also one of the new head.
    await waitFor("the forge to dismiss the approval of the first push", async () => {
      const reviews = await ask("GET", `/pulls/${pull.number}/reviews`);
      return reviews.some(({ dismissed }: { dismissed: boolean }) => dismissed);
    });
    await approve(second);
    await scene.look();
    expect(await scene.grant(better)).toBe("waiting");
    await status(second, "ci/test", "success");
    await scene.look();
    const review = await scene.review(better);
    expect(review.payload).toBe("{}");
    expect(review.metadata.comment).toMatch(
      /^Approved at the forge by ada \(Ada-L\)\. Green: ci\/(lint|test), ci\/(lint|test)\./,
    );
    const { statuses } = await ask("GET", `/commits/${second}/status`);
    expect(statuses).toContainEqual(
      expect.objectContaining({ context: "sett", status: "success" }),
    );
    expect(await scene.steps()).not.toContainEqual(expect.stringContaining("stops"));
  },
);

withGitea("a check that fails goes back", async () => {
  const { scene, ask } = await open({ checks: "all" });
  await using _ = scene;
  const goal = await scene.postGoal();
  const made = await scene.waiting(goal);
  await scene.look();
  await ask("POST", `/statuses/${scene.commits[0]}`, { context: "ci", state: "error" });
  await scene.look();
  expect((await scene.review(made)).payload).toContain("The check ci has failed.");
});

withGitea(
  "a pull request that a stranger closes pauses its goal until it is opened again, and a person's closing cancels it with her words",
  async () => {
    const { scene, ask } = await open({ checks: "all" });
    await using _ = scene;
    await scene.waiting(await scene.postGoal());
    await scene.look();
    const [{ number }] = await ask("GET", "/pulls");
    const eventAt = async (count: number) =>
      await waitFor("what is asked for", async () => {
        await scene.look();
        const events = (await scene.clan.events()).filter(({ type }) => type.startsWith("goal_"));
        return events.length === count && events.at(-1);
      });
    await ask("PATCH", `/pulls/${number}`, { state: "closed" }, "boss");
    expect(await eventAt(1)).toMatchObject({ type: "goal_paused", data: { by: "forge:hub" } });
    await ask("PATCH", `/pulls/${number}`, { state: "open" }, "boss");
    expect(await eventAt(2)).toMatchObject({ type: "goal_resumed" });
    await ask("POST", `/issues/${number}/comments`, { body: "By hand." });
    await ask("PATCH", `/pulls/${number}`, { state: "closed" });
    expect(await eventAt(3)).toMatchObject({ type: "goal_ended", data: { ending: "cancelled" } });
    const requests = (await scene.clan.events()).filter(({ type }) => type.endsWith("_requested"));
    expect(requests.map(({ data }) => data?.reason)).toEqual([
      "Pull request 1 was closed at the forge by boss, who is none of its people",
      "Pull request 1 was opened again at the forge.",
      "Pull request 1 was closed at the forge by ada (Ada-L): By hand.",
    ]);
  },
);

withGitea(
  "a branch that was deleted after the merge stays so, and there is no second pull request",
  async () => {
    const { scene, ask, branch } = await open({ checks: "none" });
    await using _ = scene;
    const goal = await scene.postGoal();
    const made = await scene.waiting(goal);
    await scene.look();
    const [{ number }] = await ask("GET", "/pulls");
    await ask("POST", `/pulls/${number}/reviews`, { event: "APPROVED", body: "" });
    await waitFor("the merge", async () => {
      const way = { Do: "merge", delete_branch_after_merge: true };
      return await ask("POST", `/pulls/${number}/merge`, way).then(
        () => true,
        () => false,
      );
    });
    await waitFor(
      "the branch to be gone",
      async () => branch(scene.repository.path, `sett/${goal.id}`) === undefined,
    );
    await scene.look();
    expect((await scene.review(made)).payload).toBe("{}");
    expect(branch(scene.repository.path, `sett/${goal.id}`)).toBeUndefined();
    expect(await ask("GET", "/pulls?state=all")).toHaveLength(1);
  },
);

withGitea(
  "with `merge`, what is approved is merged as one commit that names its goal",
  async () => {
    const { scene, ask } = await open({ checks: "none", merge: "squash" });
    await using _ = scene;
    const goal = await scene.postGoal("Write the door\n\nIt is blue.");
    const made = await scene.waiting(goal);
    await scene.look();
    const [{ number }] = await ask("GET", "/pulls");
    await ask("POST", `/pulls/${number}/reviews`, { event: "APPROVED", body: "" });
    await waitFor("the merge", async () => {
      await scene.look();
      return (await scene.grant(made)) === "done";
    });
    const { commit } = await ask("GET", "/branches/main");
    expect((await scene.review(made)).metadata.comment).toEndWith(
      ` Merged into main at the forge as ${commit.id}.`,
    );
    expect(commit.message.trim()).toBe(
      `Write the door (#${number})\n\nSett-Goal: ${goal.goal_id}\nSett-Artefact: ${made.id}`,
    );
    const { files } = await ask("GET", `/git/commits/${commit.id}`);
    expect(files.map(({ filename }: { filename: string }) => filename)).toEqual(["door.txt"]);
  },
);

withGitea("a conflict with what was merged meanwhile is left to a person", async () => {
  const { scene, ask, push } = await open({ checks: "none", merge: "merge" });
  await using _ = scene;
  const made = await scene.waiting(await scene.postGoal());
  await scene.look();
  const [{ number }] = await ask("GET", "/pulls");
  const { path, base } = scene.repository;
  git(path, "checkout", "-q", "--detach", base);
  const other = commitFiles(path, { "door.txt": "another\n" }, "Write another door");
  push(path, `${other}:refs/heads/main`);
  await waitFor("the forge to see the conflict", async () => {
    const { mergeable } = await ask("GET", `/pulls/${number}`);
    return mergeable === false;
  });
  await ask("POST", `/pulls/${number}/reviews`, { event: "APPROVED", body: "" });
  await waitFor("the refusal", async () => {
    await scene.look();
    return (await scene.steps()).some((step) => /^review stops: The forge refuses it/.test(step));
  });
  expect(await scene.grant(made)).toBe("waiting");
  expect((await ask("GET", "/branches/main")).commit.id).toBe(other as string);
});

/** A goal that was stated for an issue, with its first result at the forge. */
async function openForIssue() {
  const opened = await open({ checks: "none" });
  const { scene, ask } = opened;
  const { number: issue } = await ask("POST", "/issues", { title: "A door", body: "" });
  const goal = await scene.postGoal();
  await scene.statedFor(goal, issue);
  const made = await scene.waiting(goal);
  await scene.look();
  return { ...opened, issue, made };
}

withGitea(
  "the issue of a goal gets one comment, which says that its pull request was merged, also after restarts",
  async () => {
    const { scene, ask, issue, made } = await openForIssue();
    await using _ = scene;
    const comments = async () =>
      (await ask("GET", `/issues/${issue}/comments`)).map((one: { body: string }) => one.body);
    const [{ number, body }] = await ask("GET", "/pulls");
    expect(body).toContain(`Fixes #${issue}`);
    expect(await comments()).toEqual([expect.stringContaining(`Pull request #${number} is open.`)]);
    await ask("POST", `/pulls/${number}/reviews`, { event: "APPROVED", body: "" });
    await scene.look();
    await scene.review(made);
    scene.restart();
    await waitFor("the comment to say that it is done", async () => {
      await scene.look();
      return (await comments()).join().includes("and waits to be merged");
    });
    await waitFor("the merge", async () => {
      const way = { Do: "merge" };
      return await ask("POST", `/pulls/${number}/merge`, way).then(
        () => true,
        () => false,
      );
    });
    scene.restart();
    await waitFor("the comment to say that it was merged", async () => {
      await scene.look();
      return (await comments()).join().includes(`Pull request #${number} was merged.`);
    });
    expect(await comments()).toHaveLength(1);
    expect((await ask("GET", `/issues/${issue}`)).state).toBe("closed");
  },
);

withGitea("a comment that a person has removed is not written again", async () => {
  const { scene, ask, issue, made } = await openForIssue();
  await using _ = scene;
  const [{ id }] = await ask("GET", `/issues/${issue}/comments`);
  await ask("DELETE", `/issues/comments/${id}`);
  const [{ number }] = await ask("GET", "/pulls");
  await ask("POST", `/pulls/${number}/reviews`, { event: "APPROVED", body: "" });
  await scene.look();
  await scene.review(made);
  await waitFor("the removal to be noticed", async () => {
    await scene.look();
    return (await scene.steps()).includes("comment stops: A person has removed it");
  });
  scene.restart();
  await scene.look();
  expect(await ask("GET", `/issues/${issue}/comments`)).toEqual([]);
});

withGitea("a protected branch is not pushed, and a wrong token is said", async () => {
  const { scene, ask, branch } = await open({});
  await using _ = scene;
  await ask("POST", "/branch_protections", { rule_name: "sett/*", enable_push: false });
  const goal = await scene.postGoal();
  const made = await scene.waiting(goal);
  await scene.look();
  await scene.look();
  expect(await scene.grant(made)).toBe("waiting");
  expect(branch(scene.repository.path, `sett/${goal.id}`)).toBeUndefined();
  expect((await scene.steps()).at(-1)).toContain("review stops: The forge refuses the push");

  const { real } = await gitea.repository();
  const wrong = { ...real, token: "0".repeat(40) };
  await using other = await ForgeScene.open({ work: twoVersions, real: wrong });
  await other.waiting(await other.postGoal());
  await other.look();
  expect((await other.steps()).at(-1)).toContain("review stops: The forge refuses it (401)");
});
