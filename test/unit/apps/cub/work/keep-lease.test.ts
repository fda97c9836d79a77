import { describe, expect, test } from "bun:test";
import { underLease } from "../../../../../apps/cub/work/keep-lease.ts";
import type { Blackboard } from "../../../../../lib/blackboard/port/blackboard.ts";
import { SettError } from "../../../../../lib/model/errors.ts";
import { cubScene } from "../../../../support/cub/scene.ts";
import { newClaimId } from "../../../../support/records/sample.ts";
import { waitFor } from "../../../../support/wait-for.ts";

type Renewal = Awaited<ReturnType<Blackboard["renewLease"]>>;

/** Work under a lease whose renewals answer as the test wants. */
async function leased(
  renew: () => Promise<Renewal>,
  work: (signal: AbortSignal) => Promise<string>,
  maxMs = 60_000,
  moves = () => 0,
) {
  await using scene = await cubScene({ wrap: (board) => ({ ...board, renewLease: renew }) });
  const lease = { claim: newClaimId(), agent: scene.agent, attempt: 1 };
  const kill = new AbortController();
  scene.deps.watch.executor.markProgress();
  const outcome = await underLease(
    scene.deps,
    lease,
    { maxMs, moves, kill: kill.signal, everyMs: 1 },
    work,
  );
  return { outcome, scene };
}

describe("work under a lease", () => {
  test("is renewed until it is done", async () => {
    let renewals = 0;
    const renew = async (): Promise<Renewal> => {
      renewals++;
      return { outcome: "renewed" };
    };
    const { outcome } = await leased(renew, async () => {
      await waitFor("renewals", () => renewals > 3);
      return "result";
    });
    expect(outcome).toEqual({ outcome: "done", result: "result" });
  });

  test("is stopped, and its result dropped, when the renewal is refused", async () => {
    const { outcome } = await leased(
      async () => ({ outcome: "refused", reason: "Claim has ended." }),
      (signal) =>
        new Promise((resolve) => signal.addEventListener("abort", () => resolve("killed"))),
    );
    expect(outcome).toEqual({ outcome: "lost", reason: "Claim has ended." });
  });

  test("goes on while Redis is away", async () => {
    let renewals = 0;
    const renew = async (): Promise<Renewal> => {
      if (++renewals < 4) throw new SettError("redis-unreachable", "Redis does not answer.");
      return { outcome: "renewed" };
    };
    const { outcome } = await leased(renew, async () => {
      await waitFor("contact", () => renewals > 4);
      return "result";
    });
    expect(outcome).toEqual({ outcome: "done", result: "result" });
  });

  test("is no longer renewed when the work counts as stuck", async () => {
    let renewals = 0;
    const { outcome } = await leased(
      async () => {
        renewals++;
        return { outcome: "renewed" };
      },
      async () => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        return "late";
      },
      -1,
    );
    expect(renewals).toBe(0);
    expect(outcome.outcome).toBe("done");
  });

  test("is renewed for as long as something moves, however long that is", async () => {
    let [renewals, moves] = [0, 0];
    const { outcome } = await leased(
      async () => {
        renewals++;
        return { outcome: "renewed" };
      },
      async () => {
        await waitFor("renewals", () => renewals > 50);
        return "result";
      },
      10,
      () => moves++,
    );
    expect(outcome).toEqual({ outcome: "done", result: "result" });
  });
});
