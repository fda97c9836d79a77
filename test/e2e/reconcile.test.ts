// `sett up` on a sett that runs brings it up to date: what is new is started, what has changed is
// replaced, what is gone is stopped, and all else, with its work in progress, is left alone.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { $ } from "bun";
import type { SettEvent } from "../../lib/model/event.ts";
import { nightly } from "../support/nightly.ts";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

/** Wants the goals that begin with its name. */
const wants = (name: string) =>
  `    bid_command: ${JSON.stringify(["jq", "-r", `if .type == "GoalDefined" and (.payload | startswith("${name}")) then "exclusive" else "ignore" end`])}\n`;
const answer = (type: string) =>
  `echo '{"artefact_type":"${type}","artefact_payload":"","summary":""}'`;
/** Works until a test lets it go on. */
const gated = (type: string) =>
  `cat > /dev/null\nwhile [ ! -e /tmp/go ]; do sleep 0.1; done\n${answer(type)}`;

const keen = { keen: wants("keen") };
const first = { ...keen, changer: wants("changer"), leaver: wants("leaver") };
const second = {
  ...keen,
  changer: `${wants("changer")}    environment: { TYPE: Second }\n`,
  newcomer: wants("newcomer"),
};

let sett: SettWorkspace;

beforeAll(async () => {
  sett = await SettWorkspace.create({
    ...scriptAgent("keen", gated("Kept")),
    ...scriptAgent("changer", `[ -z "$TYPE" ] || touch /tmp/go\n${gated(`'"\${TYPE:-First}"'`)}`),
    ...scriptAgent("leaver", gated("Left")),
    ...scriptAgent("newcomer", `cat > /dev/null\n${answer("New")}`),
    "agents/last-words/Dockerfile": `FROM sett/agent-base:latest\nLABEL only=${crypto.randomUUID()}\nENTRYPOINT ["/bin/sh", "-c", "echo these are my last words; exit 7"]\n`,
    "sett.yml": settYml(first),
  });
  await $`docker build --quiet --tag ${`last-words-${sett.name}`} agents/last-words`
    .cwd(sett.folder)
    .quiet();
  await sett.up();
}, 300_000);

afterAll(async () => {
  await sett[Symbol.asyncDispose]();
  await $`docker image rm --force ${`last-words-${sett.name}`}`.quiet().nothrow();
});

/** Part → id of its container, and since when it runs. */
async function containers(): Promise<Map<string, string>> {
  const ids = (await $`docker ps -q --filter label=dev.sett.instance=${sett.name}`.text())
    .trim()
    .split("\n");
  const all = JSON.parse(await $`docker inspect ${ids}`.text());
  const start = `/sett-${sett.name}-`;
  return new Map(
    all.map(({ Name, Id, State }: { Name: string; Id: string; State: { StartedAt: string } }) => [
      Name.slice(start.length).replace(/^agent-/, ""),
      `${Id} ${State.StartedAt}`,
    ]),
  );
}

/** Puts in force what sett.yml says. */
async function up(yml: string) {
  await sett.write({ "sett.yml": yml });
  await sett.commit("Change the sett");
  return await sett.sett("up", "--name", sett.name);
}

const happened = (goal: string, type: SettEvent["type"]) =>
  waitFor(type, async () => (await sett.events(goal)).some((event) => event.type === type), {
    everyMs: 100,
  });

const go = (agent: string) =>
  $`docker exec ${`sett-${sett.name}-agent-${agent}`} touch /tmp/go`.quiet();

const resultOf = (goal: string) =>
  waitFor("a result", async () => (await sett.artefacts(goal))[1]?.type, { everyMs: 100 });

test("where nothing has changed it says so and leaves everything as it is", async () => {
  const before = await containers();
  const { code, out, err } = await up(settYml(first));
  expect(code, err).toBe(0);
  expect(out).toBe(
    `${sett.name} is up, and nothing has changed: redis, orchestrator, keen, changer, leaver\n`,
  );
  expect(await containers()).toEqual(before);
});

test("a mistake in sett.yml is reported before anything is touched", async () => {
  const before = await containers();
  const { code, err } = await up(`${settYml(second)}    retires: 1\n`);
  expect(code).toBe(2);
  expect(err).toContain("did you mean `retries`?");
  expect(await containers()).toEqual(before);
});

/** Others of this machine are listed as well. */
const listed = async () =>
  JSON.parse(await sett.need("list", "--json")).find(
    ({ name }: { name: string }) => name === sett.name,
  );

test("an agent is started, one replaced and one stopped, and no work in progress is lost", async () => {
  const before = await containers();
  const [kept, running, changing] = await Promise.all(
    ["keen", "leaver", "changer"].map((goal) => sett.forage(goal)),
  );
  if (kept === undefined || running === undefined || changing === undefined)
    throw new Error("no goals");
  await Promise.all([kept, running, changing].map((goal) => happened(goal, "grant_started")));
  const [queued, next] = [await sett.forage("leaver too"), await sett.forage("changer too")];
  await Promise.all([queued, next].map((goal) => happened(goal, "grant_queued")));
  const upToDate = up(settYml(second));

  // What it has in hand it ends; what is queued waits for the next one.
  await waitFor(
    "the changer to be stopped",
    async () => (await sett.look("logs", "changer")).out.includes('"Stopping"'),
    {
      everyMs: 100,
    },
  );
  await go("changer");
  expect(await resultOf(changing)).toBe("First");
  expect(await resultOf(next)).toBe("Second");
  // What the leaver had not begun fails.
  expect(await resultOf(queued)).toBe("AgentRemoved");
  await go("leaver");
  expect(await upToDate).toMatchObject({
    code: 0,
    out: `${sett.name} is up: started newcomer; replaced changer; stopped leaver; kept redis, orchestrator, keen\n`,
  });
  expect(await resultOf(running)).toBe("Left");

  const after = await containers();
  expect([...after.keys()].sort()).toEqual([
    "changer",
    "keen",
    "newcomer",
    "orchestrator",
    "recorder",
    "redis",
  ]);
  for (const part of ["keen", "orchestrator", "redis"])
    expect(after.get(part)).toBe(before.get(part));
  expect((await listed()).agents).toEqual(["changer", "keen", "newcomer"]);
  await go("keen");
  expect(await resultOf(kept)).toBe("Kept");
  expect(await resultOf(await sett.forage("newcomer"))).toBe("New");
});

test("the log says who registered, replaced and removed which agent, and `list` and `status` know the same agents", async () => {
  const lines = (await sett.need("watch", "--no-follow", "-o", "jsonl")).trimEnd().split("\n");
  const events = lines
    .map((line) => JSON.parse(line))
    .filter(({ type }) => type.startsWith("agent_") || type === "instance_started");
  expect(
    events.slice(-4).map(({ type, agent, actor, data }) => [type, agent, actor, data?.changed]),
  ).toEqual([
    ["agent_registered", "leaver", "person:Ada Lovelace <ada@sett.invalid>", undefined],
    ["agent_replaced", "changer", "person:Ada Lovelace <ada@sett.invalid>", "environment"],
    ["agent_registered", "newcomer", "person:Ada Lovelace <ada@sett.invalid>", undefined],
    ["agent_removed", "leaver", "person:Ada Lovelace <ada@sett.invalid>", undefined],
  ]);
  const agents = ["changer", "keen", "newcomer"];
  // A machine that was too busy for the Engine's health checks makes a part unhealthy for a while.
  await waitFor("all parts to be healthy", async () => (await listed()).state === "running", {
    happened: async () => JSON.stringify(await listed()),
  });
  expect(await listed()).toMatchObject({ agents });
  const { agents: known } = JSON.parse(await sett.need("status", "--json"));
  expect(known.map(({ name }: { name: string }) => name)).toEqual(agents);
});

nightly(
  "other limits are put in force by another orchestrator, and agents are left alone",
  async () => {
    const before = await containers();
    const { out } = await up(settYml(second, "limits: { artefacts_per_goal: 1 }\n"));
    expect(out).toContain(": replaced orchestrator; kept redis, keen, changer, newcomer\n");
    const after = await containers();
    for (const part of ["redis", "keen", "changer", "newcomer"])
      expect(after.get(part)).toBe(before.get(part));
    const goal = await sett.forage("newcomer");
    const failure = await waitFor("the limit", async () => (await sett.artefacts(goal))[2], {
      everyMs: 100,
    });
    expect(failure.type).toBe("ArtefactLimitExceeded");
    await up(settYml(second));
  },
);

nightly("an external agent is registered, and nothing is started for it", async () => {
  const before = await containers();
  const ada = "  ada: { external: true, role: approver, bids: [{ on: Nothing, bid: review }] }\n";
  const top = "limits: { bid_deadline: 1s }\n";
  await up(settYml(second, top));
  const yml = settYml(second, top) + ada;
  expect((await up(yml)).out).toContain(
    ": registered ada (external); kept redis, orchestrator, keen, changer, newcomer\n",
  );
  expect([...(await containers()).keys()]).toEqual([...before.keys()]);
  expect((await up(yml)).out).toContain(
    "nothing has changed: redis, orchestrator, keen, changer, newcomer, ada (external)\n",
  );
  expect(await sett.need("list")).toContain("keen, newcomer, ada (external)");
  expect(await sett.need("status")).toMatch(/ada +approver +external/);
  // Its rules speak for it.
  expect(await resultOf(await sett.forage("newcomer"))).toBe("New");
  expect((await up(settYml(second, top))).out).toContain(": removed ada; kept ");
  await up(settYml(second));
});

nightly("a changed script is a changed image, and its agent is replaced", async () => {
  await sett.write({ "agents/newcomer/run.sh": `#!/bin/sh\ncat > /dev/null\n${answer("Newer")}` });
  const { out } = await up(settYml(second));
  expect(out).toContain(": replaced newcomer; kept redis, orchestrator, keen, changer\n");
  expect(await resultOf(await sett.forage("newcomer"))).toBe("Newer");
});

nightly("one that fails, or is interrupted, puts everything back as it was", async () => {
  const before = await containers();
  const agents = async () =>
    JSON.parse(await sett.need("status", "--json")).agents.map(
      ({ name }: { name: string }) => name,
    );
  const third = settYml({ ...first, newcomer: wants("nothing") });
  const services = `services:\n  orchestrator: { image: last-words-${sett.name} }\n`;

  const failed = await up(third + services);
  expect(failed.code).toBe(1);
  expect(failed.err).toContain("these are my last words");
  expect(failed.err).toContain("The earlier parts run again.");
  const ids = (all: Map<string, string>) =>
    new Map([...all].map(([part, text]) => [part, text.split(" ")[0]]));
  expect(ids(await containers())).toEqual(ids(before));
  expect(await agents()).toEqual(["changer", "keen", "newcomer"]);

  await sett.write({ "sett.yml": third });
  await sett.commit("Change the sett again");
  await using interrupted = sett.start("up", "--name", sett.name);
  await interrupted.untilErr("newcomer: starting");
  interrupted.signal("SIGINT");
  expect(await interrupted.exited).toBe(130);
  expect(interrupted.err()).toContain("Interrupted: the earlier parts run again.");
  expect(ids(await containers())).toEqual(ids(before));
  expect(await agents()).toEqual(["changer", "keen", "newcomer"]);
  expect(await resultOf(await sett.forage("newcomer"))).toBe("Newer");
});

nightly(
  "a Redis that was stopped is named with its remedy, and up is it: the others are left alone",
  async () => {
    await $`docker stop --time 1 ${`sett-${sett.name}-redis`}`.quiet();
    const { code, err } = await sett.sett("status");
    expect(code).toBe(1);
    expect(err).toContain(`\`sett up --name ${sett.name}\` starts it again`);
    const before = await containers();
    expect((await up(settYml(second))).out).toContain(
      ": replaced redis; kept orchestrator, keen, changer, newcomer\n",
    );
    const after = await containers();
    for (const part of ["orchestrator", "keen", "changer", "newcomer"])
      expect(after.get(part)).toBe(before.get(part));
    expect(await resultOf(await sett.forage("newcomer"))).toBe("Newer");
  },
);

nightly("what has died or was removed is there again, and no volume is left over", async () => {
  const part = (name: string) => `sett-${sett.name}-${name}`;
  await $`docker rm --force ${part("redis")} && docker stop --time 0 ${part("agent-keen")}`.quiet();
  const { code, out } = await up(settYml(second));
  expect({ code, out }).toEqual({
    code: 0,
    out: `${sett.name} is up: started redis; replaced orchestrator, keen, changer, newcomer\n`,
  });
  expect(await resultOf(await sett.forage("newcomer"))).toBe("Newer");
  const volumes = (
    await $`docker volume ls -q --filter label=dev.sett.instance=${sett.name}`.text()
  )
    .trim()
    .split("\n");
  expect(volumes).toHaveLength(10);
});
