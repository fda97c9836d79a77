// People in the loop: an approval given and one refused; by night, in real containers, questions
// that outlive restarts.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { $ } from "bun";
import { isNight, nightly } from "../support/nightly.ts";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(300_000);

/**
 * Asks `question` until there is an answer; `result` is a jq filter that makes the output of
 * `$answer`.
 */
const asking = (question: string, result: string) => `
answer=$(jq -r '[.additional_context[] | select(.structural_type == "Answer").payload] | last // empty')
if [ -z "$answer" ]; then jq -n '{structural_type: "Question", payload: "${question}"}'
else jq -n --arg answer "$answer" '${result}'; fi`;

const planning = `
case $(jq -r .target_artefact.type) in Plan) plan=on-monday ;; *) plan=on-friday ;; esac
jq -n --arg plan "$plan" '{artefact_type: "Plan", artefact_payload: $plan, summary: ""}'`;

let sett: SettWorkspace;

beforeAll(async () => {
  sett = await SettWorkspace.create({
    ...scriptAgent(
      "coder",
      asking(
        "Which licence?",
        '{artefact_type: "Licence", artefact_payload: $answer, summary: ""}',
      ),
    ),
    ...scriptAgent(
      "checker",
      asking(
        "Is it allowed?",
        '{structural_type: "Terminal", artefact_type: "End", artefact_payload: $answer, summary: ""}',
      ),
    ),
    ...scriptAgent("planner", planning),
    ...scriptAgent(
      "packager",
      `jq '{structural_type: "Terminal", artefact_type: "End", artefact_payload: .target_artefact.payload, summary: ""}'`,
    ),
    "sett.yml": `${settYml({
      coder: "    bids:\n      - { on: GoalDefined, bid: exclusive }\n",
      checker:
        "    replicas: 2\n    strategy: fresh_per_call\n    bids:\n      - { on: Licence, bid: exclusive }\n",
      planner: "    bids:\n      - { on: GoalDefined, bid: claim }\n",
      packager: "    bids:\n      - { on: Plan, bid: exclusive }\n",
    })}  lead: { human: true, bids: [{ on: Plan, bid: review }] }\n`,
  });
  await sett.commit("Add a sett");
  await sett.need("up", "--name", sett.name, ...(isNight ? [] : ["--runtime", "process"]));
});

afterAll(async () => {
  await sett[Symbol.asyncDispose]();
});

type Listed = { id: string; kind: string; goal_id: string; text: string };

async function questionOf(goal: string, text: string): Promise<string> {
  const found = await waitFor(
    `the question ${text}`,
    async () => {
      // While Redis is away the CLI says so and fails; the test looks again.
      const { code, out } = await sett.look("questions", "--json", "--goal", goal);
      const listed: Listed[] = code === 0 ? JSON.parse(out) : [];
      return listed.find((question) => question.text.includes(text));
    },
    { everyMs: 200 },
  );
  return found.id;
}

async function restartEverything(agent: string): Promise<void> {
  await sett.kill("orchestrator");
  await sett.killRedis();
  await sett.kill(agent);
  await waitFor(
    "everybody to be back",
    async () => (await sett.look("status", "--json")).code === 0,
    { everyMs: 200 },
  );
}

const artefactOf = (goal: string, type: string, version = 1) =>
  waitFor(
    `a ${type}`,
    async () =>
      (await sett.artefacts(goal)).find(
        (artefact) => artefact.type === type && artefact.version === version,
      ),
    { everyMs: 200 },
  );

nightly(
  "an agent and a worker ask; orchestrator, cub and Redis are restarted before each answer, and the work goes on",
  async () => {
    const goal = await sett.forage("license it");
    const first = await questionOf(goal, "Which licence?");
    await restartEverything("agent-coder");
    await waitFor(
      "the answer to be taken",
      async () => (await sett.sett("answer", first, "MIT")).code === 0,
      { everyMs: 500 },
    );
    const second = await questionOf(goal, "Is it allowed?");
    const workers = () =>
      $`docker ps -aq --filter label=dev.sett.instance=${sett.name} --filter label=dev.sett.component=worker`;
    // Nothing runs for who waits.
    await waitFor("the worker to be gone", async () => (await workers().text()).trim() === "");
    await restartEverything("agent-checker");
    await waitFor(
      "the answer to be taken",
      async () => (await sett.sett("answer", second, "yes")).code === 0,
      { everyMs: 500 },
    );
    const end = await artefactOf(goal, "End");
    expect(end.payload).toBe("yes");
    const events = await sett.events(goal);
    const started = events.filter(({ type }) => type === "grant_started");
    expect(
      started
        .map(({ agent, data }) => [agent, data?.attempt])
        .filter(([agent]) => agent !== "planner"),
    ).toEqual([
      ["coder", 1],
      ["coder", 2],
      ["checker", 1],
      ["checker", 2],
    ]);
    // Where each attempt ran is on record.
    for (const { actor, agent } of started)
      expect(actor).toMatch(new RegExp(`^agent:${agent}@[0-9a-f]{12}$`));
    const answers = events.filter(({ data }) => data?.structural_type === "Answer");
    expect(answers.map(({ actor }) => actor)).toEqual(
      Array(2).fill("person:Ada Lovelace <ada@sett.invalid>"),
    );
  },
);

test("a plan that is rejected is made again, and work goes on once it is approved", async () => {
  const goal = await sett.forage("plan it");
  const plan = await artefactOf(goal, "Plan");
  const rejected = await sett.sett("reject", plan.id, "--reason", "Not on a Friday.");
  expect([rejected.code, rejected.err]).toEqual([0, expect.any(String)]);
  const next = await artefactOf(goal, "Plan", 2);
  expect((await sett.sett("approve", next.id, "--as", "Grace Hopper")).code).toBe(0);
  expect((await artefactOf(goal, "End")).source_artefacts).toContain(next.id);
  const reviews = (await sett.artefacts(goal)).filter(
    ({ structural_type }) => structural_type === "Review",
  );
  expect(reviews.map(({ payload }) => payload)).toEqual(['{"reason":"Not on a Friday."}', "{}"]);
  const verdicts = (await sett.events(goal)).filter(
    ({ type, agent }) => type === "grant_done" && agent === "lead",
  );
  expect(verdicts.map(({ actor }) => actor)).toEqual([
    "person:Ada Lovelace <ada@sett.invalid>",
    "person:Grace Hopper",
  ]);
});
