// Agents for which nothing runs while they have no work: workers come with it, as many as they may
// be, work on one grant after the other, and go when none comes.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Artefact } from "../../lib/model/artefact.ts";
import { ProcessSett } from "../support/sett/process-sett.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(120_000);
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

/** Ends when three of it have been at work at the same time. */
const hand = `#!/bin/sh
touch "$HOME/load.$$"
until [ "$(ls "$HOME" | grep -c "^load")" -ge 3 ]; do sleep 0.05; done
echo '{"structural_type":"Terminal","artefact_type":"Lifted","artefact_payload":"","summary":""}'
`;

const settings = `version: '1.0'
agents:
  reader:
    build: { context: ./agents/reader }
    command: ["/app/run.sh"]
    bids: [{ on: GoalDefined, bid: exclusive }]
    on_demand: true
    idle: 4s
    retries: 1
  hand:
    build: { context: ./agents/hand }
    command: ["/app/run.sh"]
    bids: [{ on: Load, bid: exclusive }]
    replicas: { min: 1, max: 3 }
    idle: 4s
`;

beforeAll(async () => {
  at = await ProcessSett.create(settings, {
    "agents/reader/run.sh": reader,
    "agents/reader/Dockerfile": "FROM no-such-image:1\n",
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

async function stateOfReader() {
  const { agents } = JSON.parse(await need("status", "--json"));
  return agents.find(({ name }: { name: string }) => name === "reader");
}

test("nothing is started for an agent that is on demand, and the instance is whole without it", async () => {
  const { out } = await at.sett("up", "--runtime", "process", "--name", at.name);
  expect(out).toContain("reader (on demand)");
  expect(await stateOfReader()).toMatchObject({
    state: "on_demand",
    workers: { at_work: 0, of: 1 },
  });
  const [listed] = JSON.parse(await need("list", "--json"));
  expect(listed).toMatchObject({ state: "running", agents: ["hand", "reader"] });
  expect(listed.containers.map(({ name }: { name: string }) => name).join(" ")).not.toContain(
    "reader",
  );
});

test("its worker works on one goal after the other, and one that was killed is replaced before its lease lapses", async () => {
  const first = await read("one");
  expect(await read("two")).toBe(first);
  const begun = performance.now();
  expect(await read("die")).not.toBe(first);
  expect(performance.now() - begun).toBeLessThan(14_000);
  expect(await need("logs", "reader")).toContain("Worker started");
  const following = at.start("logs", "--follow", "reader");
  let out = "";
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const bytes of following.stdout) out += decoder.decode(bytes, { stream: true });
  })();
  try {
    const created = () => out.split('"msg":"Created artefact"').length - 1;
    await waitFor("what was logged", () => created() >= 3);
    const before = created();
    await read("four");
    await waitFor("more of it", () => created() > before);
  } finally {
    following.kill();
  }
  await reading;
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
  const workers = async () => {
    const [listed] = JSON.parse(await need("list", "--json"));
    return listed.containers.filter(({ name }: { name: string }) => name.includes("worker")).length;
  };
  await waitFor("its end", async () => (await workers()) === 0);
  expect(await stateOfReader()).toMatchObject({ state: "on_demand", workers: { at_work: 0 } });
  expect(Number(await read("three"))).toBeGreaterThan(0);
  expect(await need("down")).toBe("");
});
