// The orchestrator's leader lease in Redis, and what is due.
import { isLater } from "../../model/stream-id.ts";
import type { LeaderLease } from "../port/leader.ts";
import { owedEventOf } from "../port/owed-event.ts";
import { dueKinds, dueOfMember, memberOfDue } from "../records/due-member.ts";
import { leaderOf } from "../records/event-actor.ts";
import { eventOf } from "../records/logged-event.ts";
import { isRefusal } from "./client.ts";
import { connectionsOf } from "./connections.ts";
import type { Deps } from "./deps.ts";
import { artefactRecord, eventRecord } from "./records.ts";

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the members of one port, each of them short.
export function leaderLeaseOf({
  connection,
  keys,
  call,
  callOnce,
  callOn,
  user,
}: Deps): LeaderLease {
  const stored = { orchestrator: keys.orchestrator, due: keys.due };
  const owedKeys = { orchestrator: keys.orchestrator, owed_events: keys.owedEvents };
  return {
    ...connectionsOf({ connection, user }),

    async acquireLeaderLease({ holder, leaseMs, restarted, version }) {
      const reply = await call("acquireLeaderLease", stored, {
        holder,
        lease_ms: leaseMs,
        restarted,
        version,
      });
      return reply.outcome === "held"
        ? { outcome: "held", epoch: Number(reply.epoch), cursor: reply.cursor }
        : { outcome: "taken", holder: reply.holder, expiresInMs: Number(reply.expires_in_ms) };
    },

    async releaseLeaderLease(epoch) {
      await call("releaseLeaderLease", { orchestrator: keys.orchestrator }, { epoch });
    },

    async readLeader() {
      const [[holder, epoch, expiresAt, cursor], time] = await connection.run((client) =>
        Promise.all([
          client.hmGet(keys.orchestrator, ["holder", "epoch", "expires_at", "cursor"]),
          client.time(),
        ]),
      );
      if (!holder) return undefined;
      const now = Number(time[0]) * 1_000 + Number(time[1]) / 1_000;
      const expiresInMs = Math.ceil(Number(expiresAt) - now);
      return { holder, epoch: Number(epoch), expiresInMs, cursor: cursor ?? "0" };
    },

    moveCursor: (epoch, cursor) =>
      callOnce(
        "moveCursor",
        { orchestrator: keys.orchestrator },
        { epoch, field: "cursor", cursor },
      ),

    async listDue(limit, kinds = dueKinds) {
      return (await call("listDue", { due: keys.due }, { limit, kinds })).map(dueOfMember);
    },

    clearDue: (items, epoch) =>
      callOnce("clearDue", stored, { epoch, members: items.map(memberOfDue) }),

    async logAsLeader(draft, epoch, readOn) {
      const event = eventRecord(draft, leaderOf(epoch));
      const reply = await callOn(readOn)(
        "logAsLeader",
        { orchestrator: keys.orchestrator },
        { epoch, event },
      );
      return { outcome: reply.outcome };
    },

    oweEvent: (owed, draft, epoch) =>
      call("oweEvent", owedKeys, {
        epoch,
        id: owed.event.id,
        owed: JSON.stringify(owed),
        event: eventRecord(draft, leaderOf(epoch)),
      }),

    settleOwed: (ids, epoch, readOn) => callOn(readOn)("settleOwed", owedKeys, { epoch, ids }),

    async listOwed(limit, after = "0") {
      const ids = await connection.run((client) => client.hKeys(keys.owedEvents));
      const next = ids
        .filter((id) => isLater(id, after))
        .sort((one, other) => (isLater(one, other) ? 1 : -1))
        .slice(0, limit);
      if (next.length === 0) return { count: ids.length, owed: [] };
      const [texts, entries] = await connection.run((client) =>
        Promise.all([
          client.hmGet(keys.owedEvents, next),
          Promise.all(next.map((id) => client.xRange(keys.events, id, id).catch(unlessNoPlace))),
        ]),
      );
      const owed = next.map((id, place) => {
        const [entry] = entries[place] ?? [];
        return owedEventOf(id, texts[place] ?? "", entry && eventOf(id, entry.message));
      });
      return { count: ids.length, owed };
    },

    postAsLeader: (artefact, epoch) =>
      call(
        "postAsLeader",
        { orchestrator: keys.orchestrator },
        { epoch, artefact: artefactRecord(artefact) },
      ),

    deferDue: (items, afterMs, epoch) =>
      call("deferDue", stored, { epoch, after_ms: afterMs, members: items.map(memberOfDue) }),
  };
}

/** What a person has written among them may be no id of an entry. */
function unlessNoPlace(error: unknown): [] {
  if (isRefusal(error)) return [];
  throw error;
}
