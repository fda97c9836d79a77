// Claims, bids and commits in Redis.
import type { ClaimSnapshot } from "../../model/claim.ts";
import type { ArtefactId, ClaimId } from "../../model/ids.ts";
import type { Announcement, ClaimBoard } from "../port/claims.ts";
import { LaterConnection } from "../port/later-connection.ts";
import { announcementOf } from "../records/announced-claim.ts";
import { firstAnnouncementAfterMs } from "../records/first-announcement.ts";
import { unlessRefused } from "./call.ts";
import { claimFieldNames, claimFields, malformedClaim, snapshotOf } from "./claim-fields.ts";
import { claimListsOf } from "./claim-lists.ts";
import { commitArgs } from "./commit-args.ts";
import type { Deps } from "./deps.ts";
import { followReads } from "./follow.ts";
import { readPiecesOf } from "./pieces.ts";
import { newClaimRecord } from "./records.ts";
import { RungStream } from "./rung-stream.ts";
import { endOf, type StreamEntry } from "./streams.ts";
import { orMalformed, unlessWrongType } from "./wrong-type.ts";

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the members of one port, each of them short.
export function claimsOf(deps: Deps): ClaimBoard {
  const { connection, keys, call, callOn, onUnreadable, actorOf } = deps;
  const announced = ({ id, message }: StreamEntry): Announcement[] => {
    const announcement = announcementOf(message);
    if (announcement === undefined)
      onUnreadable(`entry ${id} of ${keys.announcements}: it announces no claim`);
    return announcement === undefined ? [] : [announcement];
  };
  const readRows = async (ids: readonly ClaimId[]) => {
    // Requested at once, these share one round trip.
    const rows = await connection.run((client) =>
      Promise.all(
        ids.map((id) =>
          Promise.all([
            client.hmGet(keys.claim(id), [...claimFieldNames]),
            client.hVals(keys.grants(id)),
            client.hGetAll(keys.laterBids(id)),
          ]).catch(unlessWrongType(undefined)),
        ),
      ),
    );
    return rows.map((row, index) => {
      const [values = [], grants = [], laterBids = {}] = row ?? [];
      const id = ids[index] as ClaimId;
      return { id, fields: claimFields(values), laterBids, grants, isHash: row !== undefined };
    });
  };
  return {
    async openClaim({ open, epoch, bidDeadlineMs, readOn }) {
      const reply = await callOn(readOn)(
        "openClaim",
        { orchestrator: keys.orchestrator, due: keys.due },
        {
          epoch,
          bid_deadline_ms: bidDeadlineMs,
          announce_after_ms: firstAnnouncementAfterMs,
          new_claim: newClaimRecord(open, epoch),
        },
      );
      if (reply.outcome === "opened") return { outcome: "opened", claim: open.claim.id };
      // The index of causes holds nothing but claim ids.
      if (reply.outcome === "exists") return { outcome: "exists", claim: reply.claim as ClaimId };
      if (reply.outcome === "waits")
        return { outcome: "waits", artefact: reply.artefact as ArtefactId };
      return reply;
    },

    async readClaim(id) {
      const [row] = await readRows([id]);
      return row && snapshotOf(keys.claim(id), row);
    },

    async readClaims(ids, onMalformed) {
      return (await readRows(ids)).flatMap(({ id, ...row }): ClaimSnapshot[] => {
        try {
          return [snapshotOf(keys.claim(id), row)].filter((snapshot) => snapshot !== undefined);
        } catch (error) {
          onMalformed?.(malformedClaim(id, row.fields, error));
          return [];
        }
      });
    },

    ...claimListsOf(deps),

    readPieces: readPiecesOf(deps),

    async claimsOfArtefact(id) {
      const key = keys.claimsOfArtefact(id);
      const claims = await connection.run((client) =>
        client.hGetAll(key).catch(unlessWrongType(undefined)),
      );
      return new Map(Object.entries(orMalformed(key, claims)) as [string, ClaimId][]);
    },

    async placeBid({ claim, agent, word, reason = "", host, readOn }) {
      const stored = { claim: keys.claim(claim), bids: keys.bids(claim) };
      const reply = await callOn(readOn)("placeBid", stored, {
        claim,
        agent,
        word,
        actor: actorOf(agent, host),
        reason,
      });
      // The function answers with one of the four words, which the claim has on record.
      return reply.outcome === "placed"
        ? { outcome: "placed", word: reply.word as typeof word }
        : reply;
    },

    async commitClaim(commit) {
      const id = commit.claim;
      const stored = {
        orchestrator: keys.orchestrator,
        claim: keys.claim(id),
        bids: keys.bids(id),
        grants: keys.grants(id),
        open_claims: keys.openClaims,
        due: keys.due,
      };
      const onSame = callOn(commit.readOn)("commitClaim", stored, commitArgs(commit));
      const reply = unlessRefused(await onSame.catch(staleIfLater));
      return reply.outcome === "committed"
        ? { outcome: "committed", rev: Number(reply.rev) }
        : reply;
    },

    announceClaim({ claim, epoch, nextAfterMs, isSilent }) {
      const stored = { orchestrator: keys.orchestrator, claim: keys.claim(claim), due: keys.due };
      return call("announceClaim", stored, {
        epoch,
        claim,
        next_after_ms: nextAfterMs,
        is_silent: isSilent,
      });
    },

    endOfAnnouncements() {
      return connection.run((client) => endOf(client, keys.announcements));
    },

    followAnnouncements(from, signal) {
      let last = from;
      const stream = new RungStream(keys.announcements);
      return followReads(
        connection,
        signal,
        async (client) => {
          const entries = await stream.readAfter(client, last);
          last = entries.at(-1)?.id ?? last;
          return entries.flatMap(announced);
        },
        2,
      );
    },
  };
}

function staleIfLater(error: unknown): { outcome: "stale" } {
  if (error instanceof LaterConnection) return { outcome: "stale" };
  throw error;
}
