// The orchestrator's leader lease in Redis, and what is due.
import { dueKinds, dueOfMember, memberOfDue } from "../due-member.ts";
import type { LeaderLease } from "../leader-port.ts";
import type { Deps } from "./deps.ts";
import { certainOutcomeOf } from "./replies.ts";
import { listed } from "./script-arguments.ts";

export function leaderLeaseOf({ connection, keys, script, scriptOnce }: Deps): LeaderLease {
  return {
    async acquireLeaderLease({ holder, leaseMs, restarted }) {
      const reply = await script(
        "acquireLeaderLease",
        [keys.orchestrator, keys.due],
        [holder, String(leaseMs), restarted ? "1" : "0"],
      );
      const { outcome } = certainOutcomeOf(reply, "held", "taken");
      const [, second = "", third = ""] = reply;
      return outcome === "held"
        ? { outcome, epoch: Number(second), cursor: third }
        : { outcome, holder: second, expiresInMs: Number(third) };
    },

    async releaseLeaderLease(epoch) {
      await script("releaseLeaderLease", [keys.orchestrator], [String(epoch)]);
    },

    async readLeader() {
      const [[holder, epoch, expiresAt, cursor], time] = await connection.run((client) =>
        Promise.all([client.hmGet(keys.orchestrator, ["holder", "epoch", "expires_at", "cursor"]), client.time()]),
      );
      if (!holder) return undefined;
      const now = Number(time[0]) * 1_000 + Number(time[1]) / 1_000;
      const expiresInMs = Math.ceil(Number(expiresAt) - now);
      return { holder, epoch: Number(epoch), expiresInMs, cursor: cursor ?? "0" };
    },

    async moveCursor(epoch, cursor) {
      const reply = await scriptOnce("moveCursor", [keys.orchestrator], [String(epoch), "cursor", cursor]);
      return certainOutcomeOf(reply, "moved", "fenced");
    },

    async listDue(limit, kinds = dueKinds) {
      const members = await script("listDue", [keys.due], [String(limit), ...listed(kinds, (kind) => [kind])]);
      return members.map(dueOfMember);
    },

    async clearDue(items, epoch) {
      const args = [String(epoch), ...listed(items, (item) => [memberOfDue(item)])];
      return certainOutcomeOf(await script("clearDue", [keys.orchestrator, keys.due], args), "cleared", "fenced");
    },

    async deferDue(items, afterMs, epoch) {
      const args = [String(epoch), String(afterMs), ...listed(items, (item) => [memberOfDue(item)])];
      return certainOutcomeOf(await script("deferDue", [keys.orchestrator, keys.due], args), "deferred", "fenced");
    },
  };
}
