// The first minutes of a new user: an empty repository, `sett init`, and a goal that becomes an
// artefact, with nothing edited.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import { SettWorkspace } from "../support/sett/sett-workspace.ts";
import { untilLogged } from "../support/sett/until-logged.ts";

let sett: SettWorkspace;
let goal: string;
let before: Awaited<ReturnType<typeof snapshot>>;

async function snapshot() {
  const index = join(sett.folder, ".git/index");
  return {
    head: await readFile(join(sett.folder, ".git/HEAD"), "utf8"),
    index: await readFile(index),
    indexChangedMs: (await stat(index)).mtimeMs,
    status: await sett.git("--no-optional-locks", "status", "--porcelain"),
  };
}

beforeAll(async () => {
  sett = await SettWorkspace.create();
  await sett.need("init");
  await sett.commit("Add a sett");
  await sett.need("validate");
  before = await snapshot();
  await sett.up();
  goal = await sett.forage("hello");
  await sett.need("forage", "--goal", "hello again", "--watch");
});

afterAll(async () => {
  await sett[Symbol.asyncDispose]();
});

test("the goal and the echo stand on the blackboard with their provenance", async () => {
  const [stated, echo, ...more] = await sett.artefacts(goal);
  expect(more).toEqual([]);
  expect(stated).toMatchObject({
    id: goal,
    logical_id: goal,
    goal_id: goal,
    version: 1,
    structural_type: "Standard",
    type: "GoalDefined",
    payload: "hello",
    produced_by_role: "user",
    source_artefacts: [],
    metadata: { commit: await sett.git("rev-parse", "HEAD") },
  });
  expect(echo).toMatchObject({
    goal_id: goal,
    version: 1,
    structural_type: "Standard",
    type: "EchoSuccess",
    produced_by_role: "example-agent",
    produced_by_agent: "example-agent",
    source_artefacts: [goal],
  });
  expect(echo?.payload).toMatch(/^echo-\d{10}$/);
  expect(echo?.logical_id).not.toBe(stated?.logical_id);
});

test("a thread's zset holds the artefact under its version", async () => {
  const [, echo] = await sett.artefacts(goal);
  const thread =
    await $`docker exec sett-${sett.name}-redis redis-cli ZRANGE sett:${sett.name}:thread:${echo?.logical_id} 0 -1 WITHSCORES`.text();
  expect(thread.split("\n").slice(0, 2)).toEqual([String(echo?.id), "1"]);
});

test("the log has goal, claim, bid, grant, execution and artefact in that order, with who did it", async () => {
  const events = await sett.events(goal);
  const claim = events.find(
    (event) => event.type === "claim_opened" && String(event.artefact_id) === goal,
  )?.claim_id;
  const ofGoal = events.filter(
    (event) => String(event.artefact_id) === goal || event.claim_id === claim,
  );
  expect(ofGoal.map((event) => event.type)).toEqual([
    "artefact_created",
    "claim_opened",
    "bids_placed",
    "bidding_closed",
    "grant_queued",
    "grant_started",
    "artefact_created",
    "grant_done",
    "claim_completed",
  ]);
  // An agent's container has its id for a host name.
  const agent = expect.stringMatching(/^agent:example-agent@[0-9a-f]{12}$/);
  const orchestrator = "orchestrator:1";
  const expected = [
    "person:Ada Lovelace <ada@sett.invalid>",
    orchestrator,
    // The agent's rules have bid in advance.
    orchestrator,
    orchestrator,
    orchestrator,
    agent,
    agent,
    agent,
  ];
  expect(ofGoal.map((event) => event.actor)).toEqual([...expected, orchestrator]);
});

test("the grant records its inputs: who, which attempt, which base commit", async () => {
  const [started] = (await sett.events(goal)).filter((event) => event.type === "grant_started");
  const text =
    await $`docker exec sett-${sett.name}-redis redis-cli HGET sett:${sett.name}:grants:${started?.claim_id} example-agent`.text();
  expect(JSON.parse(text)).toMatchObject({
    agent: "example-agent",
    phase: "exclusive",
    attempt: 1,
    state: "done",
    base_commit: await sett.git("rev-parse", "HEAD"),
  });
});

test("a short id finds the artefact, and what is no id is refused with a sentence", async () => {
  const [, echo] = await sett.artefacts(goal);
  expect(await sett.need("unearth", String(echo?.id).slice(0, 8))).toContain(String(echo?.payload));
  const unknown = await sett.sett("unearth", "000000");
  expect(unknown.code).toBe(1);
  expect(unknown.err).toContain("000000");
});

test("status, list and logs show the instance at work", async () => {
  const status = JSON.parse(await sett.need("status", "--json"));
  expect(JSON.stringify(status)).toContain("settled");
  expect(await sett.need("list")).toContain(sett.name);
  await untilLogged(sett, "example-agent", [
    "Work Executor received claim from queue",
    "Fetched target artefact",
    "Executing tool",
    "Tool execution completed",
    "Created artefact",
  ]);
});

test("containers run without root, without capabilities, and agents without a Docker socket", async () => {
  const ids = (await $`docker ps -q --filter label=dev.sett.instance=${sett.name}`.text())
    .trim()
    .split("\n");
  expect(ids).toHaveLength(4);
  for (const id of ids) {
    const [container] = JSON.parse(await $`docker inspect ${id}`.text());
    const processStatus = await readFile(`/proc/${container.State.Pid}/status`, "utf8");
    expect(processStatus).toMatch(/^CapEff:\s+0+$/m);
    expect(processStatus).toMatch(/^NoNewPrivs:\s+1$/m);
    expect(processStatus).not.toMatch(/^Uid:\s+0\s/m);
    expect(JSON.stringify(container.Mounts)).not.toContain("docker.sock");
  }
});

test("the repository's HEAD, index and files are untouched, and only refs/sett is new", async () => {
  expect(await snapshot()).toEqual(before);
  const refs = (await sett.git("for-each-ref", "--format=%(refname)")).split("\n");
  expect(refs.filter((ref) => !ref.startsWith(`refs/sett/${sett.name}/`))).toEqual([
    "refs/heads/main",
  ]);
});

test("down leaves nothing but the blackboard and the record, and up goes on from it", async () => {
  await sett.need("down");
  const volumes = (
    await $`docker volume ls -q --filter label=dev.sett.instance=${sett.name}`.text()
  )
    .trim()
    .split("\n");
  expect(volumes).toEqual(["blackboard", "record"].map((one) => `sett-${sett.name}-${one}`));
  expect(await sett.leftOvers()).toEqual(volumes);
  expect(await sett.need("logs", "example-agent")).toContain("Created artefact");
  await sett.up();
  expect(await sett.artefacts(goal)).toHaveLength(2);
  await sett.need("down", "--volumes");
  expect(await sett.leftOvers()).toEqual([]);
  expect(await $`docker image ls -q --filter label=dev.sett.instance=${sett.name}`.text()).toBe("");
});
