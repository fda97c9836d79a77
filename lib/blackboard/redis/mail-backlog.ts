// The mail of agents who have sent more than one read may bring: what has come while no
// orchestrator read it, and what comes faster than it is dealt with. It is read in small pieces,
// because Redis ends a connection with too large an answer, and one agent could have all of the
// mail unread.
import type { AgentName } from "../../model/ids.ts";
import type { Mail } from "../port/mail-port.ts";
import type { Keys } from "../records/keys.ts";
import type { Call } from "./call.ts";

const mebibyte = 1024 ** 2;
/** One agent's piece has as much, or one message; what is read at once, as much and one piece. */
const piece = { max_messages: 50, max_bytes: mebibyte };
const maxReadBytes = 8 * mebibyte;
/**
 * Redis takes no longer value (apps/cli/services/redis-settings.ts). A message is one; a sender of
 * several in one means no good.
 */
const maxMessageBytes = 65 * mebibyte;

export class MailBacklog {
  readonly #call: Call;
  readonly #keys: Keys;
  /** The one that was read last comes last. */
  readonly #agents = new Set<AgentName>();

  constructor(call: Call, keys: Keys) {
    this.#call = call;
    this.#keys = keys;
  }

  get size(): number {
    return this.#agents.size;
  }

  has(agent: AgentName): boolean {
    return this.#agents.has(agent);
  }

  add(agents: readonly AgentName[]): void {
    for (const agent of agents) this.#agents.add(agent);
  }

  /** The next mail of those in the backlog; one that has no more leaves it. Moves the places. */
  async read(
    places: Map<AgentName, string>,
    isBusy: (agent: AgentName) => boolean,
  ): Promise<Mail[]> {
    const mails: Mail[] = [];
    let length = 0;
    for (const agent of [...this.#agents]) {
      if (length >= maxReadBytes) break;
      if (isBusy(agent)) continue;
      const found = await this.#readPiece(agent, places.get(agent) ?? "0-0");
      this.#agents.delete(agent);
      const last = found.at(-1);
      if (last === undefined) continue;
      this.#agents.add(agent);
      places.set(agent, last.place);
      mails.push(...found);
      length += found.reduce((sum, { text }) => sum + text.length, 0);
    }
    return mails;
  }

  async #readPiece(agent: AgentName, after: string): Promise<Mail[]> {
    const limits = { ...piece, max_message_bytes: maxMessageBytes };
    const words = await this.#call(
      "readMail",
      { mail: this.#keys.mailOut(agent) },
      { after, ...limits },
    );
    return Array.from({ length: words.length / 3 }, (_, index) => {
      const [place = "", id = "", text = ""] = words.slice(3 * index, 3 * index + 3);
      return mailOfEntry(agent, place, { id, text });
    });
  }
}

/** An id is a UUID. A longer one would come back in the answer, and answers are kept. */
const maxIdLength = 100;

export function mailOfEntry(
  agent: AgentName,
  place: string,
  { id = "", text = "" }: Record<string, string>,
): Mail {
  return { agent, place, id: id.slice(0, maxIdLength), text };
}
