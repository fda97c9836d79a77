// The streams of mail in memory.
import type { AgentName, ClaimId } from "../../model/ids.ts";
import { isLater } from "../../model/stream-id.ts";
import type { AppliedMail } from "../port/grants.ts";
import type { MailAnswer } from "../port/mail-port.ts";

/** `place`: its id in the stream, as Redis makes it. */
type Placed<Entry> = Entry & { place: string };

/** `place`: of the message that says so. */
export type TakenGrant = { attempt: number; queued_at: string; run: string; place: string };

export class MailState {
  /** What agents have sent and the orchestrator has not dealt with. */
  readonly out = new Map<AgentName, Placed<{ id: string; text: string }>[]>();
  readonly in = new Map<AgentName, Placed<MailAnswer>[]>();
  /** Of each claim whose grant an agent has taken, until its start is on record. */
  readonly taken = new Map<AgentName, Map<ClaimId, TakenGrant>>();
  /** While the instance is paused: the last message of each agent when the pause began. */
  readonly atPause = new Map<AgentName, string>();
  /** The last place of each stream, also of one that is empty again. */
  readonly places = new Map<string, readonly [number, number]>();

  /** Returns the place of the message. */
  send(agent: AgentName, { id, text }: { id: string; text: string }, nowMs: number): string {
    const place = this.#nextPlace(`${agent}:out`, nowMs);
    streamOf(this.out, agent).push({ id, text, place });
    return place;
  }

  remove(agent: AgentName, place: string): void {
    const sent = this.out.get(agent);
    if (sent !== undefined)
      this.out.set(
        agent,
        sent.filter((mail) => mail.place !== place),
      );
  }

  pause(agents: Iterable<AgentName>): void {
    for (const agent of agents) {
      const last = this.out.get(agent)?.at(-1);
      if (last !== undefined) this.atPause.set(agent, last.place);
    }
  }

  /** Whether the agent has sent the message before the pause that goes on. */
  cameBeforePause(agent: AgentName, mail: AppliedMail | undefined): boolean {
    const last = this.atPause.get(agent);
    return last !== undefined && mail !== undefined && !isLater(mail.place, last);
  }

  /** Of what no message has asked for there is nothing to end. */
  end(agent: AgentName, mail: AppliedMail | undefined, nowMs: number): void {
    if (mail === undefined) return;
    this.remove(agent, mail.place);
    if (!mail.isQuiet) this.answer(agent, { re: mail.id, text: '{"outcome":"yes"}' }, nowMs);
  }

  answer(agent: AgentName, { re, text }: MailAnswer, nowMs: number): void {
    streamOf(this.in, agent).push({ re, text, place: this.#nextPlace(`${agent}:in`, nowMs) });
  }

  /** As Redis makes the ids of a stream: the millisecond, and which one of it. */
  #nextPlace(stream: string, nowMs: number): string {
    const [ms, sequence] = this.places.get(stream) ?? [0, 0];
    const next = nowMs > ms ? ([nowMs, 0] as const) : ([ms, sequence + 1] as const);
    this.places.set(stream, next);
    return next.join("-");
  }
}

/** The entries after the place, in order. */
export function entriesAfter<Entry>(
  stream: readonly Placed<Entry>[] = [],
  place: string,
): readonly Placed<Entry>[] {
  let from = stream.length;
  while (from > 0 && isLater(stream[from - 1]?.place ?? "", place)) from -= 1;
  return stream.slice(from);
}

function streamOf<Entry>(streams: Map<AgentName, Entry[]>, agent: AgentName): Entry[] {
  const stream = streams.get(agent) ?? [];
  streams.set(agent, stream);
  return stream;
}
