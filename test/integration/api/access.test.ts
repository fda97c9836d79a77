import { afterAll, beforeAll, expect, test } from "bun:test";
import { defaultLimits } from "../../../apps/api/deps.ts";
import { systemClock } from "../../../lib/async/clock.ts";
import { ApiScene, type TokenName, textAt } from "../../support/api/api-scene.ts";

let scene: ApiScene;

beforeAll(async () => {
  scene = await ApiScene.start(
    { coder: {} },
    { orchestrator: false, deps: { origins: ["https://board.example.org"] } },
  );
});

afterAll(async () => await scene[Symbol.asyncDispose]());

const id = "00000000-0000-4000-8000-000000000000";
const reads = [
  ...[
    "instance",
    "goals",
    `goals/${id}`,
    `goals/${id}/graph`,
    `goals/${id}/costs`,
    `goals/${id}/result`,
    "artefacts",
    `artefacts/${id}`,
  ],
  ...[
    `artefacts/${id}/content`,
    `artefacts/${id}/context`,
    `artefacts/${id}/why`,
    `artefacts/${id}/brief`,
    `artefacts/${id}/files`,
    `artefacts/${id}/diff`,
    `artefacts/${id}/transcript`,
    `artefacts/${id}/output/stderr`,
    `artefacts/${id}/statement`,
  ],
  ...[
    "claims",
    `claims/${id}`,
    "events",
    "inquiries",
    "questions",
    `questions/${id}/statement`,
    "approvals",
    "agents",
    "agents/coder/logs",
  ],
];
const writes: [path: string, token: TokenName, body?: object][] = [
  ["goals", "forager", { text: "x" }],
  ["artefacts", "poster", { type: "Note", text: "x" }],
  [`goals/${id}/cancel`, "controller"],
  [`goals/${id}/pause`, "controller"],
  [`goals/${id}/resume`, "controller"],
  [`goals/${id}/tell`, "answerer", { text: "x" }],
  [`goals/${id}/budget`, "raiser", { add: "1usd" }],
  [`claims/${id}/retry`, "controller"],
  [`artefacts/${id}/retry`, "controller"],
  [`questions/${id}/answer`, "answerer", { text: "x" }],
  [`artefacts/${id}/approve`, "approver"],
  [`artefacts/${id}/reject`, "approver", { reason: "x" }],
  ["pause", "controller"],
  ["resume", "controller"],
];

/** They have a signature in place of a token: webhook-triggers.test.ts. */
const signed = ["post /hooks/{name}"];

test("every address of the document is in these lists", () => {
  const routes = scene.app.openAPIRegistry.definitions.flatMap((one) =>
    one.type === "route" ? [`${one.route.method} ${one.route.path}`] : [],
  );
  const listed = [
    ...signed,
    ...reads.map((path) => `get /v1/${path}`),
    ...writes.map(([path]) => `post /v1/${path}`),
  ];
  const asRoute = (path: string) =>
    path.replace(id, "{id}").replace("coder", "{name}").replace("stderr", "{stream}");
  expect(routes.toSorted()).toEqual(listed.map(asRoute).toSorted());
});

test("without a token every address is refused, and nothing is said about what is there", async () => {
  for (const path of reads) {
    const refused = await scene.get(`/v1/${path}`, { as: "stranger" });
    expect(refused).toMatchObject({ status: 401, body: { code: "not-authenticated" } });
    expect(refused.headers.get("www-authenticate")).toBe('Bearer realm="sett"');
  }
  for (const [path, , body] of writes)
    expect((await scene.post(`/v1/${path}`, body, { as: "stranger" })).status).toBe(401);
  expect(await scene.get("/v1/nothing", { as: "stranger" })).toMatchObject({ status: 401 });
});

test("every read needs the right to read, and every write the right of its own, and no other", async () => {
  for (const path of reads)
    expect(await scene.get(`/v1/${path}`, { as: "writer" })).toMatchObject({
      status: 403,
      body: { code: "not-allowed" },
    });
  const tokens: TokenName[] = [
    "reader",
    "forager",
    "poster",
    "answerer",
    "raiser",
    "approver",
    "controller",
  ];
  for (const [path, own, body] of writes) {
    for (const as of tokens) {
      const { status, body: problem } = await scene.post(`/v1/${path}`, body, { as });
      if (as === own) expect(status).not.toBe(403);
      else
        expect(problem).toMatchObject({
          status: 403,
          code: "not-allowed",
          detail: expect.stringContaining(`the token ${as} may read`),
        });
    }
  }
}, 120_000);

test("a token is found only by its whole text, however it is written", async () => {
  const { all } = scene.tokens;
  const ask = async (authorization: string) =>
    (await scene.get("/v1/goals", { as: "stranger", headers: { authorization } })).status;
  expect(await ask(`bearer ${all}`)).toBe(200);
  expect(await ask(`Bearer   ${all} `)).toBe(200);
  for (const wrong of [
    all,
    `Basic ${all}`,
    `Bearer ${all.slice(0, -1)}`,
    `Bearer ${all}x`,
    "Bearer",
    "Bearer ",
    `Bearer ${all} ${all}`,
    `Bearer ${"x".repeat(9_000)}`,
  ])
    expect(await ask(wrong)).toBe(401);
});

/** Returns what the page gets for a token. */
async function sessionFor(token: string): Promise<string | undefined> {
  const answer = await fetch(`${scene.url}/open`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
  });
  expect(answer.headers.get("set-cookie")).toBeNull();
  return answer.status === 200 ? (Object(await answer.json()).session as string) : undefined;
}

test("the page signs in with a token, and gets a session that is no token", async () => {
  const session = (await sessionFor(scene.tokens.all)) ?? "";
  expect(session).toMatch(/^all\.\d+\.[\w-]{43}$/);
  expect(session).not.toContain(scene.tokens.all);
  const ask = async (headers: Record<string, string>) =>
    (await scene.get("/v1/goals", { as: "stranger", headers })).status;
  const bearing = (text: string) => ask({ authorization: `Bearer ${text}` });
  expect(await bearing(session)).toBe(200);
  expect(await bearing(session.replace("all.", "reader."))).toBe(401);
  expect(
    await bearing(session.replace(/\.\d+\./, (found) => `.${Number(found.slice(1, -1)) + 1}.`)),
  ).toBe(401);
  for (const wrong of ["wrong", "", session]) expect(await sessionFor(wrong)).toBeUndefined();
  expect((await fetch(`${scene.url}/open`, { method: "POST" })).status).toBe(401);
  // A browser sends cookies by itself, whatever page asks it to: none counts.
  expect(await ask({ cookie: `sett_session=${session}` })).toBe(401);
});

test("no other origin reads an answer, but one that is named", async () => {
  const from = (origin: string) => scene.get("/v1/goals", { headers: { origin } });
  const other = await from("https://evil.example");
  expect(other.headers.has("access-control-allow-origin")).toBe(false);
  const named = await from("https://board.example.org");
  expect(named.headers.get("access-control-allow-origin")).toBe("https://board.example.org");
  expect(named.headers.has("access-control-allow-credentials")).toBe(false);
  const preflight = await scene.ask("OPTIONS", "/v1/goals", {
    as: "stranger",
    headers: { origin: "https://board.example.org" },
  });
  expect(preflight).toMatchObject({ status: 204, text: "" });
  expect(
    (
      await scene.ask("OPTIONS", "/v1/goals", {
        as: "stranger",
        headers: { origin: "https://evil.example" },
      })
    ).status,
  ).toBe(401);
});

test("every answer has the headers that keep a browser safe, refusals too", async () => {
  for (const path of ["/healthz", "/v1/goals", "/v1/nothing", `/v1/artefacts/${id}/content`, "/"]) {
    const { headers } = await scene.get(path);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cache-control")).toBe("no-store");
  }
});

/** What a token may ask for fills again with time, of which a busy machine takes much. */
const standing = { ...systemClock, passedMs: () => 0 };

test("a token that asks too often waits, and others do not", async () => {
  const limits = { ...defaultLimits, requestsPerMinute: 20, writesPerMinute: 3 };
  await using small = await ApiScene.start(
    {},
    { redis: scene.redis, orchestrator: false, deps: { limits, clock: standing } },
  );
  const statuses: number[] = [];
  for (let count = 0; count < 5; count += 1)
    statuses.push((await small.post("/v1/goals", { text: "x" })).status);
  expect(statuses).toEqual([503, 503, 503, 429, 429]);
  for (let count = 0; count < 15; count += 1)
    expect((await small.get("/v1/goals")).status).toBe(200);
  const refused = await small.get("/v1/goals");
  expect(refused).toMatchObject({ status: 429, body: { code: "too-many-requests" } });
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await small.get("/v1/goals", { as: "reader" })).status).toBe(200);
});

test("a write that was refused for want of a right is on record, too", async () => {
  await scene.post("/v1/pause", {}, { as: "reader" });
  const [call] = await scene.clan.board.readEventsBefore(undefined, 1);
  expect(call).toMatchObject({
    type: "api_called",
    actor: "person:reader",
    data: { path: "/v1/pause", status: 403, token: "reader" },
  });
});

test("every answer is counted by its status, also one that refuses", async () => {
  const limits = { ...defaultLimits, requestsPerMinute: 5 };
  await using small = await ApiScene.start(
    {},
    { redis: scene.redis, orchestrator: false, deps: { limits, clock: standing } },
  );
  await small.get("/v1/instance");
  await small.get("/v1/instance", { as: "stranger" });
  await small.get("/v1/instance", { as: "writer" });
  await small.get("/v1/nothing");
  await small.post("/v1/goals", { text: "x" }, { as: "stranger" });
  await small.post("/v1/pause", {}, { as: "reader" });
  await small.get("/mcp", { as: "stranger" });
  for (let count = 0; count < 4; count += 1) await small.get("/v1/goals");
  const { values } = await small.metrics.requests.get();
  const counted = Object.fromEntries(
    values.map(({ labels, value }) => [`${labels.method} ${labels.status}`, value]),
  );
  const reads = { "GET 200": 4, "GET 401": 2, "GET 403": 1, "GET 404": 1, "GET 429": 1 };
  expect(counted).toEqual({ ...reads, "POST 401": 1, "POST 403": 1 });
});

test("the document is there without a token, and names every problem", async () => {
  const { status, body } = await scene.get("/v1/openapi.json", { as: "stranger" });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    openapi: "3.1.0",
    info: { title: "Sett" },
    components: { securitySchemes: { bearer: { type: "http" } } },
  });
  expect(
    textAt(
      { body, text: "", status, headers: new Headers() },
      "components.schemas.Problem.description",
    ),
  ).toContain("RFC 9457");
});
