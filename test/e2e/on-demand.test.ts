// Agents for which nothing runs while they have no work: workers come with it, as many as they may
// be, work on one grant after the other, and go when none comes.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Artefact } from "../../lib/model/artefact.ts";
import { nightly } from "../support/nightly.ts";
import { ProcessSett } from "../support/sett/process-sett.ts";
import { untilLogged } from "../support/sett/until-logged.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(300_000);
let at: ProcessSett;
let goal: string;

/** Says which process has run it; on the goal `die` it kills the worker that runs it. */
const reader = `#!/bin/sh
goal=$(jq -r .target_artefact.payload)
if [ "$goal" = die ] && [ ! -e "$HOME/died" ]; then
  touch "$HOME/died"
  kill -9 $PPID
  exec sleep 60
fi
echo "{\\"structural_type\\":\\"Terminal\\",\\"artefact_type\\":\\"Read\\",\\"artefact_payload\\":\\"$PPID\\",\\"summary\\":\\"\\"}"
`;

const guest = `#!/bin/sh
echo '{"structural_type":"Terminal","artefact_type":"Visited","artefact_payload":"","summary":""}'
`;

/** Ends when three of it have been at work at the same time. */
const hand = `#!/bin/sh
touch "$HOME/load.$$"
until [ "$(ls "$HOME" | grep -c "^load")" -ge 3 ]; do sleep 0.05; done
echo '{"structural_type":"Terminal","artefact_type":"Lifted","artefact_payload":"","summary":""}'
`;

/**
 * The reader is never without work for long enough to go, however busy the machine is. A lease ends
 * after all tests.
 */
const settings = `version: '1.0'
limits: { lease: 1h }
agents:
  reader:
    build: { context: ./agents/reader }
    command: ["/app/run.sh"]
    bids: [{ on: GoalDefined, bid: exclusive }]
    on_demand: true
    idle: 1h
    retries: 1
  guest:
    build: { context: ./agents/guest }
    command: ["/app/run.sh"]
    bids: [{ on: Visit, bid: exclusive }]
    on_demand: true
    idle: 1s
  hand:
    build: { context: ./agents/hand }
    command: ["/app/run.sh"]
    bids: [{ on: Load, bid: exclusive }]
    replicas: { min: 1, max: 3 }
`;

beforeAll(async () => {
  at = await ProcessSett.create(settings, {
    "agents/reader/run.sh": reader,
    "agents/reader/Dockerfile": "FROM no-such-image:1\n",
    "agents/guest/run.sh": guest,
    "agents/guest/Dockerfile": "FROM no-such-image:1\n",
    "agents/hand/run.sh": hand,
    "agents/hand/Dockerfile": "FROM no-such-image:1\n",
  });
});

afterAll(() => at[Symbol.asyncDispose]());

const need = (...words: string[]) => at.need(...words);

async function read(text: string): Promise<string> {
  goal = (await need("forage", "--goal", text, "--watch")).trim();
  const artefacts: Artefact[] = JSON.parse(await need("hoard", "--json", "--goal", goal));
  return String(artefacts.find(({ type }) => type === "Read")?.payload);
}

async function stateOf(agent: string) {
  const { agents } = JSON.parse(await need("status", "--json"));
  return agents.find(({ name }: { name: string }) => name === agent);
}

async function workersOf(agent: string): Promise<number> {
  const [listed] = JSON.parse(await need("list", "--json"));
  const names: string[] = listed.containers.map(({ name }: { name: string }) => name);
  return names.filter((name) => name.includes(`worker-${agent}`)).length;
}

test("nothing is started for an agent that is on demand, and the instance is whole without it", async () => {
  const { out } = await at.sett("up", "--runtime", "process", "--name", at.name);
  expect(out).toContain("reader (on demand)");
  expect(await stateOf("reader")).toMatchObject({
    state: "on_demand",
    workers: { at_work: 0, of: 1 },
  });
  const [listed] = JSON.parse(await need("list", "--json"));
  expect(listed).toMatchObject({ state: "running" });
  expect(listed.agents.toSorted()).toEqual(["guest", "hand", "reader"]);
  expect(listed.containers.map(({ name }: { name: string }) => name).join(" ")).not.toContain(
    "reader",
  );
});

test("its worker works on one goal after the other, and what it logs is followed", async () => {
  const first = await read("one");
  expect(await read("two")).toBe(first);
  await untilLogged(at, "reader", ["Worker started"]);
  const following = at.start("logs", "--follow", "reader");
  let out = "";
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const bytes of following.stdout) out += decoder.decode(bytes, { stream: true });
  })();
  try {
    const created = () => out.split('"msg":"Created artefact"').length - 1;
    await waitFor("what was logged", () => created() >= 2);
    const before = created();
    await read("four");
    await waitFor("more of it", () => created() > before);
  } finally {
    following.kill();
  }
  await reading;
});

nightly("a worker that was killed is replaced before its lease lapses", async () => {
  const before = await read("again");
  expect(await read("die")).not.toBe(before);
  expect(await need("logs", "reader")).toContain("Worker started");
});

test("an agent with a container of its own gets more of them while more work waits", async () => {
  for (const load of ["one", "two", "three"])
    await need("post", "Load", "--payload", load, "--from", goal);
  await waitFor("all of it", async () => {
    const artefacts: Artefact[] = JSON.parse(await need("hoard", "--json"));
    return artefacts.filter(({ type }) => type === "Lifted").length === 3;
  });
});

test("a worker without work goes, and the next goal gets another", async () => {
  for (const visits of [1, 2]) {
    await need("post", "Visit", "--payload", "in", "--from", goal);
    await waitFor("the visit", async () => {
      const artefacts: Artefact[] = JSON.parse(await need("hoard", "--json", "--goal", goal));
      return artefacts.filter(({ type }) => type === "Visited").length === visits;
    });
    await waitFor("its worker's end", async () => (await workersOf("guest")) === 0);
    expect(await stateOf("guest")).toMatchObject({ state: "on_demand", workers: { at_work: 0 } });
  }
  expect(await need("down")).toBe("");
});
