import { expect, test } from "bun:test";
import type { Forge } from "../../../../lib/model/trigger.ts";
import { deliveredEvent } from "../../../../lib/triggers/delivery-id.ts";
import { readForgeEvent } from "../../../../lib/triggers/read-forge-event.ts";
import { gitea, github, gitlab, kindHeader } from "../../../support/triggers/forge-payloads.ts";

function idOf(forge: Forge, kind: string, body: unknown, headers: Record<string, string>): string {
  const header = (name: string) => ({ [kindHeader[forge]]: kind, ...headers })[name];
  const text = JSON.stringify(body);
  const reading = readForgeEvent(forge, header, text);
  if (reading.kind !== "event") throw new Error(JSON.stringify(reading));
  const { event } = reading;
  const fallbackId = crypto.randomUUID();
  const delivery = { header, body: new TextEncoder().encode(text), event, fallbackId };
  return JSON.stringify(deliveredEvent(forge, delivery).happened);
}

const events = [
  ["github", "push", github.push()],
  ["github", "push", github.push({ ref: "refs/tags/v1" })],
  ["github", "pull_request", github.pullRequest({ action: "labeled", label: { name: "paint" } })],
  ["github", "issues", github.issue()],
  ["github", "issue_comment", github.comment("/sett")],
  ["github", "pull_request_review", github.review("approved", null)],
  ["github", "pull_request_review_comment", github.reviewComment("/sett")],
  ["gitlab", "Push Hook", gitlab.push()],
  ["gitlab", "Tag Push Hook", gitlab.push({ object_kind: "tag_push", ref: "refs/tags/v1" })],
  ["gitlab", "Merge Request Hook", gitlab.mergeRequest()],
  ["gitlab", "Issue Hook", gitlab.issue()],
  ["gitlab", "Note Hook", gitlab.note("/sett")],
] as const;

test("an event of any kind differs from one that says the same by the id of its delivery", () => {
  for (const [forge, kind, body] of events)
    for (const name of forge === "github"
      ? ["x-github-delivery"]
      : ["webhook-id", "idempotency-key"]) {
      const ids = ["one", "two", "one"].map((id) => idOf(forge, kind, body, { [name]: id }));
      expect([new Set(ids).size, ids[0]]).toEqual([2, ids[2] ?? ""]);
    }
});

test("where a delivery that is sent again by hand has a new id, the forge's own time of the event counts", () => {
  const timed = { repository: { full_name: "octo-org/door", updated_at: "2026-11-24T10:00:00Z" } };
  for (const name of ["x-gitea-delivery", "x-forgejo-delivery", "x-gogs-delivery"]) {
    const ofGitea = (body: unknown, id: string) =>
      idOf("github", "push", body, { [name]: id, "x-github-delivery": id });
    expect(ofGitea(github.push(timed), "one")).toBe(ofGitea(github.push(timed), "two"));
    const later = { repository: { ...timed.repository, updated_at: "2026-11-24T10:00:09Z" } };
    expect(ofGitea(github.push(later), "three")).not.toBe(ofGitea(github.push(timed), "one"));
    expect(ofGitea(github.push(), "one")).not.toBe(ofGitea(github.push(), "two"));
  }
  const [one, two] = ["one", "two"].map((id) => ({ "x-gitlab-event-uuid": id }));
  const ofGitlab = (kind: string, body: unknown) =>
    [one, two].map((headers) => idOf("gitlab", kind, body, headers ?? {}));
  expect(new Set(ofGitlab("Issue Hook", gitlab.issue())).size).toBe(1);
  expect(new Set(ofGitlab("Push Hook", gitlab.push())).size).toBe(2);
});

test("whatever Gitea sends in its own name, its time and all that it says count", () => {
  const bodies = [
    ["push", gitea.push()],
    ["pull_request", gitea.synchronized()],
    ["pull_request", gitea.labelled("paint")],
    ["pull_request_approved", gitea.review("approved", "")],
    ["pull_request_comment", gitea.review("comment", "one")],
    ["pull_request_comment", gitea.review("comment", "two")],
  ] as const;
  const ids = bodies.map(([kind, body]) => {
    const [one, two] = ["one", "two"].map((id) =>
      idOf("gitea", kind, body, { "x-gitea-delivery": id, "x-github-delivery": id }),
    );
    expect(one).toBe(two ?? "");
    return one;
  });
  expect(new Set(ids).size).toBe(bodies.length);
});

test("two events of one second are two, and one that is sent again by hand is none", () => {
  const ofGitea = (body: unknown, id: string) =>
    idOf("github", "pull_request", body, { "x-gitea-delivery": id, "x-github-delivery": id });
  const labelled = (name: string) =>
    github.pullRequest({ action: "label_updated" }, { labels: [{ name }] });
  expect(ofGitea(labelled("paint"), "one")).toBe(ofGitea(labelled("paint"), "two"));
  expect(ofGitea(labelled("paint"), "one")).not.toBe(ofGitea(labelled("oil"), "two"));
  const approved = (username: string) =>
    idOf(
      "gitlab",
      "Merge Request Hook",
      { ...gitlab.mergeRequest({ action: "approved" }), user: { username } },
      {
        "x-gitlab-webhook-uuid": username,
      },
    );
  expect(approved("ada")).not.toBe(approved("grace"));
});

test("a tag that is made again on a page of Gitea is new, although the repository has no later time", () => {
  const repository = { full_name: "octo-org/door", updated_at: "2026-11-24T10:00:00Z" };
  const made = github.push({ ref: "refs/tags/v1", before: "0".repeat(40), repository });
  const [one, two] = ["one", "two"].map((id) =>
    idOf("github", "push", made, { "x-gitea-delivery": id }),
  );
  expect(one).not.toBe(two ?? "");
});

test("without an id, which a proxy may take away, a push that has no time is new, and what has a time goes by it", () => {
  const pushes = [
    ["github", "push", github.push()],
    ["gitlab", "Push Hook", gitlab.push()],
  ] as const;
  for (const [forge, kind, body] of pushes)
    for (const headers of [{}, { "x-github-delivery": "", "idempotency-key": "" }])
      expect(idOf(forge, kind, body, headers)).not.toBe(idOf(forge, kind, body, headers));
  const timed = github.pullRequest({ action: "labeled" });
  expect(idOf("github", "pull_request", timed, {})).toBe(idOf("github", "pull_request", timed, {}));
});
