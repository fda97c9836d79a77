// Goals that no person types, in the containers of `sett up`: a delivery of GitHub's webhook, a new
// tag and the clock state them at the API's container, an agent's container fulfils them, and the
// log says what each came from.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { randomBytes } from "node:crypto";
import process from "node:process";
import { sign } from "@octokit/webhooks-methods";
import { $ } from "bun";
import type { SettEvent } from "../../lib/model/event.ts";
import { startSett } from "../support/cli/sett-process.ts";
import { nightly } from "../support/nightly.ts";
import { freePort } from "../support/redis/redis-server.ts";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { github } from "../support/triggers/forge-payloads.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(300_000);

const secret = randomBytes(32).toString("hex");
/** Ends each goal with its first line. */
const worker = `jq '{structural_type: "Terminal", artefact_type: "Done", artefact_payload: (.target_artefact.payload | split("\\n")[0]), summary: "done"}'\n`;

let sett: SettWorkspace;
let top: string;
let port: number;
/** `sett watch`, which follows the log from its beginning. */
let watching: ReturnType<typeof startSett>;

const agents = { worker: "    bids:\n      - { on: GoalDefined, bid: exclusive }\n" };

beforeAll(async () => {
  port = await freePort();
  top = `secrets: { hook: { environment: HOOK_SECRET } }
services: { api: { port: ${port}, tokens: [{ name: ada, secret: hook, may: [read] }] } }
triggers:
  push:
    webhook: { forge: github, secret: hook, events: [push], branches: [main] }
    goal: "Check {{ branch }} at {{ commit }}: {{ title }}"
  release: { tag: "v*", goal: "Publish {{ tag }} of {{ commit }}" }
  minutely: { cron: "* * * * *", goal: "Sweep at {{ time }}" }
`;
  sett = await SettWorkspace.create({
    ...scriptAgent("worker", worker),
    "sett.yml": settYml(agents, top),
  });
  sett.env = { HOOK_SECRET: secret };
  await sett.up();
  watching = startSett(["watch", "-o", "jsonl"], {
    cwd: sett.folder,
    env: { DOCKER_HOST: process.env.DOCKER_HOST ?? "" },
  });
});

afterAll(async () => {
  await watching?.[Symbol.asyncDispose]();
  await sett?.[Symbol.asyncDispose]();
});

/** As GitHub posts it: `by` is what it is signed with; `id` stays where it posts it again. */
async function deliver(
  event: string,
  payload: unknown,
  { by = secret, id = crypto.randomUUID() as string } = {},
) {
  const body = JSON.stringify(payload);
  const headers = {
    "content-type": "application/json",
    "user-agent": "GitHub-Hookshot/044aadd",
    "x-github-delivery": id,
    "x-github-event": event,
    "x-hub-signature-256": await sign(by, body),
  };
  const answer = await fetch(`http://127.0.0.1:${port}/hooks/push`, {
    method: "POST",
    body,
    headers,
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, string> };
}

/** The log so far, as `sett watch` prints it. */
function events(): SettEvent[] {
  const lines = watching.out().split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as SettEvent);
}

function recordOf(trigger: string): SettEvent[] {
  return events().filter(
    ({ type, actor }) => type.startsWith("trigger_") && actor === `trigger:${trigger}`,
  );
}

async function recorded(trigger: string, count = 1): Promise<SettEvent[]> {
  const enough = () => recordOf(trigger).length >= count && recordOf(trigger);
  return await waitFor(`${count} on record of ${trigger}`, enough, { everyMs: 50 });
}

/**
 * The goal's text, which may end with a line about values from outside, and what the agent has made
 * of it, once the goal is achieved.
 */
async function achieved(
  goal: string | undefined,
): Promise<Record<"text" | "by" | "made" | "commit", string>> {
  if (goal === undefined) throw new Error("The event names no goal.");
  const isEnd = ({ type, goal_id, data }: SettEvent) =>
    type === "artefact_created" && goal_id === goal && data?.structural_type === "Terminal";
  await waitFor("the agent to fulfil the goal", () => events().some(isEnd), { everyMs: 50 });
  const [stated, done, ...more] = await sett.artefacts(goal);
  expect(more).toEqual([]);
  const { payload: text = "", metadata: { commit = "" } = {} } = stated ?? {};
  return { text, by: done?.produced_by_agent ?? "", made: done?.payload ?? "", commit };
}

test("a signed push states a goal that an agent fulfils, and a second delivery of it finds that goal", async () => {
  const head = await sett.git("rev-parse", "HEAD");
  const push = github.push({
    after: head,
    head_commit: { id: head, message: "Paint the door", timestamp: "2026-11-24T11:00:00Z" },
  });
  expect(await deliver("ping", github.ping())).toMatchObject({
    status: 200,
    body: { outcome: "ping" },
  });
  const delivery = { id: crypto.randomUUID() };
  const first = await deliver("push", push, delivery);
  const id = first.body.id ?? "";
  expect(first).toEqual({ status: 202, body: { outcome: "fired", id: expect.any(String) } });
  expect(await deliver("push", push, delivery)).toEqual({
    status: 200,
    body: { outcome: "repeat", id },
  });

  const text = `Check main at ${head}: “Paint the door”`;
  const goal = await achieved(id);
  expect(goal).toEqual({ text: goal.text, by: "worker", made: text, commit: head });
  expect(goal.text).toStartWith(`${text}\n`);
});

test("what is signed with another secret leaves no trace, and a push to another branch is on record without a goal", async () => {
  expect(await deliver("push", github.push(), { by: "guessed" })).toMatchObject({
    status: 401,
    body: { code: "not-authenticated" },
  });
  const aside = await deliver("push", github.push({ ref: "refs/heads/aside" }));
  expect(aside).toMatchObject({ status: 200, body: { outcome: "skipped" } });
  const record = await recorded("push", 2);
  expect(record.map(({ type, data }) => [type, data?.kind, data?.cause])).toEqual([
    ["trigger_fired", "webhook", "push main"],
    ["trigger_skipped", "webhook", "push aside"],
  ]);
});

test("a new tag of the repository states a goal at its commit, and one of another name none", async () => {
  const field = ["redis-cli", "HEXISTS", `sett:${sett.name}:trigger:release`, "since"];
  const isSeen = async () =>
    (await $`docker exec sett-${sett.name}-redis ${field}`.text()).trim() === "1";
  await waitFor("the API to know the tags that are there", isSeen);
  const commit = await sett.commit("Release it");
  await sett.git("tag", "draft");
  await sett.git("tag", "--annotate", "--message", "1.2.0", "v1.2.0");
  const [fired] = await recorded("release");
  expect([fired?.type, fired?.data?.kind, fired?.data?.cause]).toEqual([
    "trigger_fired",
    "tag",
    "tag v1.2.0",
  ]);
  const text = `Publish v1.2.0 of ${commit}`;
  const goal = await achieved(fired?.goal_id);
  expect(goal).toEqual({ text: goal.text, by: "worker", made: text, commit });
  expect(goal.text).toStartWith(`${text}\n`);
});

nightly("a run that is due states its goal at its minute", async () => {
  const [fired] = await recorded("minutely");
  const cause = String(fired?.data?.cause);
  expect([fired?.type, fired?.data?.kind]).toEqual(["trigger_fired", "cron"]);
  expect(cause).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:00\.000Z$/);
  expect(await achieved(fired?.goal_id)).toMatchObject({
    text: `Sweep at ${cause}`,
    by: "worker",
    made: `Sweep at ${cause}`,
  });
});

nightly(
  "`sett up` forgets a trigger that sett.yml no longer has, and keeps the others",
  async () => {
    const known = async () => {
      const triggers = ["redis-cli", "--raw", "KEYS", `sett:${sett.name}:trigger:*`];
      const keys = (await $`docker exec sett-${sett.name}-redis ${triggers}`.text())
        .trim()
        .split("\n");
      return keys.map((key) => key.split(":").at(-1)).toSorted();
    };
    expect(await known()).toEqual(["minutely", "release"]);
    await sett.write({ "sett.yml": settYml(agents, top.replace(/^ {2}release:.*\n/m, "")) });
    await sett.commit("Publish by hand");
    await sett.up();
    expect(await known()).toEqual(["minutely"]);
  },
);
