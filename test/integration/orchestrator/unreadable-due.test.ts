// What is due, of which some can never be dealt with, on a real Redis.
import { expect, setDefaultTimeout, test } from "bun:test";
import { waitFor } from "../../support/wait-for.ts";
import { startClan } from "../../support/world/redis-clan.ts";

setDefaultTimeout(120_000);
const patience = { everyMs: 20 };

test("a broken claim and unreadable members delay nothing else that is due", async () => {
  await using clan = await startClan(
    { silent: { bids_by_command: true }, worker: { tool: () => ({}) } },
    { policy: { bid_deadline_ms: 600_000 }, contactMs: 0 },
  );
  for (let count = 0; count < 600; count += 50) {
    const unreadable = Array.from({ length: 50 }, (_, index) => [String(count + index), `lease:unknown:${count + index}`]).flat();
    await clan.hand("ZADD", "due", ...unreadable);
  }
  for (let count = 0; count < 3; count += 1) {
    const broken = crypto.randomUUID();
    await clan.hand("HSET", `claim:${broken}`, "id", broken);
    for (const member of [`bids:${broken}`, `lease:${broken}:worker:1`, `attempt:${broken}:worker:1`])
      await clan.hand("ZADD", "due", "1000", member);
  }
  await clan.hand("ZADD", "due", "1000", `announce:${crypto.randomUUID()}`);
  const { claim } = await clan.claimOn(await clan.postGoal());
  await waitFor(
    "it to be announced again",
    async () => (await clan.events("claim_announced")).some((event) => event.claim_id === claim.id),
    patience,
  );
  const left = async () =>
    (await clan.hand("ZRANGEBYSCORE", "due", "-inf", String(Date.now() - 60_000))).split("\n").filter(Boolean);
  await waitFor("the rest to be dealt with", async () => (await left()).length === 0, patience);
  expect(await clan.hand("ZCARD", "due")).toBe(String(3 * 3 + 2));
});
