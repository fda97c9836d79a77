// A forge: everything in which one differs from another. lib/triggers/forges.ts has the list.
import type { ForgeReading } from "./forge-event.ts";
import type { Header } from "./hook.ts";
import type { SignatureCheck } from "./signature.ts";

export type ForgeTraits = {
  /** Its name for people. */
  label: string;
  /** Where everybody finds it; undefined for one that is always on a server of its own. */
  publicUrl?: string;
  /** The events that a trigger can take. */
  events: Readonly<Record<string, Actions>>;
  /** The event of a comment, which a word at the comment's beginning can narrow. */
  commentEvent: string;
  /** The event of a request to merge, whose code may come from a fork. */
  mergeEvent: string;
  checkSignature(header: Header, secret: string, now: Date): SignatureCheck;
  /** Why a secret in this forge's own form cannot be right, with the remedy. */
  secretProblem?(secret: string): { problem: string; remedy: string } | undefined;
  /**
   * Headers with the id of a delivery, in lower case; the first that a delivery has counts. `kept`:
   * a person who sends the delivery again sends the same id.
   */
  idHeaders: readonly { name: string; kept: boolean }[];
  /** Reads a delivery that is signed. `data`: its parsed body. */
  read(header: Header, data: unknown): ForgeReading;
  /** Its deliveries in the API's document. `schemes`: by an id of their own. */
  document: {
    headers: readonly Described[];
    schemes: Readonly<Record<string, Described>>;
  };
};

/**
 * The actions of an event. `byAnyone`: those that anyone causes who may only read a public project.
 * Labels, for one, need more.
 */
export type Actions = { all: readonly string[]; byAnyone: readonly string[] };

/** The actions of an event that has none. */
export const noActions: Actions = { all: [], byAnyone: [] };

/** Both with a blank between names. */
export function actions(anyone: string, members = ""): Actions {
  const byAnyone = anyone.split(" ");
  return { byAnyone, all: [...byAnyone, ...(members === "" ? [] : members.split(" "))] };
}

/** A header, and what it has. */
type Described = { name: string; description: string };
