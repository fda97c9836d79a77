// Claims, bids and commits in Redis.
import type { ClaimSnapshot } from "../../model/claim.ts";
import type { ClaimId } from "../../model/ids.ts";
import { announcementOf } from "../announced-claim.ts";
import { firstAnnouncementAfterMs } from "../first-announcement.ts";
import type { Announcement, ClaimBoard } from "../port.ts";
import { claimFieldNames, malformedClaim, snapshotOf } from "./claim-fields.ts";
import { commitWords } from "./commit-args.ts";
import type { Deps } from "./deps.ts";
import { followReads } from "./follow.ts";
import { certainOutcomeOf, outcomeOf } from "./replies.ts";
import { newClaimWords } from "./script-arguments.ts";
import { endOf, readOn, type StreamEntry } from "./streams.ts";

export function claimsOf({ connection, keys, script, onUnreadable, actorOf }: Deps): ClaimBoard {
  const announced = ({ id, message }: StreamEntry): Announcement[] => {
    const announcement = announcementOf(message);
    if (announcement === undefined) onUnreadable(`entry ${id} of ${keys.announcements}: it announces no claim`);
    return announcement === undefined ? [] : [announcement];
  };
  const readRows = async (ids: readonly ClaimId[]) => {
    // Asked for in one turn, these travel together.
    const rows = await connection.run((client) =>
      Promise.all(ids.map((id) => Promise.all([client.hmGet(keys.claim(id), claimFieldNames), client.hVals(keys.grants(id))]))),
    );
    return rows.map(([values, grants], index) => ({ id: ids[index] as ClaimId, values, grants }));
  };
  return {
    async openClaim({ open, epoch, bidDeadlineMs }) {
      const reply = await script(
        "openClaim",
        [keys.orchestrator, keys.due],
        [String(epoch), String(bidDeadlineMs), String(firstAnnouncementAfterMs), ...newClaimWords(open)],
      );
      const result = outcomeOf(reply, "opened", "exists", "fenced");
      if (result.outcome === "opened") return { outcome: "opened", claim: open.claim.id };
      // The index of causes holds nothing but claim ids.
      if (result.outcome === "exists") return { outcome: "exists", claim: reply[1] as ClaimId };
      return result;
    },

    async readClaim(id) {
      const [row] = await readRows([id]);
      return row && snapshotOf(keys.claim(id), row.values, row.grants);
    },

    async readClaims(ids, tell) {
      return (await readRows(ids)).flatMap(({ id, values, grants }): ClaimSnapshot[] => {
        try {
          return [snapshotOf(keys.claim(id), values, grants)].filter((snapshot) => snapshot !== undefined);
        } catch (error) {
          tell?.(malformedClaim(id, values, error));
          return [];
        }
      });
    },

    async listOpenClaims() {
      return (await connection.run((client) => client.zRange(keys.openClaims, 0, -1))) as ClaimId[];
    },

    async claimsOfArtefact(id) {
      const claims = await connection.run((client) => client.hGetAll(keys.claimsOfArtefact(id)));
      return new Map(Object.entries(claims) as [string, ClaimId][]);
    },

    async placeBid({ claim, agent, word }) {
      const reply = await script("placeBid", [keys.claim(claim), keys.bids(claim)], [claim, agent, word, actorOf(agent)]);
      const result = outcomeOf(reply, "placed");
      // The script answers with one of the four words, which the claim holds.
      return result.outcome === "placed" ? { outcome: "placed", word: reply[1] as typeof word } : result;
    },

    async adoptBids(claim, epoch) {
      const reply = await script("adoptBids", [keys.orchestrator, keys.claim(claim), keys.bids(claim)], [String(epoch), claim]);
      const { outcome } = certainOutcomeOf(reply, "adopted", "fenced");
      return outcome === "adopted" ? { outcome, count: Number(reply[1]) } : { outcome };
    },

    async commitClaim(commit) {
      const id = commit.claim;
      const reply = await script(
        "commitClaim",
        [keys.orchestrator, keys.claim(id), keys.bids(id), keys.grants(id), keys.openClaims, keys.due],
        commitWords(commit),
      );
      const { outcome } = certainOutcomeOf(reply, "committed", "stale", "fenced", "gone");
      return outcome === "committed" ? { outcome, rev: Number(reply[1]) } : { outcome };
    },

    async announceClaim({ claim, epoch, nextAfterMs, isSilent }) {
      const args = [String(epoch), claim, String(nextAfterMs), isSilent ? "1" : "0"];
      const reply = await script("announceClaim", [keys.orchestrator, keys.claim(claim), keys.due], args);
      return certainOutcomeOf(reply, "announced", "ended", "fenced");
    },

    endOfAnnouncements() {
      return connection.run((client) => endOf(client, keys.announcements));
    },

    followAnnouncements(from, signal) {
      let last = from;
      return followReads(
        connection,
        signal,
        async (client) => {
          const entries = await readOn(client, keys.announcements, last);
          last = entries.at(-1)?.id ?? last;
          return entries.flatMap(announced);
        },
        2,
      );
    },
  };
}
