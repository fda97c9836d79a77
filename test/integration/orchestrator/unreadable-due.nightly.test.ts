// Shows what is due, of which some can never be dealt with, on a real Redis.
import { expect, setDefaultTimeout, test } from "bun:test";
import { storedKinds } from "../../../lib/blackboard/records/due-member.ts";
import { waitFor } from "../../support/wait-for.ts";
import { startClan } from "../../support/world/redis-clan.ts";

setDefaultTimeout(600_000);
const patience = { everyMs: 20 };

test("a broken claim and unreadable members delay nothing else that is due", async () => {
  await using clan = await startClan(
    { silent: { bids_by_command: true }, worker: { tool: () => ({}) } },
    { policy: { bid_deadline_ms: 600_000 }, contactMs: 0 },
  );
  for (let count = 0; count < 600; count += 50) {
    const unreadable = Array.from({ length: 50 }, (_, index) => [
      String(count + index),
      `lease:unknown:${count + index}`,
    ]).flat();
    await clan.hand("ZADD", "due:lease", ...unreadable);
  }
  for (let count = 0; count < 3; count += 1) {
    const broken = crypto.randomUUID();
    await clan.hand("HSET", `claim:${broken}`, "id", broken);
    for (const member of [
      `bids:${broken}`,
      `lease:${broken}:worker:1`,
      `attempt:${broken}:worker:1`,
    ])
      await clan.hand("ZADD", `due:${member.split(":")[0]}`, "1000", member);
  }
  await clan.hand("ZADD", "due:announce", "1000", `announce:${crypto.randomUUID()}`);
  const { claim } = await clan.claimOn(await clan.postGoal());
  await waitFor(
    "it to be announced again",
    async () => (await clan.events("claim_announced")).some((event) => event.claim_id === claim.id),
    patience,
  );
  const countUntil = async (until: string) => {
    const counts = storedKinds.map((kind) => clan.hand("ZCOUNT", `due:${kind}`, "-inf", until));
    return (await Promise.all(counts)).reduce((sum, count) => sum + Number(count), 0);
  };
  const isDone = async () => (await countUntil(String(Date.now() - 60_000))) === 0;
  await waitFor("the rest to be dealt with", isDone, patience);
  expect(await countUntil("+inf")).toBe(3 * 3 + 2);
});
