// GitHub. Its events are those of its documentation "Webhook events and payloads".
import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import { z } from "zod";
import { actions, type ForgeTraits, noActions } from "../forge.ts";
import {
  commitOf,
  type ForgeEvent,
  type ForgeReading,
  forkOf,
  nameOfRef,
  nothingIn,
  readParts,
  turnOf,
} from "../forge-event.ts";
import type { Header } from "../hook.ts";
import { hashing, refused, type SignatureCheck } from "../signature.ts";

export const github: ForgeTraits = {
  label: "GitHub",
  publicUrl: "https://github.com",
  events: {
    push: noActions,
    tag_push: noActions,
    pull_request: actions(
      "opened synchronize reopened closed edited ready_for_review converted_to_draft",
      "labeled unlabeled assigned unassigned review_requested review_request_removed locked " +
        "unlocked milestoned demilestoned enqueued dequeued auto_merge_enabled auto_merge_disabled",
    ),
    // What was submitted goes by its verdict as well.
    pull_request_review: actions(
      "submitted approved changes_requested commented edited",
      "dismissed",
    ),
    pull_request_review_comment: actions("created edited deleted"),
    issues: actions(
      "opened closed reopened edited",
      "deleted labeled unlabeled assigned unassigned locked unlocked milestoned demilestoned " +
        "pinned unpinned transferred typed untyped",
    ),
    issue_comment: actions("created edited deleted", "pinned unpinned"),
  },
  commentEvent: "issue_comment",
  mergeEvent: "pull_request",
  checkSignature,
  idHeaders: [
    // Gitea, Forgejo and Gogs send GitHub's header as well, with an id that is new each time.
    { name: "x-gitea-delivery", kept: false },
    { name: "x-forgejo-delivery", kept: false },
    { name: "x-gogs-delivery", kept: false },
    { name: "x-github-delivery", kept: true },
  ],
  read(header, data) {
    const isOfGitea = header("x-gitea-event") !== undefined;
    return readGithubForm(header("x-github-event"), data, isOfGitea ? ofGitea : ofGithub);
  },
  document: {
    headers: [
      { name: "X-GitHub-Event", description: "Of GitHub: which event it is, such as `push`." },
      {
        name: "X-GitHub-Delivery",
        description: "Of GitHub: the id of the event. What comes with it again is a repeat.",
      },
    ],
    schemes: {
      github: { name: "X-Hub-Signature-256", description: "GitHub's signature of the body." },
    },
  },
};

function checkSignature(header: Header, secret: string): SignatureCheck {
  const signature = header("x-hub-signature-256");
  if (signature === undefined)
    return refused(
      "There is no X-Hub-Signature-256: the webhook needs its secret, as sett.yml names it.",
    );
  const [, hex] = /^sha256=([0-9a-f]{64})$/.exec(signature) ?? [];
  if (hex === undefined)
    return refused(
      "X-Hub-Signature-256 is no signature: it is `sha256=` and 64 hexadecimal digits.",
    );
  const wrong = "X-Hub-Signature-256 does not fit the body and the secret.";
  return hashing(createHmac("sha256", secret), [Buffer.from(hex, "hex")], wrong);
}

const Action = z.string().regex(/^[a-z_]{1,60}$/);
const Account = z.object({ login: z.string() });
const Text = z.string().nullish();
const common = { repository: z.object({ full_name: z.string() }), sender: Account };
/**
 * GitHub gives seconds; Gitea and Forgejo give no time of the push, and that of the last change of
 * the repository.
 */
const PushTime = z.union([z.string(), z.number()]).nullish();
const Label = z.object({ name: z.string() }).optional();

const Push = z.object({
  ...common,
  repository: z.object({ full_name: z.string(), pushed_at: PushTime, updated_at: PushTime }),
  ref: z.string(),
  before: z.string(),
  after: z.string(),
  compare: Text,
  compare_url: Text,
  head_commit: z.object({ message: z.string(), timestamp: Text }).nullish(),
});

export const PullRequest = z.object({
  ...common,
  action: Action,
  label: Label,
  requested_reviewer: Account.nullish(),
  pull_request: z.object({
    number: z.int(),
    title: z.string(),
    body: Text,
    html_url: z.string(),
    updated_at: z.string(),
    head: z.object({ sha: z.string(), repo: z.object({ full_name: z.string() }).nullish() }),
    base: z.object({ ref: z.string() }),
  }),
});

const Issue = z.object({
  number: z.int(),
  title: z.string(),
  body: Text,
  html_url: z.string(),
  updated_at: z.string(),
});
const Issues = z.object({ ...common, action: Action, label: Label, issue: Issue });

const IssueComment = z.object({
  ...common,
  action: Action,
  issue: Issue,
  comment: z.object({
    id: z.int(),
    body: z.string(),
    html_url: z.string(),
    updated_at: z.string(),
  }),
});

const aboutRequest = { ...common, action: Action, pull_request: PullRequest.shape.pull_request };

/** A verdict without a word has no text. */
const Review = z.object({
  ...aboutRequest,
  review: z.object({
    id: z.int(),
    body: Text,
    commit_id: Text,
    html_url: z.string(),
    state: z
      .string()
      .toLowerCase()
      .regex(/^[a-z_]{1,60}$/),
    submitted_at: Text,
  }),
});

const ReviewComment = z.object({
  ...aboutRequest,
  comment: z.object({
    id: z.int(),
    body: z.string(),
    commit_id: Text,
    html_url: z.string(),
    updated_at: z.string(),
  }),
});

/** `header`: with the kind of the event. `events`: those that it may send. `more`: a sentence. */
type Dialect = { label: string; header: string; events: readonly string[]; more?: string };

const ofGithub: Dialect = {
  label: "GitHub",
  header: "X-GitHub-Event",
  events: Object.keys(github.events).filter((name) => name !== "tag_push"),
};

/** Gitea's deliveries are taken as well, and those of its own events need its own name. */
const ofGitea: Dialect = {
  ...ofGithub,
  label: "Gitea",
  events: ["push", "pull_request", "issues", "issue_comment"],
  more: " `forge: gitea` in sett.yml knows its reviews, too.",
};

/** Reads what GitHub sends, and what others send in its form. */
export function readGithubForm(
  kind: string | undefined,
  data: unknown,
  dialect: Dialect,
): ForgeReading {
  const { label, header, events, more = "" } = dialect;
  switch (kind) {
    case undefined:
      return {
        kind: "unknown",
        reason: `There is no ${header}: this is not a webhook of ${label}.`,
      };
    case "ping":
      return { kind: "ping" };
    case "push":
      return isTest(data) ? { kind: "ping" } : readParts(Push, data, kind, ofPush);
    case "pull_request":
      return readParts(PullRequest, data, kind, ofPullRequest);
    case "issues":
      return readParts(Issues, data, kind, ofIssue);
    case "issue_comment":
      return readParts(IssueComment, data, kind, ofComment);
    case "pull_request_review":
      return readParts(Review, data, kind, ofReview);
    case "pull_request_review_comment":
      return readParts(ReviewComment, data, kind, ofReviewComment);
    default: {
      const name = /^[a-z_]{1,60}$/.test(kind) ? `\`${kind}\`` : `in ${header}`;
      const known = new Intl.ListFormat("en-GB").format(events);
      const reason = `Sett does not know the event ${name}: let ${label} send ${known} alone.${more}`;
      return { kind: "unknown", reason };
    }
  }
}

/** Gitea tries an address by a push that changes nothing, which no true push is. */
function isTest(data: unknown): boolean {
  const { before, after }: { before?: unknown; after?: unknown } = Object(data);
  return typeof before === "string" && before === after;
}

function ofPush({
  repository,
  sender,
  ref,
  before,
  after,
  compare,
  compare_url,
  head_commit,
}: z.infer<typeof Push>): ForgeEvent {
  const { branch, tag } = nameOfRef(ref);
  const name = tag === undefined ? "push" : "tag_push";
  const commit = commitOf(after);
  // Gitea and Forgejo do not count a tag that is made or removed on their pages as a change.
  const changed = tag === undefined ? repository.updated_at : undefined;
  const time = String(repository.pushed_at ?? changed ?? "");
  const [title, ...body] = (head_commit?.message ?? "").split("\n");
  return {
    name,
    happened: [repository.full_name, ref, before, after, time],
    subject: `${repository.full_name} ${ref}`,
    // Gitea sends no push where a branch is removed: it may be made again from nothing.
    turn: { from: commitOf(before), to: after },
    time: time === "" ? undefined : time,
    about: `${name} ${branch ?? tag ?? ref}`,
    author: sender.login,
    branch,
    commit,
    nothing: nothingIn(ref, commit),
    fields: {
      ...fieldsOf(name, repository.full_name, sender.login),
      ...{
        title,
        body: body.join("\n").trim(),
        branch,
        tag,
        commit,
        url: compare ?? compare_url ?? undefined,
      },
    },
  };
}

export function ofPullRequest(event: z.infer<typeof PullRequest>): ForgeEvent {
  const { action, repository, sender, pull_request: request, label, requested_reviewer } = event;
  const { number, title, body, html_url: url, updated_at, head, base } = request;
  const name = `pull_request.${action}`;
  const commit = commitOf(head.sha);
  return {
    name,
    alias: action === "synchronized" ? "pull_request.synchronize" : undefined,
    happened: [
      ...[repository.full_name, "pull_request", String(number), action, head.sha, updated_at],
      ...[label?.name ?? "", requested_reviewer?.login ?? ""],
    ],
    subject: `${repository.full_name} #${number}`,
    turn: turnOf(action),
    time: updated_at,
    about: `${name} #${number}`,
    author: sender.login,
    branch: base.ref,
    fork: forkOf(head.repo?.full_name, repository.full_name),
    commit,
    fields: {
      ...fieldsOf(name, repository.full_name, sender.login),
      ...{ title, body: body ?? "", number: String(number), branch: base.ref, commit, url },
    },
  };
}

function ofIssue({ action, repository, sender, issue, label }: z.infer<typeof Issues>): ForgeEvent {
  const { number, title, body, html_url: url, updated_at } = issue;
  const name = `issues.${action}`;
  return {
    name,
    happened: [
      repository.full_name,
      "issue",
      String(number),
      action,
      updated_at,
      label?.name ?? "",
    ],
    subject: `${repository.full_name} #${number}`,
    turn: turnOf(action),
    time: updated_at,
    about: `${name} #${number}`,
    author: sender.login,
    issue: url,
    fields: {
      ...fieldsOf(name, repository.full_name, sender.login),
      ...{ title, body: body ?? "", number: String(number), url },
    },
  };
}

/** A pull request is an issue to GitHub: a comment on one does not say which commit it is about. */
function ofComment({
  action,
  repository,
  sender,
  issue,
  comment,
}: z.infer<typeof IssueComment>): ForgeEvent {
  const { number, title } = issue;
  const name = `issue_comment.${action}`;
  return {
    name,
    happened: [
      repository.full_name,
      "issue_comment",
      String(comment.id),
      action,
      comment.updated_at,
    ],
    subject: `${repository.full_name} comment ${comment.id}`,
    turn: turnOf(action),
    time: comment.updated_at,
    about: `${name} #${number}`,
    author: sender.login,
    comment: comment.body,
    issue: issue.html_url,
    fields: {
      ...fieldsOf(name, repository.full_name, sender.login),
      ...{
        title,
        comment: comment.body,
        body: issue.body ?? "",
        number: String(number),
        url: comment.html_url,
      },
    },
  };
}

/** The verdict is the name, as a trigger most often wants one of them. */
function ofReview({ review, ...request }: z.infer<typeof Review>): ForgeEvent {
  const { action } = request;
  const verdict = action === "submitted" ? review.state : action;
  const said = { ...review, body: review.body ?? "", time: review.submitted_at ?? "" };
  const event = ofRemark(`pull_request_review.${verdict}`, said, request);
  return action === verdict ? event : { ...event, alias: `pull_request_review.${action}` };
}

function ofReviewComment({ comment, ...request }: z.infer<typeof ReviewComment>): ForgeEvent {
  const said = { ...comment, time: comment.updated_at };
  return ofRemark(`pull_request_review_comment.${request.action}`, said, request);
}

type Remark = { id: number; body: string; html_url: string; commit_id?: string | null | undefined };

/** It is about the commit that its author saw, which need not be the newest. */
function ofRemark(
  name: string,
  { id, body: comment, html_url: url, commit_id, time }: Remark & { time: string },
  request: z.infer<typeof PullRequest>,
): ForgeEvent {
  const event = ofPullRequest(request);
  const commit = commitOf(commit_id) ?? event.commit;
  return {
    ...event,
    name,
    alias: undefined,
    turn: undefined,
    happened: [name, String(id), time, ...event.happened],
    about: `${name} #${request.pull_request.number}`,
    commit,
    comment,
    fields: { ...event.fields, event: name, comment, commit, url },
  };
}

function fieldsOf(event: string, repository: string, author: string) {
  return { event, repository, author };
}
