// The orchestrator's reader of mailboxes by itself: what agents send is answered, and nothing is
// decided.
import { AgentCache } from "../../../apps/orchestrator/decide/agent-cache.ts";
import { every, LoopRunner } from "../../../apps/orchestrator/leader/loops.ts";
import { Mailboxes } from "../../../apps/orchestrator/mail/mailboxes.ts";
import type { Blackboard } from "../../../lib/blackboard/port/blackboard.ts";
import { grantLeaseMs } from "../../../lib/model/leases.ts";
import { waitFor } from "../wait-for.ts";
import { leaderDeps } from "./deps.ts";

/** The rest of the reader of mailboxes after a failure. */
const restartAfterMs = 50;

/**
 * Takes the leader's lease once it is free. Its end leaves the lease to the test, and the board
 * open.
 */
export async function openMailboxes(
  board: Blackboard,
): Promise<AsyncDisposable & { epoch: number }> {
  const epoch = await waitFor("the leader's lease", async () => {
    const leader = await board.acquireLeaderLease({
      holder: "stand-in",
      leaseMs: 600_000,
      restarted: true,
    });
    return leader.outcome === "held" ? leader.epoch : undefined;
  });
  const over = new AbortController();
  const deps = leaderDeps(epoch, { board });
  const mailboxes = new Mailboxes(deps, { agentCache: new AgentCache(deps), grantLeaseMs });
  const loop = {
    name: "mail",
    when: every(restartAfterMs),
    runOnce: (signal: AbortSignal) => mailboxes.run(signal),
  };
  const ended = new LoopRunner(deps).run([loop], over.signal);
  return {
    epoch,
    [Symbol.asyncDispose]: async () => {
      over.abort("the test is over");
      await ended;
    },
  };
}
