import { expect, test } from "bun:test";
import fc from "fast-check";
import { Forge } from "../../../../lib/model/trigger.ts";
import type { ForgeEvent } from "../../../../lib/triggers/forge-event.ts";
import { readForgeEvent } from "../../../../lib/triggers/read-forge-event.ts";
import {
  commit,
  gitea,
  github,
  gitlab,
  kindHeader,
  reviewed,
} from "../../../support/triggers/forge-payloads.ts";

const read = (forge: Forge, kind: string | undefined, body: unknown) =>
  readForgeEvent(
    forge,
    (name) => (name === kindHeader[forge] ? kind : undefined),
    JSON.stringify(body),
  );
function eventOf(forge: Forge, kind: string, body: unknown): ForgeEvent {
  const reading = read(forge, kind, body);
  if (reading.kind === "event") return reading.event;
  throw new Error(JSON.stringify(reading));
}

test("a push of GitHub and of GitLab is the same event", () => {
  const wanted = {
    name: "push",
    about: "push main",
    author: "ada",
    branch: "main",
    commit,
    nothing: undefined,
    fields: {
      event: "push",
      title: "Paint the door",
      body: "Twice.",
      author: "ada",
      branch: "main",
      commit,
    },
  };
  expect(eventOf("github", "push", github.push())).toMatchObject(wanted);
  expect(eventOf("github", "push", github.push()).fields.repository).toBe("octo-org/door");
  expect(eventOf("gitlab", "Push Hook", gitlab.push())).toMatchObject(wanted);
  expect(eventOf("gitlab", "Push Hook", gitlab.push()).fields.url).toEndWith("/da156088");
});

test("a pushed tag is an event of its own, and what is deleted is nothing to work on", () => {
  for (const event of [
    eventOf("github", "push", github.push({ ref: "refs/tags/v1" })),
    eventOf(
      "gitlab",
      "Tag Push Hook",
      gitlab.push({ object_kind: "tag_push", ref: "refs/tags/v1" }),
    ),
  ])
    expect(event).toMatchObject({
      name: "tag_push",
      about: "tag_push v1",
      branch: undefined,
      fields: { tag: "v1", commit },
    });
  expect(eventOf("github", "push", github.deletion()).nothing).toBe(
    "The push deletes refs/heads/main.",
  );
  expect(eventOf("gitlab", "Push Hook", gitlab.deletion()).nothing).toBe(
    "The push deletes refs/heads/main.",
  );
  const notes = eventOf("github", "push", github.push({ ref: "refs/notes/commits" }));
  expect(notes.nothing).toBe("refs/notes/commits is neither a branch nor a tag.");
});

test("pull and merge requests, issues and comments say what they are about", () => {
  expect(eventOf("github", "pull_request", github.pullRequest())).toMatchObject({
    ...{
      name: "pull_request.opened",
      about: "pull_request.opened #12",
      author: "ada",
      branch: "main",
      commit,
    },
    fields: {
      title: "Paint the door",
      body: "It is grey.",
      number: "12",
      url: "https://github.com/octo-org/door/pull/12",
    },
  });
  expect(eventOf("gitlab", "Merge Request Hook", gitlab.mergeRequest())).toMatchObject({
    ...{
      name: "merge_request.open",
      about: "merge_request.open !3",
      author: "ada",
      branch: "main",
      commit,
    },
    fields: { title: "Paint the door", body: "It is grey.", number: "3" },
  });
  expect(eventOf("github", "issues", github.issue())).toMatchObject({
    ...{ name: "issues.opened", issue: "https://github.com/octo-org/door/issues/7" },
    fields: { body: "", number: "7" },
  });
  expect(eventOf("gitlab", "Issue Hook", gitlab.issue())).toMatchObject({
    name: "issue.open",
    about: "issue.open #23",
  });
  const comment = eventOf("github", "issue_comment", github.comment("/sett go"));
  expect(comment).toMatchObject({
    ...{ name: "issue_comment.created", issue: "https://github.com/octo-org/door/issues/7" },
    comment: "/sett go",
    fields: { comment: "/sett go", body: "Why?" },
  });
  expect(comment.commit).toBeUndefined();
  expect(eventOf("gitlab", "Note Hook", gitlab.note("/sett go"))).toMatchObject({
    ...{
      name: "note.create",
      about: "note.create !3",
      comment: "/sett go",
      branch: "main",
      commit,
    },
    fields: { number: "3", title: "Paint the door" },
  });
  const onCommit = gitlab.note("Nice", {
    merge_request: null,
    commit: { id: commit, message: "Paint\n\nmore" },
  });
  expect(eventOf("gitlab", "Note Hook", onCommit)).toMatchObject({
    commit,
    fields: { title: "Paint" },
  });
});

test("Gitea's own events are read by its words, and a new commit by GitHub's as well", () => {
  const [from, to] = ["0".repeat(40), commit];
  expect(eventOf("gitea", "push", gitea.push()).turn?.from).toBe(github.push().before);
  // Gitea names no branch that is removed in a push.
  expect(eventOf("gitea", "push", gitea.push({ before: from })).turn).toEqual({
    from: undefined,
    to,
  });
  expect(eventOf("gitea", "push", gitea.push())).toMatchObject({
    ...{ name: "push", branch: "main", commit, time: "2026-11-24T10:00:00Z" },
    fields: { url: gitea.push().compare_url, title: "Paint the door" },
  });
  for (const forge of ["gitea", "github"] as const)
    expect(eventOf(forge, "pull_request", gitea.synchronized())).toMatchObject({
      name: "pull_request.synchronized",
      alias: "pull_request.synchronize",
      commit,
    });
  const kinds = { approved: "", rejected: "Not grey", comment: "/sett paint" };
  const events = Object.entries(kinds).map(([type, text]) =>
    eventOf("gitea", `pull_request_${type}`, gitea.review(type as keyof typeof kinds, text)),
  );
  expect(events).toMatchObject(
    Object.entries(kinds).map(([type, comment]) => ({
      name: `pull_request_${type}.reviewed`,
      about: `pull_request_${type}.reviewed #12`,
      ...{ author: "ada", branch: "main", commit, comment, time: expect.any(String) },
      fields: { event: `pull_request_${type}.reviewed`, comment, title: "Paint the door" },
    })),
  );
  const all = [...events, eventOf("gitea", "pull_request", gitea.synchronized())];
  expect(new Set(all.map(({ happened }) => JSON.stringify(happened))).size).toBe(4);
  expect(new Set(all.map(({ subject }) => subject)).size).toBe(1);
});

test("a review of GitHub goes by its verdict and as submitted, about the commit that was reviewed", () => {
  const verdicts = { approved: null, changes_requested: "Not grey", commented: "/sett paint" };
  const events = Object.entries(verdicts).map(([state, body]) =>
    eventOf("github", "pull_request_review", github.review(state, body)),
  );
  expect(events).toMatchObject(
    Object.entries(verdicts).map(([state, body]) => ({
      name: `pull_request_review.${state}`,
      alias: "pull_request_review.submitted",
      about: `pull_request_review.${state} #12`,
      ...{
        author: "ada",
        branch: "main",
        commit: reviewed,
        comment: body ?? "",
        time: expect.any(String),
      },
      fields: {
        ...{ event: `pull_request_review.${state}`, commit: reviewed, comment: body ?? "" },
        ...{ title: "Paint the door", number: "12", url: expect.stringContaining("#pullrequestr") },
      },
    })),
  );
  const later = ["edited", "dismissed"].map((action) =>
    eventOf("github", "pull_request_review", github.review("approved", "Yes", { action })),
  );
  expect(later.map(({ name, alias }) => [name, alias])).toEqual([
    ["pull_request_review.edited", undefined],
    ["pull_request_review.dismissed", undefined],
  ]);
  const remark = eventOf("github", "pull_request_review_comment", github.reviewComment("/sett go"));
  expect(remark).toMatchObject({
    ...{ name: "pull_request_review_comment.created", comment: "/sett go", commit: reviewed },
    ...{ author: "ada", branch: "main", fork: undefined },
  });
  const all = [
    ...events,
    ...later,
    remark,
    eventOf("github", "pull_request", github.pullRequest()),
  ];
  expect(new Set(all.map(({ happened }) => JSON.stringify(happened))).size).toBe(all.length);
  const ofFork = github.review("approved", null, {
    pull_request: {
      ...github.pullRequest().pull_request,
      head: { sha: commit, repo: { full_name: "mallory/door" } },
    },
  });
  expect(eventOf("github", "pull_request_review", ofFork).fork).toBe("mallory/door");
});

test("the trial of Gitea's webhook is a ping, and starts no goal", () => {
  for (const forge of ["gitea", "github"] as const)
    expect(read(forge, "push", gitea.trial())).toEqual({ kind: "ping" });
});

test("GitLab's work items are read as issues, by their own name", () => {
  const task = { ...gitlab.issue(), object_kind: "work_item" };
  expect(eventOf("gitlab", "Work Item Hook", task)).toMatchObject({
    name: "work_item.open",
    about: "work_item.open #23",
    fields: { number: "23", title: "The door is grey" },
  });
  expect(eventOf("gitlab", "Work Item Hook", task).happened).not.toEqual(
    eventOf("gitlab", "Issue Hook", gitlab.issue()).happened,
  );
});

test("deliveries of one event are the same, and two events never are", () => {
  const happened = (kind: string, body: unknown) =>
    JSON.stringify(eventOf("github", kind, body).happened);
  const one = happened("pull_request", github.pullRequest());
  // A hook of the organisation adds members, and a delivery that is sent again is the same.
  expect(
    happened("pull_request", github.pullRequest({ organization: { login: "octo-org" } })),
  ).toBe(one);
  const others = [
    github.pullRequest({ action: "labeled", label: { name: "paint" } }),
    github.pullRequest({ action: "labeled", label: { name: "wood" } }),
    github.pullRequest({}, { updated_at: "2026-11-24T10:00:01Z" }),
    github.pullRequest({}, { number: 13 }),
    github.pullRequest({}, { head: { sha: commit.replace("d", "e") } }),
    github.pullRequest({ repository: { full_name: "octo-org/house" } }),
  ].map((body) => happened("pull_request", body));
  const all = [
    one,
    ...others,
    happened("issue_comment", github.comment("a")),
    happened("issues", github.issue()),
  ];
  expect(new Set(all).size).toBe(all.length);
});

test("a test message is a ping, and what is unknown is said in a sentence", () => {
  expect(read("github", "ping", github.ping())).toEqual({ kind: "ping" });
  const reasonOf = (...args: Parameters<typeof read>) => {
    const reading = read(...args);
    return reading.kind === "unknown" ? reading.reason : reading.kind;
  };
  expect(reasonOf("github", "fork", {})).toStartWith("Sett does not know the event `fork`");
  expect(reasonOf("github", "<script>", {})).toStartWith(
    "Sett does not know the event in X-GitHub-Event:",
  );
  expect(reasonOf("github", undefined, {})).toStartWith("There is no X-GitHub-Event");
  expect(reasonOf("gitlab", undefined, {})).toStartWith("There is no X-Gitlab-Event");
  expect(reasonOf("gitea", undefined, {})).toStartWith("There is no X-Gitea-Event");
  expect(reasonOf("gitea", "create", {})).toBe(
    "Sett does not know the event `create`: let Gitea send push, pull_request, pull_request_approved, pull_request_rejected, pull_request_comment, issues and issue_comment alone.",
  );
  const toGithub = (kind: string) =>
    readForgeEvent(
      "github",
      (name) => (name === "x-github-event" || name === "x-gitea-event" ? kind : undefined),
      JSON.stringify(gitea.review("approved", "")),
    );
  expect(toGithub("pull_request_approved")).toEqual({
    kind: "unknown",
    reason:
      "Sett does not know the event `pull_request_approved`: let Gitea send push, pull_request, issues and issue_comment alone. `forge: gitea` in sett.yml knows its reviews, too.",
  });
  expect(reasonOf("gitlab", "Job Hook", { object_kind: "build" })).toStartWith(
    "Sett does not know the event `build`",
  );
  expect(reasonOf("github", "push", { ref: 1 })).toBe(
    "The event `push` has another form than its forge documents: at `repository`.",
  );
  expect(reasonOf("github", "push", null)).toEndWith("it is no JSON object.");
  expect(reasonOf("github", "pull_request_review", github.review("a\nb", ""))).toEndWith(
    "at `review.state`.",
  );
  expect(reasonOf("github", "pull_request", github.pullRequest({ action: "a b" }))).toEndWith(
    "at `action`.",
  );
  const form = readForgeEvent("github", () => "push", "payload=%7B%7D");
  expect(form).toMatchObject({
    kind: "unknown",
    reason: expect.stringMatching(/application\/json/),
  });
});

test("whatever is sent, reading it never fails", () => {
  const kinds = fc.constantFrom(
    "push",
    "pull_request",
    "issues",
    "issue_comment",
    "ping",
    "tag_push",
    "merge_request",
    "note",
    "pull_request_approved",
    "pull_request_review",
    "pull_request_review_comment",
  );
  fc.assert(
    fc.property(fc.constantFrom(...Forge.options), kinds, fc.jsonValue(), (forge, kind, value) => {
      const body = forge !== "gitlab" ? value : { ...Object(value), object_kind: kind };
      expect(["event", "ping", "unknown"]).toContain(read(forge, kind, body).kind);
    }),
  );
});

test("a pull or merge request of another repository is of a fork, also where that is gone", () => {
  const forkIn = (...event: Parameters<typeof eventOf>) => eventOf(...event).fork;
  const pull = (repo: object | null | undefined) =>
    github.pullRequest({}, { head: { sha: commit, repo } });
  const mallory = { path_with_namespace: "mallory/door" };
  expect([
    forkIn("github", "pull_request", github.pullRequest()),
    forkIn("github", "pull_request", pull({ full_name: "Octo-Org/door" })),
    forkIn("github", "pull_request", pull({ full_name: "mallory/door" })),
    forkIn("github", "pull_request", pull(null)),
    forkIn("github", "push", github.push()),
  ]).toEqual([undefined, undefined, "mallory/door", "that is gone", undefined]);
  const gone = { source_project_id: null, source: null };
  expect([
    forkIn("gitlab", "Merge Request Hook", gitlab.mergeRequest()),
    forkIn(
      "gitlab",
      "Merge Request Hook",
      gitlab.mergeRequest({ source_project_id: 99, source: mallory }),
    ),
    forkIn("gitlab", "Merge Request Hook", gitlab.mergeRequest(gone)),
    forkIn("gitlab", "Note Hook", gitlab.note("hm")),
    forkIn(
      "gitlab",
      "Note Hook",
      gitlab.note("hm", {
        merge_request: { ...gitlab.note("").merge_request, source_project_id: 9, source: mallory },
      }),
    ),
    forkIn(
      "gitlab",
      "Note Hook",
      gitlab.note("hm", { merge_request: null, issue: { iid: 1, title: "x" } }),
    ),
  ]).toEqual([undefined, "mallory/door", "that is gone", undefined, "mallory/door", undefined]);
});
