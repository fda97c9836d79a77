// GitLab. Its events are those of its documentation "Webhook events".
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
import { hashing, isSameSecret, refused, type SignatureCheck } from "../signature.ts";

export const gitlab: ForgeTraits = {
  label: "GitLab",
  events: {
    push: noActions,
    tag_push: noActions,
    merge_request: actions(
      "open update reopen close",
      "merge approved unapproved approval unapproval",
    ),
    issue: actions("open update reopen close"),
    work_item: actions("open update reopen close"),
    note: actions("create update"),
  },
  commentEvent: "note",
  mergeEvent: "merge_request",
  checkSignature: (header, secret, now) =>
    secret.startsWith(signingTokenPrefix)
      ? checkStandard(header, secret, now)
      : checkToken(header, secret),
  secretProblem: (secret) =>
    secret.startsWith(signingTokenPrefix) && !/^whsec_[A-Za-z0-9+/]+={0,2}$/.test(secret)
      ? {
          problem: "what follows `whsec_` is not base64",
          remedy: "Copy the signing token from GitLab again.",
        }
      : undefined,
  idHeaders: [
    // The signature covers `webhook-id`. Older releases have the last ones only.
    { name: "webhook-id", kept: true },
    { name: "idempotency-key", kept: true },
    { name: "x-gitlab-webhook-uuid", kept: false },
    { name: "x-gitlab-event-uuid", kept: false },
  ],
  read: (header, data) => read(header("x-gitlab-event"), data),
  document: {
    headers: [
      { name: "X-Gitlab-Event", description: "Of GitLab: which event it is, such as `Push Hook`." },
      {
        name: "Idempotency-Key",
        description: "Of GitLab: the id of the delivery. What comes with it again is a repeat.",
      },
    ],
    schemes: {
      gitlab: { name: "X-Gitlab-Token", description: "GitLab's secret token." },
      gitlab_signed: {
        name: "webhook-signature",
        description: "GitLab's signature of `webhook-id`, `webhook-timestamp` and the body.",
      },
    },
  },
};

/** GitLab's signing tokens begin with it; what follows is base64. */
const signingTokenPrefix = "whsec_";
/** As Standard Webhooks asks for: an old message is not played again. */
const toleranceSeconds = 5 * 60;
const maxSignatures = 10;
const sha256Bytes = 32;

/** The body has no part in it. */
function checkToken(header: Header, secret: string): SignatureCheck {
  const token = header("x-gitlab-token");
  if (token === undefined)
    return refused(
      "There is no X-Gitlab-Token: the webhook needs its secret token, as sett.yml names it.",
    );
  if (!isSameSecret(token, secret)) return refused("X-Gitlab-Token is not the secret.");
  return { kind: "open", part: () => {}, problem: () => undefined };
}

/** GitLab signs by the Standard Webhooks specification where the webhook has a signing token. */
function checkStandard(header: Header, secret: string, now: Date): SignatureCheck {
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map(
    header,
  );
  if (id === undefined || timestamp === undefined || signatures === undefined)
    return refused(
      "There is no webhook-signature: the webhook needs its signing token, as sett.yml names it.",
    );
  const ageSeconds = now.getTime() / 1_000 - Number(timestamp);
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(ageSeconds) > toleranceSeconds)
    return refused(
      "webhook-timestamp is more than 5 minutes from now: the message is old, or a clock is wrong.",
    );
  const signed = signatures
    .split(" ")
    .slice(0, maxSignatures)
    .flatMap((one) =>
      one.startsWith("v1,") ? [Buffer.from(one.slice("v1,".length), "base64")] : [],
    )
    .filter(({ length }) => length === sha256Bytes);
  if (signed.length === 0)
    return refused("webhook-signature is no signature: it is `v1,` and 32 bytes in base64.");
  const key = Buffer.from(secret.slice(signingTokenPrefix.length), "base64");
  const hmac = createHmac("sha256", key).update(`${id}.${timestamp}.`);
  return hashing(hmac, signed, "webhook-signature does not fit the body and the secret.");
}

const Action = z
  .string()
  .regex(/^[a-z_]{1,60}$/)
  .optional();
const Text = z.string().nullish();
const Project = z.object({ path_with_namespace: z.string(), web_url: Text });
const common = { project: Project, user: z.object({ username: z.string() }) };
/** Older releases name a project by its number alone. */
const Place = z.object({ path_with_namespace: z.string() }).nullish();
const Sides = {
  source_project_id: z.int().nullish(),
  target_project_id: z.int().nullish(),
  source: Place,
};
const LastCommit = z.object({ id: z.string() }).nullish();

const Push = z.object({
  project: Project,
  user_username: z.string(),
  ref: z.string(),
  before: z.string(),
  after: z.string(),
  checkout_sha: Text,
  commits: z.array(z.object({ id: z.string(), message: z.string(), url: Text })).default([]),
});

const MergeRequest = z.object({
  ...common,
  object_attributes: z.object({
    iid: z.int(),
    title: z.string(),
    description: Text,
    url: Text,
    action: Action,
    updated_at: z.string(),
    target_branch: z.string(),
    last_commit: LastCommit,
    ...Sides,
  }),
});

const Issue = z.object({
  ...common,
  object_attributes: z.object({
    iid: z.int(),
    title: z.string(),
    description: Text,
    url: Text,
    action: Action,
    updated_at: z.string(),
  }),
});

const About = z.object({ iid: z.int(), title: z.string() });
const Note = z.object({
  ...common,
  object_attributes: z.object({
    id: z.int(),
    note: z.string(),
    noteable_type: z.string(),
    url: Text,
    action: Action,
    updated_at: z.string(),
  }),
  merge_request: About.extend({
    target_branch: z.string(),
    last_commit: LastCommit,
    ...Sides,
  }).nullish(),
  issue: About.nullish(),
  commit: z.object({ id: z.string(), message: z.string() }).nullish(),
});

function read(header: string | undefined, data: unknown): ForgeReading {
  if (header === undefined)
    return {
      kind: "unknown",
      reason: "There is no X-Gitlab-Event: this is not a webhook of GitLab.",
    };
  const kind: unknown = Object(data).object_kind;
  switch (kind) {
    case "push":
    case "tag_push":
      return readParts(Push, data, kind, (push) => ofPush(kind, push));
    case "merge_request":
      return readParts(MergeRequest, data, kind, ofMergeRequest);
    // Tasks, incidents and others come with issues, in their form.
    case "issue":
    case "work_item":
      return readParts(Issue, data, kind, (issue) => ofIssue(kind, issue));
    case "note":
      return readParts(Note, data, kind, ofNote);
    default: {
      const name =
        typeof kind === "string" && /^[a-z_]{1,60}$/.test(kind) ? `\`${kind}\`` : "in object_kind";
      const reason = `Sett does not know the event ${name}: let GitLab send push, tag, comment, issue and merge request events alone.`;
      return { kind: "unknown", reason };
    }
  }
}

function ofPush(name: "push" | "tag_push", push: z.infer<typeof Push>): ForgeEvent {
  const { project, user_username: author, ref, before, after, checkout_sha, commits } = push;
  const { branch, tag } = nameOfRef(ref);
  const commit = commitOf(after) && commitOf(checkout_sha ?? after);
  const last = commits.find(({ id }) => id === after) ?? commits.at(-1);
  const [title, ...body] = (last?.message ?? "").split("\n");
  return {
    name,
    happened: [project.path_with_namespace, ref, before, after],
    subject: `${project.path_with_namespace} ${ref}`,
    turn: { from: before, to: after },
    time: undefined,
    about: `${name} ${branch ?? tag ?? ref}`,
    author,
    branch,
    commit,
    nothing: nothingIn(ref, commit),
    fields: {
      ...fieldsOf(name, project, author),
      ...{
        title,
        body: body.join("\n").trim(),
        branch,
        tag,
        commit,
        url: last?.url ?? project.web_url ?? undefined,
      },
    },
  };
}

function ofMergeRequest({
  project,
  user,
  object_attributes: request,
}: z.infer<typeof MergeRequest>): ForgeEvent {
  const {
    iid,
    title,
    description,
    url,
    action,
    updated_at,
    target_branch: branch,
    last_commit,
  } = request;
  const name = nameOf("merge_request", action);
  const commit = commitOf(last_commit?.id);
  return {
    name,
    happened: [
      project.path_with_namespace,
      "merge_request",
      String(iid),
      action ?? "",
      last_commit?.id ?? "",
      updated_at,
    ],
    subject: `${project.path_with_namespace} !${iid}`,
    turn: turnOf(action),
    time: updated_at,
    about: `${name} !${iid}`,
    author: user.username,
    branch,
    fork: forkIn(request, project),
    commit,
    fields: {
      ...fieldsOf(name, project, user.username),
      ...{
        title,
        body: description ?? "",
        number: String(iid),
        branch,
        commit,
        url: url ?? undefined,
      },
    },
  };
}

function ofIssue(
  kind: "issue" | "work_item",
  { project, user, object_attributes: issue }: z.infer<typeof Issue>,
): ForgeEvent {
  const { iid, title, description, url, action, updated_at } = issue;
  const name = nameOf(kind, action);
  return {
    name,
    happened: [project.path_with_namespace, kind, String(iid), action ?? "", updated_at],
    subject: `${project.path_with_namespace} #${iid}`,
    turn: turnOf(action),
    time: updated_at,
    about: `${name} #${iid}`,
    author: user.username,
    fields: {
      ...fieldsOf(name, project, user.username),
      ...{ title, body: description ?? "", number: String(iid), url: url ?? undefined },
    },
  };
}

function ofNote({
  project,
  user,
  object_attributes: note,
  merge_request,
  issue,
  commit,
}: z.infer<typeof Note>): ForgeEvent {
  // Older releases do not say whether a comment is new.
  const name = nameOf("note", note.action ?? "create");
  const about = merge_request ?? issue ?? undefined;
  const branch = merge_request?.target_branch;
  const hash = commitOf(merge_request?.last_commit?.id ?? commit?.id);
  const number = about && String(about.iid);
  const place = number === undefined ? note.noteable_type : `${merge_request ? "!" : "#"}${number}`;
  return {
    name,
    happened: [
      project.path_with_namespace,
      "note",
      String(note.id),
      note.action ?? "create",
      note.updated_at,
    ],
    subject: `${project.path_with_namespace} note ${note.id}`,
    turn: turnOf(note.action),
    time: note.updated_at,
    about: `${name} ${place}`,
    author: user.username,
    branch,
    comment: note.note,
    fork: merge_request == null ? undefined : forkIn(merge_request, project),
    commit: hash,
    fields: {
      ...fieldsOf(name, project, user.username),
      ...{
        title: about?.title ?? commit?.message.split("\n")[0],
        comment: note.note,
        number,
        branch,
        commit: hash,
      },
      url: note.url ?? undefined,
    },
  };
}

type Merging = { [Side in keyof typeof Sides]?: z.infer<(typeof Sides)[Side]> };

function forkIn(
  { source_project_id, target_project_id, source }: Merging,
  project: z.infer<typeof Project>,
) {
  if (source_project_id != null && source_project_id === target_project_id) return undefined;
  return forkOf(source?.path_with_namespace, project.path_with_namespace);
}

function nameOf(kind: string, action: string | undefined): string {
  return action === undefined ? kind : `${kind}.${action}`;
}

function fieldsOf(event: string, project: z.infer<typeof Project>, author: string) {
  return { event, repository: project.path_with_namespace, author };
}
