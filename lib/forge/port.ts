// What Sett asks of a forge, whichever it is, in Sett's own words.

export type Branch = { head: string; isProtected: boolean };

/**
 * `isOwn`: its branch is in the repository itself, and not in a fork. `mergedAs`: the commit on its
 * base that it was merged as, where the forge says so.
 */
export type Pull = {
  number: number;
  url: string;
  state: "open" | "closed" | "merged";
  branch: string;
  head: string;
  base: string;
  isOwn: boolean;
  mergedAs: string | undefined;
  title: string;
  body: string;
};

/** `text`: the end of what it says, as the forge has it. */
export type Check = {
  name: string;
  state: "pending" | "success" | "failure";
  text: string;
};

/** A review at the forge. `commit`: the head that its author has seen. */
export type Opinion = {
  id: number;
  account: string;
  says: "approves" | "rejects" | "comments" | "nothing";
  commit: string;
  text: string;
};

export type Remark = { path: string; line: number | undefined; text: string };

/**
 * Who has closed a pull request. `id`: of this closing alone. `words`: what the same account wrote
 * with it, or nothing.
 */
export type Closing = { id: string; account: string; words: string };

export type PullDraft = {
  title: string;
  body: string;
  branch: string;
  base: string;
  isDraft: boolean;
};

/** `head`: the commit that is to be merged, and no other. */
export type MergeOrder = {
  head: string;
  way: "merge" | "squash" | "rebase";
  title: string;
  message: string;
};

/** `isWhole` is false where the forge has more than is read. */
export type Listed<Item> = { list: Item[]; isWhole: boolean };

/** Each throws `ForgeError`. */
export interface IssueComments {
  /** Lists the comments on the issue that were written or changed since then. */
  list(issue: number, since: Date): Promise<Listed<{ id: number; text: string }>>;
  /** Returns the id of the new comment. */
  write(issue: number, text: string): Promise<number>;
  /** `gone`: it is not there any more. */
  change(issue: number, id: number, text: string): Promise<"changed" | "gone">;
}

export type StatusState = "pending" | "success" | "failure";
export type Status = { state: StatusState; text: string };

/** Each throws `ForgeError`. */
export interface Forge {
  branch(name: string): Promise<Branch | undefined>;
  /** The checks that the forge requires for a branch. */
  required(base: string): Promise<string[]>;
  /** The number of the issue at this address; undefined for one of another repository. */
  issueAt(address: string): number | undefined;
  comments: IssueComments;
  /** Whether a required check is this one: some forges have patterns. */
  isMeant(required: string, name: string): boolean;
  /** Pull requests whose branch has this name, forks included, the newest first. */
  pulls(branch: string): Promise<Listed<Pull>>;
  pull(number: number): Promise<Pull>;
  open(draft: PullDraft): Promise<Pull>;
  reopen(pull: Pull): Promise<void>;
  /** The last closing of a pull request; undefined where the forge does not tell. */
  closing(number: number): Promise<Closing | undefined>;
  /** The forge refuses it while its own rules are not met, or something else was pushed. */
  merge(number: number, order: MergeOrder): Promise<void>;
  /** `pull`: as it is now. */
  describe(pull: Pull, text: Pick<Pull, "title" | "body">): Promise<void>;
  checks(commit: string): Promise<Listed<Check>>;
  opinions(number: number): Promise<Listed<Opinion>>;
  remarks(number: number, opinion: Opinion): Promise<Listed<Remark>>;
  status(commit: string): Promise<Status | undefined>;
  setStatus(commit: string, status: Status): Promise<void>;
}

/** Sett's own status has this name, and is none of the checks. */
export const ownCheck = "sett";

type FailureKind = "away" | "refused";

/**
 * `away`: another try may succeed, at the earliest after `waitMs`. `refused`: another try of the
 * same would be refused as well.
 */
export class ForgeError extends Error {
  readonly kind: FailureKind;
  readonly waitMs: number;

  constructor(kind: FailureKind, message: string, waitMs = 0) {
    super(message);
    this.kind = kind;
    this.waitMs = waitMs;
  }
}
