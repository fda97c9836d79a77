// Bodies of webhooks, in the form that the forges document, with more members than Sett reads.
import type { Forge } from "../../../lib/model/trigger.ts";

/** The header in which each forge names the event. */
export const kindHeader: Readonly<Record<Forge, string>> = {
  github: "x-github-event",
  gitlab: "x-gitlab-event",
  gitea: "x-gitea-event",
};

export const commit = "da1560886d4f094c3e6c9ef40349f7d38b5d27d7";
const before = "95790bf891e76fee5e1747ab589903a6a1f80f22";
/** What a reviewer saw, before the newest commit of the request. */
export const reviewed = "4b0c5ab8cd6c4e9c7a4e7b5a1c1b6a4c3d1f7e20";
const gone = "0000000000000000000000000000000000000000";

type Over = Readonly<Record<string, unknown>>;

const repository = {
  id: 1296269,
  name: "door",
  full_name: "octo-org/door",
  private: false,
  html_url: "https://github.com/octo-org/door",
};
const sender = { login: "ada", id: 21031067, type: "User" };

export const github = {
  ping: (over: Over = {}) => ({
    zen: "Keep it logically awesome.",
    hook_id: 1,
    repository,
    sender,
    ...over,
  }),
  push: (over: Over = {}) => ({
    ref: "refs/heads/main",
    before,
    after: commit,
    created: false,
    deleted: false,
    forced: false,
    compare: "https://github.com/octo-org/door/compare/95790bf891e7...da1560886d4f",
    head_commit: {
      id: commit,
      message: "Paint the door\n\nTwice.",
      timestamp: "2026-11-24T11:00:00+01:00",
    },
    pusher: { name: "ada" },
    repository,
    sender,
    ...over,
  }),
  deletion: () => github.push({ after: gone, deleted: true, head_commit: null }),
  pullRequest: (over: Over = {}, pull: Over = {}) => ({
    action: "opened",
    number: 12,
    pull_request: {
      id: 279147437,
      number: 12,
      state: "open",
      title: "Paint the door",
      body: "It is grey.",
      html_url: "https://github.com/octo-org/door/pull/12",
      updated_at: "2026-11-24T10:00:00Z",
      head: { ref: "paint", sha: commit, repo: { full_name: "octo-org/door" } },
      base: { ref: "main", sha: before },
      user: { login: "grace" },
      ...pull,
    },
    repository,
    sender,
    ...over,
  }),
  review: (state: string, body: string | null, over: Over = {}) =>
    github.pullRequest({
      action: "submitted",
      review: {
        id: 237895671,
        user: { login: "ada" },
        body,
        commit_id: reviewed,
        submitted_at: "2026-11-24T10:20:00Z",
        state,
        html_url: "https://github.com/octo-org/door/pull/12#pullrequestreview-237895671",
      },
      ...over,
    }),
  reviewComment: (body: string, over: Over = {}) =>
    github.pullRequest({
      action: "created",
      comment: {
        id: 284312630,
        pull_request_review_id: 237895671,
        path: "door.txt",
        body,
        commit_id: reviewed,
        updated_at: "2026-11-24T10:19:00Z",
        html_url: "https://github.com/octo-org/door/pull/12#discussion_r284312630",
      },
      ...over,
    }),
  issue: (over: Over = {}) => ({
    action: "opened",
    issue: {
      number: 7,
      title: "The door is grey",
      body: null,
      html_url: "https://github.com/octo-org/door/issues/7",
      updated_at: "2026-11-24T09:00:00Z",
    },
    repository,
    sender,
    ...over,
  }),
  comment: (body: string, over: Over = {}) => ({
    action: "created",
    issue: {
      number: 7,
      title: "The door is grey",
      body: "Why?",
      html_url: "https://github.com/octo-org/door/issues/7",
      updated_at: "2026-11-24T09:30:00Z",
    },
    comment: {
      id: 99262140,
      body,
      html_url: "https://github.com/octo-org/door/issues/7#issuecomment-99262140",
      updated_at: "2026-11-24T09:30:00Z",
      author_association: "OWNER",
    },
    repository,
    sender,
    ...over,
  }),
};

/** As Gitea 1.26 sends them, which has GitHub's form with words of its own. */
export const gitea = {
  push: (over: Over = {}) => {
    const { compare, forced, created, deleted, ...common } = github.push();
    return {
      ...common,
      compare_url: compare,
      total_commits: 1,
      repository: { ...repository, updated_at: "2026-11-24T10:00:00Z" },
      ...over,
    };
  },
  /** The button "Test Delivery". */
  trial: () => gitea.push({ before: commit, after: commit }),
  synchronized: () => github.pullRequest({ action: "synchronized", commit_id: "", review: null }),
  labelled: (...names: string[]) =>
    github.pullRequest({ action: "label_updated" }, { labels: names.map((name) => ({ name })) }),
  review: (type: "approved" | "rejected" | "comment", content: string, over: Over = {}) =>
    github.pullRequest({
      action: "reviewed",
      requested_reviewer: sender,
      commit_id: "",
      review: { type: `pull_request_review_${type}`, content },
      ...over,
    }),
};

const project = {
  id: 15,
  name: "Door",
  web_url: "https://gitlab.example.org/mike/door",
  path_with_namespace: "mike/door",
  default_branch: "main",
};
const user = { id: 1, name: "Ada Lovelace", username: "ada" };

export const gitlab = {
  push: (over: Over = {}) => ({
    object_kind: "push",
    event_name: "push",
    before,
    after: commit,
    ref: "refs/heads/main",
    checkout_sha: commit,
    user_username: "ada",
    project,
    commits: [
      {
        id: before,
        message: "Clean the door",
        url: "https://gitlab.example.org/mike/door/-/commit/95790bf8",
      },
      {
        id: commit,
        message: "Paint the door\n\nTwice.",
        url: "https://gitlab.example.org/mike/door/-/commit/da156088",
      },
    ],
    total_commits_count: 2,
    ...over,
  }),
  deletion: () => gitlab.push({ after: gone, checkout_sha: null, commits: [] }),
  mergeRequest: (over: Over = {}) => ({
    object_kind: "merge_request",
    event_type: "merge_request",
    user,
    project,
    object_attributes: {
      id: 99,
      iid: 3,
      title: "Paint the door",
      description: "It is grey.",
      url: "https://gitlab.example.org/mike/door/-/merge_requests/3",
      action: "open",
      state: "opened",
      updated_at: "2026-11-24 10:00:00 UTC",
      source_branch: "paint",
      target_branch: "main",
      ...{
        source_project_id: 15,
        target_project_id: 15,
        source: { path_with_namespace: "mike/door" },
      },
      last_commit: { id: commit, message: "Paint the door" },
      ...over,
    },
  }),
  issue: (over: Over = {}) => ({
    object_kind: "issue",
    user,
    project,
    object_attributes: {
      id: 301,
      iid: 23,
      title: "The door is grey",
      description: null,
      url: "https://gitlab.example.org/mike/door/-/issues/23",
      action: "open",
      updated_at: "2026-11-24 09:00:00 UTC",
      ...over,
    },
  }),
  note: (note: string, over: Over = {}) => ({
    object_kind: "note",
    user,
    project,
    object_attributes: {
      id: 1244,
      note,
      noteable_type: "MergeRequest",
      url: "https://gitlab.example.org/mike/door/-/merge_requests/3#note_1244",
      updated_at: "2026-11-24 09:30:00 UTC",
    },
    merge_request: {
      ...{
        id: 7,
        iid: 3,
        title: "Paint the door",
        target_branch: "main",
        last_commit: { id: commit },
      },
      ...{
        source_project_id: 15,
        target_project_id: 15,
        source: { path_with_namespace: "mike/door" },
      },
    },
    ...over,
  }),
};
