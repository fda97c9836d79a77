// The keys as people meet them in redis-cli: the public contract (docs/reference/blackboard.md).
import { afterAll, expect, test } from "bun:test";
import { createClient } from "redis";
import { SettError } from "../../../lib/model/errors.ts";
import { openRedisBench } from "../../support/blackboard/redis-bench.ts";
import {
  acquireLeaderLease,
  commitOf,
  done,
  openClaim,
  queueGrant,
  resultOf,
  runGrant,
  running,
  user,
} from "../../support/blackboard/scene.ts";
import {
  agentName,
  newArtefactId,
  sampleAgent,
  sampleArtefact,
} from "../../support/records/sample.ts";
import { startRedisServer } from "../../support/redis/redis-server.ts";
import { unhurried } from "../../support/redis/unhurried.ts";
import { waitFor } from "../../support/wait-for.ts";

const server = await startRedisServer();
afterAll(() => server[Symbol.asyncDispose]());

const hash = async (key: string) =>
  JSON.parse(await server.cli("--json", "HGETALL", key)) as Record<string, string>;

test("an artefact is a hash of strings", async () => {
  await using bench = await openRedisBench(server);
  const goal = sampleArtefact({ payload: "line\n[]{} é", metadata: { summary: "s" } });
  await bench.board.createArtefact(goal, user);
  expect(await hash(bench.key(`artifact:${goal.id}`))).toEqual({
    id: goal.id,
    logical_id: goal.logical_id,
    version: "1",
    structural_type: "Standard",
    type: "GoalDefined",
    payload: "line\n[]{} é",
    source_artefacts: "[]",
    produced_by_role: "user",
    produced_by_agent: "",
    created_at: goal.created_at,
    goal_id: goal.id,
    claim_id: "",
    metadata: '{"summary":"s"}',
    salt: expect.stringMatching(/^[0-9a-f]{32}$/),
  });
  expect(await server.cli("ZRANGE", bench.key(`thread:${goal.id}`), "0", "-1", "WITHSCORES")).toBe(
    `${goal.id}\n1`,
  );
  expect(await server.cli("ZRANGE", bench.key(`goal:${goal.id}:artefacts`), "0", "-1")).toBe(
    goal.id,
  );
});

test("a claim is a hash, its bids another, its grants a third", async () => {
  await using bench = await openRedisBench(server);
  const { claim, goal, epoch } = await openClaim(bench.board, ["coder", "tester"]);
  expect(await hash(bench.key(`claim:${claim.id}`))).toEqual({
    id: claim.id,
    artefact_id: goal.id,
    status: "pending_review",
    granted_review_agents: "[]",
    granted_parallel_agents: "[]",
    granted_exclusive_agent: "",
    goal_id: goal.goal_id,
    kind: "standard",
    electorate: '["coder","tester"]',
    additional_context_ids: "[]",
    rev: "0",
    stand_in: "",
    created_at: claim.created_at,
    termination_reason: "",
    bidding: "open",
    bid_order: "[]",
    missing_bids: "2",
    cause: "standard",
  });
  for (const name of ["tester", "coder"])
    await bench.board.placeBid({ claim: claim.id, agent: agentName(name), word: "review" });
  const granted = { phase: "review" as const, agents: [agentName("tester")] };
  const grant = { ...running("tester"), phase: "review" } as const;
  const commit = commitOf(claim.id, epoch, 2, {
    set: { status: "pending_review", bidding: "closed", granted },
    grants: [grant],
  });
  await bench.board.commitClaim(commit);
  expect(await hash(bench.key(`claim:${claim.id}`))).toMatchObject({
    granted_review_agents: '["tester"]',
    bid_order: '[["tester","review"],["coder","review"]]',
    missing_bids: "0",
    rev: "3",
    commit_id: commit.commitId,
  });
  expect(await hash(bench.key(`claim:${claim.id}:bids`))).toEqual({
    tester: "review",
    coder: "review",
  });
  const grants = await hash(bench.key(`grants:${claim.id}`));
  expect(JSON.parse(grants.tester ?? "")).toEqual(grant);
  expect(await hash(bench.key(`artifact:${goal.id}:claims`))).toEqual({ standard: claim.id });
});

test("while the bidding is open, no bid rewrites what others have bid; then one field has them all in their order", async () => {
  await using bench = await openRedisBench(server);
  const names = Array.from({ length: 12 }, (_, index) => `agent-${index}`).reverse();
  const first = names
    .slice(0, 2)
    .map((name) => ({ agent: agentName(name), word: "ignore" as const }));
  const { claim, epoch } = await openClaim(bench.board, names, { bids: first });
  const atOpening = first.map(({ agent, word }): string[] => [agent, word]);
  for (const name of names.slice(2))
    await bench.board.placeBid({ claim: claim.id, agent: agentName(name), word: "claim" });
  expect(JSON.parse((await hash(bench.key(`claim:${claim.id}`))).bid_order ?? "")).toEqual(
    atOpening,
  );
  const later = await hash(bench.key(`claim:${claim.id}:bids:later`));
  expect(later).toEqual(
    Object.fromEntries(names.slice(2).map((name, index) => [name, `${index + 1} claim`])),
  );
  const inOrder = [...atOpening, ...names.slice(2).map((name) => [name, "claim"])];
  const bids = async () =>
    (await bench.board.readClaim(claim.id))?.claim.bids.map(({ agent, word }): string[] => [
      agent,
      word,
    ]);
  expect(await bids()).toEqual(inOrder);
  await bench.board.commitClaim(commitOf(claim.id, epoch, 10, { set: { bidding: "closed" } }));
  expect(JSON.parse((await hash(bench.key(`claim:${claim.id}`))).bid_order ?? "")).toEqual(inOrder);
  expect(await server.cli("EXISTS", bench.key(`claim:${claim.id}:bids:later`))).toBe("0");
  expect(await bids()).toEqual(inOrder);
});

test("deadlines and leases are in a zset for each kind, under names that people can read", async () => {
  await using bench = await openRedisBench(server);
  const { claim } = await openClaim(bench.board, ["coder"]);
  for (const kind of ["announce", "bids"])
    expect(await server.cli("ZRANGE", bench.key(`due:${kind}`), "0", "-1")).toBe(
      `${kind}:${claim.id}`,
    );
  const { claim: granted } = await runGrant(bench.board);
  expect(await server.cli("ZSCORE", bench.key("due:lease"), `lease:${granted.id}:coder:1`)).toMatch(
    /^\d{13}$/,
  );
});

test("the streams hold what people can read; absent ids are left out", async () => {
  await using bench = await openRedisBench(server);
  const { claim, goal } = await openClaim(bench.board, ["coder"]);
  await bench.board.placeBid({ claim: claim.id, agent: agentName("coder"), word: "ignore" });
  const [last] = (await server
    .cli("--json", "XREVRANGE", bench.key("events"), "+", "-", "COUNT", "1")
    .then(JSON.parse)) as [[string, string[]]];
  expect(last[1]).toEqual([
    "type",
    "bid_placed",
    "event",
    JSON.stringify({
      actor: "agent:coder",
      goal_id: goal.id,
      claim_id: claim.id,
      artefact_id: goal.id,
      agent: "coder",
      data: { word: "ignore", missing: 0, rev: 1 },
    }),
  ]);
  const [announcement] = (await server
    .cli("--json", "XRANGE", bench.key("claims"), "-", "+")
    .then(JSON.parse)) as [[string, string[]]];
  const about = {
    artefact_id: goal.id,
    type: "GoalDefined",
    produced_by_role: "user",
    missing: ["coder"],
  };
  expect(announcement[1]).toEqual(["claim", claim.id, "about", JSON.stringify(about)]);
});

test("new artefacts, and claims that open or move on, are hinted on their public channels", async () => {
  await using bench = await openRedisBench(server);
  const listener = createClient({ ...unhurried, url: server.url });
  await listener.connect();
  const published: string[] = [];
  await listener.subscribe(
    [bench.key("artefact_events"), bench.key("claim_events")],
    (text, channel) => {
      published.push(`${channel.split(":").at(-1)} ${text}`);
    },
  );
  const { claim, goal } = await runGrant(bench.board);
  const artefact = resultOf(goal, claim);
  await bench.board.finishGrant(done(claim.id, artefact));
  const opened = `claim_events ${claim.id}`;
  const expected = [`artefact_events ${goal.id}`, opened, opened, `artefact_events ${artefact.id}`];
  await waitFor("all hints", () => published.length >= expected.length);
  expect(published).toEqual(expected);
  listener.destroy();
});

test("agents, heartbeats, wake-ups and the leader lease stand where people look for them", async () => {
  await using bench = await openRedisBench(server);
  const { claim } = await queueGrant(bench.board);
  await bench.board.registerAgents([sampleAgent("coder")], user, { exact: true });
  await bench.board.reportStatus(agentName("coder"), { at: 5, state: "idle" });
  expect(JSON.parse((await hash(bench.key("agents"))).coder ?? "")).toEqual(sampleAgent("coder"));
  expect(await server.cli("GET", bench.key("agent:coder:status"))).toBe('{"at":5,"state":"idle"}');
  expect(await server.cli("LRANGE", bench.key("agent:coder:grants"), "0", "-1")).toBe(claim.id);
  expect(await hash(bench.key("orchestrator"))).toEqual({
    holder: "h1",
    nonce: expect.any(String),
    seen_at: expect.stringMatching(/^\d{13}$/),
    epoch: "1",
    expires_at: expect.stringMatching(/^\d{13}$/),
    cursor: "0",
  });
});

test("a heartbeat that is too long, or no text at all, is left out, and the others are read", async () => {
  await using bench = await openRedisBench(server);
  await bench.board.registerAgents(
    ["coder", "tester", "writer"].map((name) => sampleAgent(name)),
    user,
    { exact: true },
  );
  await bench.board.reportStatus(agentName("coder"), { at: 4, state: "idle" });
  await server.cli(
    "SET",
    bench.key("agent:tester:status"),
    `${" ".repeat(1_000)}{"at":5,"state":"idle"}`,
  );
  await server.cli("HSET", bench.key("agent:writer:status"), "at", "6");
  expect([...(await bench.board.listStatuses()).keys()]).toEqual([agentName("coder")]);
});

test("an artefact typed at redis-cli field by field is found, adopted and readable", async () => {
  await using bench = await openRedisBench(server);
  const epoch = await acquireLeaderLease(bench.board);
  const id = newArtefactId();
  const key = bench.key(`artifact:${id}`);
  await server.cli(
    "HSET",
    key,
    "id",
    id,
    "logical_id",
    id,
    "version",
    "1",
    "structural_type",
    "Standard",
  );
  await server.cli(
    "HSET",
    key,
    "type",
    "GoalDefined",
    "payload",
    "",
    "source_artefacts",
    "[]",
    "produced_by_role",
    "user",
  );
  expect(await bench.board.adoptArtefact(id, epoch)).toEqual({ outcome: "adopted" });
  expect(await bench.board.readArtefact(id)).toMatchObject({ payload: "", goal_id: id });
});

test("an artefact written by hand in bytes that are no UTF-8 is refused, and its payload may be any bytes", async () => {
  await using bench = await openRedisBench(server);
  const epoch = await acquireLeaderLease(bench.board);
  const client = await createClient({ ...unhurried, url: server.url }).connect();
  const goal = sampleArtefact();
  const latin = Buffer.from([0x66, 0xfc, 0x72]);
  const fields = {
    id: goal.id,
    logical_id: goal.id,
    version: "1",
    structural_type: "Standard",
    source_artefacts: "[]",
  };
  const key = bench.key(`artifact:${goal.id}`);
  await client.hSet(key, { ...fields, type: latin, produced_by_role: "user", payload: latin });
  const refusal = { outcome: "refused", reason: "`type` must be UTF-8 text" };
  expect(await bench.board.adoptArtefact(goal.id, epoch)).toMatchObject(refusal);
  expect(
    (await bench.board.readEvents("0", 10)).filter(({ type }) => type === "artefact_refused"),
  ).toHaveLength(1);
  await client.hSet(key, "type", "für");
  expect(await bench.board.adoptArtefact(goal.id, epoch)).toEqual({ outcome: "adopted" });
  expect(await client.hGet(key, "payload")).toBe(latin.toString());
  client.destroy();
});

test("an artefact or a claim that was broken by hand is an error that names its key", async () => {
  await using bench = await openRedisBench(server);
  const { claim, goal } = await openClaim(bench.board, ["coder"]);
  await server.cli("HSET", bench.key(`artifact:${goal.id}`), "metadata", "{");
  await server.cli("HSET", bench.key(`claim:${claim.id}`), "electorate", "{");
  const readings = [
    ["artefact-malformed", bench.board.readArtefact(goal.id)],
    ["blackboard-refused", bench.board.readClaim(claim.id)],
  ] as const;
  for (const [code, reading] of readings) {
    const error = await (reading as Promise<unknown>).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(SettError);
    expect(error).toMatchObject({ code, message: expect.stringContaining(bench.key("")) });
  }
});

test("a delivery's record that was broken by hand is forgotten", async () => {
  await using bench = await openRedisBench(server);
  const subject = "question-1";
  for (const broken of ["{", "5", '{"at":"noon"}']) {
    await server.cli("HSET", bench.key(`delivery:${subject}`), "hook", broken);
    expect(await bench.board.readDelivery(subject, "hook")).toBeUndefined();
  }
});

test("a queued grant that was broken by hand does not keep the agent from the others", async () => {
  await using bench = await openRedisBench(server);
  const broken = (await queueGrant(bench.board)).claim.id;
  const { claim } = await queueGrant(bench.board);
  await server.cli("HSET", bench.key(`grants:${broken}`), "coder", "{");
  await server.cli("DEL", bench.key("agent:coder:grants"));
  let rounds = 0;
  for await (const claims of bench.board.followGrants(
    agentName("coder"),
    new AbortController().signal,
    10,
  )) {
    expect(claims).toEqual([claim.id]);
    // The first is what is found at the beginning, the others are reminders.
    if (++rounds === 3) break;
  }
});

test("the scripts come back by themselves after FUNCTION FLUSH", async () => {
  await using bench = await openRedisBench(server);
  await acquireLeaderLease(bench.board);
  await server.cli("FUNCTION", "FLUSH");
  expect(await acquireLeaderLease(bench.board)).toBe(2);
});
