// What the events of the forges are called, of those that a trigger can take.
import type { Forge } from "../model/trigger.ts";

type Kinds = Readonly<Record<string, readonly string[]>>;

/** Event → its actions, none where it has no actions. */
export const forgeEvents: Record<Forge, Kinds> = {
  github: {
    push: [],
    tag_push: [],
    pull_request: [
      ...[
        "opened",
        "synchronize",
        "reopened",
        "closed",
        "edited",
        "ready_for_review",
        "converted_to_draft",
      ],
      ...[
        "labeled",
        "unlabeled",
        "assigned",
        "unassigned",
        "review_requested",
        "review_request_removed",
      ],
      ...["locked", "unlocked", "milestoned", "demilestoned", "enqueued", "dequeued"],
      ...["auto_merge_enabled", "auto_merge_disabled"],
    ],
    issues: [
      ...[
        "opened",
        "closed",
        "reopened",
        "edited",
        "deleted",
        "labeled",
        "unlabeled",
        "assigned",
        "unassigned",
      ],
      ...[
        "locked",
        "unlocked",
        "milestoned",
        "demilestoned",
        "pinned",
        "unpinned",
        "transferred",
        "typed",
        "untyped",
      ],
    ],
    issue_comment: ["created", "edited", "deleted", "pinned", "unpinned"],
  },
  gitlab: {
    push: [],
    tag_push: [],
    merge_request: [
      "open",
      "update",
      "reopen",
      "close",
      "merge",
      "approved",
      "unapproved",
      "approval",
      "unapproval",
    ],
    issue: ["open", "update", "reopen", "close"],
    note: ["create", "update"],
  },
};

/**
 * What anyone can cause who may only read a public project: event → actions. Labels, for one, need
 * more.
 */
export const strangersEvents: Record<Forge, Kinds> = {
  github: {
    pull_request: [
      "opened",
      "synchronize",
      "reopened",
      "closed",
      "edited",
      "ready_for_review",
      "converted_to_draft",
    ],
    issues: ["opened", "closed", "reopened", "edited"],
    issue_comment: ["created", "edited", "deleted"],
  },
  gitlab: {
    merge_request: ["open", "update", "reopen", "close"],
    issue: ["open", "update", "reopen", "close"],
    note: ["create", "update"],
  },
};

/** Those of them that are comments, which a word at their beginning can narrow. */
export const commentEvents: Record<Forge, string> = { github: "issue_comment", gitlab: "note" };
