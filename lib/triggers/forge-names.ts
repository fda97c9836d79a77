// What the events of the forges are called, of those that a trigger can take.
import type { Forge } from "../model/trigger.ts";

type Kinds = Readonly<Record<string, readonly string[]>>;

/** Event → its actions, none where it has no actions. */
export const forgeEvents: Record<Forge, Kinds> = {
  github: {
    push: [],
    tag_push: [],
    pull_request: [
      ...["opened", "synchronize", "reopened", "closed", "edited", "ready_for_review", "converted_to_draft"],
      ...["labeled", "unlabeled", "assigned", "unassigned", "review_requested", "review_request_removed"],
      ...["locked", "unlocked", "milestoned", "demilestoned", "enqueued", "dequeued"],
      ...["auto_merge_enabled", "auto_merge_disabled"],
    ],
    issues: [
      ...["opened", "closed", "reopened", "edited", "deleted", "labeled", "unlabeled", "assigned", "unassigned"],
      ...["locked", "unlocked", "milestoned", "demilestoned", "pinned", "unpinned", "transferred", "typed", "untyped"],
    ],
    issue_comment: ["created", "edited", "deleted", "pinned", "unpinned"],
  },
  gitlab: {
    push: [],
    tag_push: [],
    merge_request: ["open", "update", "reopen", "close", "merge", "approved", "unapproved", "approval", "unapproval"],
    issue: ["open", "update", "reopen", "close"],
    note: ["create", "update"],
  },
};

/** Events that anyone who may write a comment can cause. */
export const commentEvents: Record<Forge, string> = { github: "issue_comment", gitlab: "note" };
