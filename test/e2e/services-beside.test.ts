// Services beside an agent: each grant has a Redis of its own, which nothing else reaches.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { SettWorkspace } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(300_000);

/** Speaks to Redis as the shell does, counts up, and says what is there. */
const tool = `
exec 3<>/dev/tcp/127.0.0.1/6379
printf 'INCR runs\\r\\nQUIT\\r\\n' >&3
answer=$(tr -d '\\r' <&3 | head -1)
jq -n --arg answer "$answer" --arg networks "$(ls /sys/class/net | tr '\\n' ' ')" \\
  '{artefact_type: "Report", artefact_payload: "\\($answer) \\($networks)", summary: ""}'
`;

const agent = (name: string, rest: string, redis = 'image: "sett/redis:latest"') => `  ${name}:
    image: sett/agent-base:latest
    command: ["bash", "-c", ${JSON.stringify(tool)}]
    bids: [{ on: GoalDefined, bid: claim }]
${rest}    services:
      store: { ${redis}, command: ["--save", "", "--appendonly", "no"], ready: ["redis-cli", "ping"], resources: { limits: { memory: 64M } } }
`;

const yml = `version: '1.0'
agents:
${agent("fresh", "")}${agent("lasting", "    strategy: reuse\n    on_demand: true\n")}`;

let sett: SettWorkspace;

beforeAll(async () => {
  sett = await SettWorkspace.create({ "sett.yml": yml });
  await sett.up();
});

afterAll(async () => {
  await sett?.[Symbol.asyncDispose]();
});

const reportsOf = async (text: string) => {
  const goal = await sett.forage(text);
  return await waitFor("both reports", async () => {
    const found = (await sett.artefacts(goal)).filter(({ type }) => type === "Report");
    const reports = found.map(({ produced_by_agent: by, payload }) => [by, payload] as const);
    return found.length === 2 ? Object.fromEntries(reports) : undefined;
  });
};

test("each grant has a new service, or one that stays as long as the worker, which nothing else reaches", async () => {
  expect(await reportsOf("one")).toEqual({ fresh: ":1 lo ", lasting: ":1 lo " });
  expect(await reportsOf("two")).toEqual({ fresh: ":1 lo ", lasting: ":2 lo " });
  await waitFor("what the service has printed", async () => {
    const lines = (await sett.need("logs", "fresh")).split("\n");
    const said = lines.filter((line) => line.includes('"service":"store"'));
    return said.some((line) => line.includes("Ready to accept connections"));
  });
});
