// The agents' mail: how an agent, which may not write the record, says what it has to say. A part
// of the port.
import type { AgentName } from "../../model/ids.ts";
import type { ReadOn } from "./artefacts.ts";

/**
 * A message as it was sent. `id`: the sender's own, by which it knows the answer. `place`: where it
 * is in the agent's stream.
 */
export type Mail = { agent: AgentName; place: string; id: string; text: string };

/** `re`: the `id` of the message. */
export type MailAnswer = { re: string; text: string };

/** How many messages an agent had that were dropped, and how much memory they took. */
export type DroppedMail = { agent: AgentName; messages: number; bytes: number };

export interface MailBoard {
  /**
   * Adds the message to the agent's own stream. A repeat may add it twice; it is meant to be safe
   * to read twice.
   */
  sendMail(agent: AgentName, message: { id: string; text: string }): Promise<void>;
  /**
   * The answers to the agent, from now on. `onFresh`: called once a connection is there that hears
   * the next answer, at first and after every loss, and where answers were trimmed before they were
   * read; earlier answers may have been missed then. Ends with the signal.
   */
  followMailAnswers(
    agent: AgentName,
    signal: AbortSignal,
    onFresh: () => void,
  ): AsyncIterable<MailAnswer[]>;
  /**
   * The messages of agents, in order for each of them: of all that were ever registered or expected
   * when it begins (of those that are new, some seconds later), except those that are `isBusy` when
   * the next batch is read. First what is unanswered, then what is new; after a loss of contact
   * what is unanswered comes again. Ends with the signal.
   */
  followMail(signal: AbortSignal, isBusy: (agent: AgentName) => boolean): AsyncIterable<Mail[]>;
  /**
   * The role under which the agent was registered or expected last, also of one that was removed.
   */
  roleOfSender(agent: AgentName): Promise<string | undefined>;
  /** The message is dealt with: it is removed, and answered where there is something to say. */
  answerMail(
    mail: Pick<Mail, "agent" | "place" | "id">,
    text: string | undefined,
    readOn?: ReadOn,
  ): Promise<void>;
  /**
   * An agent chooses the places in its own mailbox, and after the largest there is no other. Of
   * these agents (all that were ever registered or expected, if none are given) each mailbox that
   * is empty, and whose last place no clock reaches, begins anew. Those whose mailbox does: it is
   * to be read from its beginning.
   */
  reopenMail(
    epoch: number,
    agents?: readonly AgentName[],
  ): Promise<{ outcome: "done"; reopened: AgentName[] } | { outcome: "fenced" }>;
  /**
   * Drops all that was sent and is not dealt with of each agent whose mail takes more than
   * `maxBytes`, with its notes of what it has taken and its heartbeat, which count as well, and
   * ends the agent's connections: its programs connect again then, and send again what they still
   * have to say.
   */
  dropMail(maxBytes: number): Promise<DroppedMail[]>;
}
