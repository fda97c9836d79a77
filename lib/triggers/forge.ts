// A forge: everything in which one differs from another. lib/triggers/forges.ts has the list.
import type { ForgeReading } from "./forge-event.ts";
import type { Header } from "./hook.ts";
import type { SignatureCheck } from "./signature.ts";

export type ForgeTraits = {
  /** Its name for people. */
  label: string;
  /** Event → its actions, none where it has no actions: those that a trigger can take. */
  events: EventNames;
  /**
   * The events that anyone causes who may only read a public project. Labels, for one, need more.
   */
  strangersEvents: EventNames;
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

export type EventNames = Readonly<Record<string, readonly string[]>>;

/** A header, and what it has. */
type Described = { name: string; description: string };
