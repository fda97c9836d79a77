// The blackboard's twin in memory: the same words and the same answers as Redis, for tests that
// need no server.
import type { AgentName, ArtefactId, ClaimId, InstanceName } from "../../model/ids.ts";
import type { Blackboard } from "../port/blackboard.ts";
import { type AnnouncementEntry, announcementOf } from "../records/announced-claim.ts";
import type { ArtefactFields } from "../records/artefact-fields.ts";
import { dueOfMember } from "../records/due-member.ts";
import { keysOf } from "../records/keys.ts";
import { eventOf, type LogEntry } from "../records/logged-event.ts";
import { agentsOf } from "./agents.ts";
import { artefactsOf } from "./artefacts.ts";
import { claimsOf } from "./claims.ts";
import { type Contact, contactOf, ensureOnOf } from "./contact.ts";
import { grantsOf } from "./grants.ts";
import { fenceOf, leaderLeaseOf } from "./leader.ts";
import { logOf } from "./log.ts";
import { mailOf } from "./mail.ts";
import { modelsOf } from "./models.ts";
import { noticesOf } from "./notices.ts";
import { peopleOf } from "./people.ts";
import { pruneOf } from "./prune.ts";
import { repliesOf } from "./replies.ts";
import { State } from "./state.ts";
import { triggersOf } from "./triggers.ts";

export type MemoryBlackboard = {
  /**
   * Another handle on the same state, as another process would have. Disposing it ends its
   * followers, and nothing else.
   */
  open(): Blackboard;
  /** Breaks the contact of every handle; each has it again at once, as after a loss. */
  reconnect(): void;
  /** What a person can do with plain Redis commands. */
  readonly hand: {
    /** `HSET artifact:<id> …` */
    writeArtefact(id: ArtefactId, fields: Partial<ArtefactFields>): void;
    readArtefact(id: ArtefactId): Partial<ArtefactFields>;
    /** `DEL artifact:<id>` */
    removeArtefact(id: ArtefactId): void;
    /** `PUBLISH artefact_events <text>` */
    publish(text: string): void;
    /** `XADD events * <field> <value> …` */
    writeEvent(entry: LogEntry): void;
    /** `XDEL events <id>` */
    removeEvent(id: string): void;
    /** `XADD claims * <field> <value> …` */
    writeAnnouncement(entry: AnnouncementEntry): void;
    /** `ZADD due <at> <member>` */
    writeDue(member: string, at: number): void;
    readBids(claim: ClaimId): Record<string, string>;
    /** `HSET claim:<id> electorate {`, and what was there before. */
    breakClaim(claim: ClaimId): void;
    mendClaim(claim: ClaimId): void;
    /** `HSET agents <agent> <text>` */
    writeRegistration(agent: AgentName, text: string): void;
  };
};

/** `now` (Unix milliseconds) takes the place of Redis TIME; a test may change it. */
export function createMemoryBlackboard(options: {
  instance: InstanceName;
  now?: () => number;
}): MemoryBlackboard {
  const now = options.now ?? Date.now;
  const state = new State(now);
  const reconnects = new Set<() => void>();
  return {
    open: () => {
      const { contact, reconnect } = contactOf();
      reconnects.add(reconnect);
      const nonce = crypto.randomUUID();
      return openHandle(state, {
        instance: options.instance,
        nonce,
        contact,
        onClose: () => reconnects.delete(reconnect),
      });
    },
    reconnect: () => {
      for (const reconnect of [...reconnects]) reconnect();
    },
    hand: handOf(state),
  };
}

/** What a person can do with plain Redis commands to this state. */
export function handOf(state: State): MemoryBlackboard["hand"] {
  return {
    writeArtefact: (id, fields) => {
      state.artefacts.set(id, { ...state.artefacts.get(id), ...fields });
    },
    readArtefact: (id) => ({ ...state.artefacts.get(id) }),
    removeArtefact: (id) => {
      state.artefacts.delete(id);
    },
    publish: (text) => {
      for (const listener of state.artefactListeners) listener(text);
    },
    breakClaim: (claim) => {
      state.brokenClaims.add(claim);
    },
    mendClaim: (claim) => {
      state.brokenClaims.delete(claim);
    },
    writeRegistration: (agent, text) => {
      state.agents.set(agent, text);
    },
    writeDue: (member, at) => {
      state.due.set(member, { item: dueOfMember(member), at });
    },
    writeEvent: (entry) => state.append((id) => eventOf(id, entry)),
    removeEvent: (id) => {
      const place = state.events.findIndex((event) => event.id === id);
      if (place >= 0) state.events.splice(place, 1);
    },
    writeAnnouncement: (entry) => {
      const announcement = announcementOf(entry);
      if (announcement !== undefined) state.announcements.push(announcement);
      state.changed.notify();
    },
    readBids: (claim) =>
      Object.fromEntries(
        (state.claims.get(claim)?.claim.bids ?? []).map(({ agent, word }) => [agent, word]),
      ),
  };
}

type HandleOptions = {
  instance: InstanceName;
  nonce: string;
  contact: Contact;
  onClose?: () => void;
};

/** `nonce` distinguishes the process that has this handle from all others. */
export function openHandle(
  state: State,
  { instance, nonce, contact, onClose }: HandleOptions,
): Blackboard {
  const closing = new AbortController();
  const isFenced = fenceOf(state, nonce);
  const ensureOn = ensureOnOf(contact);
  const keys = keysOf(instance);
  const { connectionNumber } = contact;
  const claims = claimsOf(state, {
    keys,
    isFenced,
    connectionNumber,
    ensureOn,
    closed: closing.signal,
  });
  return {
    instance,
    time: async () => state.now(),
    readMemory: async () => ({ usedBytes: 0, limitBytes: undefined }),
    hasWritten: async () => true,
    ...contact,
    ...artefactsOf(state, { keys, isFenced, ensureOn, closed: closing.signal }),
    ...claims,
    ...grantsOf(state, { keys, ensureOn, closed: closing.signal }, claims.commitClaim),
    ...peopleOf(state, isFenced, ensureOn),
    ...agentsOf(state),
    ...mailOf(state, contact, { isFenced, ensureOn, closed: closing.signal }),
    ...modelsOf(state, ensureOn),
    ...pruneOf(state, isFenced),
    ...repliesOf(state),
    ...noticesOf(state, isFenced),
    ...triggersOf(state),
    ...leaderLeaseOf(state, nonce, isFenced, ensureOn),
    ...logOf(state, closing.signal),
    [Symbol.asyncDispose]: async () => {
      onClose?.();
      closing.abort();
    },
  };
}
