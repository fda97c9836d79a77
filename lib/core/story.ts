// Why an artefact is there: what `sett why`, the API and the page tell of it.
import type { Meaning } from "../model/meaning.ts";

/** `entry`: the index in the sealed log. `size` and `root` are those of the newest checkpoint. */
export type Seal = { entry: number; size: number; root: string; origin: string };

/** `by`: an actor, as in the log. */
export type Named = { id: string; type: string; version: number; by: string; summary: string };

/** `for`: the agent whose verdict it is. `meaning`: of the statement that the person has signed. */
export type Opinion = {
  review: string;
  by: string;
  for: string;
  at: string;
  approves: boolean;
  words: string;
  meaning: Meaning | null;
};

export type Story = {
  artefact: Named & { at: string; commit: string | null; claim: string | null };
  goal: { id: string; text: string; by: string; at: string };
  /** `about`: the artefact of its claim. `cause`: as in claim_opened; empty where it was posted. */
  because: { about: Named | null; cause: string; rejections: Opinion[]; answers: Named[] };
  /** The bids, such as `exclusive`, by agent, in their order. */
  bids: { agent: string; bid: string }[];
  grant: StoryGrant | null;
  inputs: Named[];
  /** How many more inputs there are, which the log does not name one by one. */
  inputs_left_out: number;
  calls: { count: number; usd: number; unpriced: number; models: string[]; requests: string[] };
  reviews: Opinion[];
  sealed: Seal | null;
};

/** `run_by`: the actor. `image`: by the registrations on which the claim was decided. */
export type StoryGrant = {
  agent: string;
  phase: string;
  attempt: number;
  started_at: string | null;
  ended_at: string;
  run_by: string;
  image: string | null;
  base_commit: string | null;
};
