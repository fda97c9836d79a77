// `tools` of sett.yml: addresses, headers, and who names them.
import { expect, test } from "bun:test";
import { formatProblem } from "../../../../lib/config/problems.ts";
import { readConfig } from "../../../../lib/config/read-config.ts";
import { configFolder, mistakesIn } from "../../../support/config/config-file.ts";

const models = "models: { m: { provider: openai, model: gpt-5, key: $KEY } }\n";
const agent = (tools: string, more = "model: m") =>
  `version: '1.0'\n${models}agents:\n  a: { image: x, command: [x], ${more}, tools: ${tools} }\n`;
const host = { KEY: "sk-1", TOKEN: "token-of-issues" };
const server = (mcp: string, more = "allow: [get_issue]") =>
  `tools:\n  issues: { mcp: ${mcp}, ${more} }\n`;

async function read(text: string) {
  await using made = await configFolder({ "sett.yml": text });
  const { config, warnings } = await readConfig(made.path, host);
  return { config, warnings: warnings.map((one) => formatProblem({ ...one, file: "f" })) };
}

test("the headers of a server are apart from what its container is made from", async () => {
  const mcp = '{ url: "https://h/mcp", headers: { Authorization: "Bearer $TOKEN", X-Team: one } }';
  const { config, warnings } = await read(agent("[issues]") + server(mcp));
  expect(warnings).toEqual([]);
  expect(config.tools).toEqual({
    settings: {
      issues: {
        ...{ url: "https://h/mcp", allow: ["get_issue"], calls: 200, answer_length: 100_000 },
        ...{ timeout_ms: 60_000, needs_headers: true },
      },
    },
    headers: {
      issues: {
        headers: { Authorization: "Bearer token-of-issues", "X-Team": "one" },
        hidden: ["token-of-issues"],
      },
    },
  });
  expect(config.agents[0]?.tools).toEqual(["issues"]);
});

test("each mistake has its place and a remedy, and no word of a header's value", async () => {
  const secret = "literal secret\u0007";
  const wrong = server(
    `{ url: "ftp://h", headers: { Authorization: ${JSON.stringify(secret)} } }`,
    "allow: [a b, c, c]",
  );
  const lines = await mistakesIn(agent("[isues, issues]") + wrong, host);
  expect(lines).toEqual([
    "sett.yml:4:50 agents.a.tools[0]: `tools` has no `isues`: did you mean `issues`?",
    "sett.yml:6:25 tools.issues.mcp.url: must be an address such as `https://mcp.example.org/mcp`",
    "sett.yml:6:62 tools.issues.mcp.headers.Authorization: must be ASCII characters in one line",
    "sett.yml:6:98 tools.issues.allow[0]: must be a tool's name, of letters, digits, `_`, `-`, `.` and `/`, or such a name with `@sha256:` and the digest of its description",
    "sett.yml:6:106 tools.issues.allow[2]: names `c` a second time",
  ]);
  expect(lines.join()).not.toContain("literal");
  expect(await mistakesIn(agent("[issues]"), host)).toEqual([
    "sett.yml:4:50 agents.a.tools[0]: `tools` has no `issues`: the file needs `tools`, which say where its server is",
  ]);
  const url = server('{ url: "https://h/" }');
  expect(await mistakesIn(agent("[issues]", "retries: 1") + url, host)).toEqual([
    "sett.yml:4:44 agents.a.tools: need a `model`, whose answers say which of them to call",
  ]);
  expect(
    await mistakesIn(agent("[issues]") + server('{ url: "https://h/" }', "allow: []"), host),
  ).toEqual([
    "sett.yml:6:41 tools.issues.allow: must name a tool, such as `search_issues`: no other can be called",
  ]);
});

test("a price of a call is kept in whole nanodollars, and is no guess of nothing", async () => {
  const mcp = '{ url: "https://h/" }';
  const { config } = await read(
    agent("[issues]") + server(mcp, "allow: [c], price_per_call: 0.07"),
  );
  expect(config.tools.settings.issues).toMatchObject({ call_nanousd: 70_000_000 });
  const [mistake] = await mistakesIn(
    agent("[issues]") + server(mcp, "allow: [c], price_per_call: 0"),
    host,
  );
  expect(mistake).toContain("tools.issues.price_per_call");
});

test("a tool in `ask` is one that agents may call, and is in no other list", async () => {
  const mcp = '{ url: "https://h/" }';
  const { config } = await read(agent("[issues]") + server(mcp, "ask: [create]"));
  expect(config.tools.settings.issues).toMatchObject({ allow: [], ask: ["create"] });
  expect(
    await mistakesIn(agent("[issues]") + server(mcp, "allow: [c, d], ask: [e, c, e]"), host),
  ).toEqual([
    "sett.yml:6:65 tools.issues.ask[1]: names `c`, which `allow` lets agents call without a question: leave it in one of the two",
    "sett.yml:6:68 tools.issues.ask[2]: names `e` a second time",
  ]);
});

test("a server that no agent names, a token in the file, and an address of the gateway itself are warned of", async () => {
  const mcp = '{ url: "http://localhost:1/", headers: { Authorization: "Bearer abc" } }';
  const { warnings } = await read(agent("[]") + server(mcp));
  expect(warnings).toEqual([
    "f:6:3 tools.issues: no agent has `tools: [issues]`",
    expect.stringContaining("tools.issues.mcp.url: is the gateway's own container"),
    "f:6:74 tools.issues.mcp.headers.Authorization: is written into the file, where others can read it: write a variable such as `$TOKEN`",
  ]);
});
