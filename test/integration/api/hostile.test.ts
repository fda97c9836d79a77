import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { defaultLimits } from "../../../apps/api/deps.ts";
import { serve } from "../../../lib/service/serve.ts";
import { ApiScene, textAt } from "../../support/api/api-scene.ts";
import { EventClient } from "../../support/api/event-client.ts";
import { nightly } from "../../support/nightly.ts";
import { waitFor } from "../../support/wait-for.ts";

let scene: ApiScene;

beforeAll(async () => {
  const limits = {
    ...defaultLimits,
    maxBodyBytes: 10_000,
    requestsPerMinute: 100_000,
    writesPerMinute: 100_000,
  };
  scene = await ApiScene.start({ coder: {} }, { orchestrator: false, deps: { limits } });
});

afterAll(async () => {
  // Whatever was sent, nothing was a mistake of the program.
  expect(scene.log.filter((line) => line.includes("A request has failed"))).toEqual([]);
  await scene[Symbol.asyncDispose]();
});

test("a body that is too large is refused, whether it says its length or not", async () => {
  const text = "x".repeat(20_000);
  expect(await scene.post("/v1/goals", { text })).toMatchObject({
    status: 413,
    body: { code: "too-large" },
  });
  const body = new ReadableStream({
    start(controller) {
      for (let count = 0; count < 100; count += 1)
        controller.enqueue(new TextEncoder().encode("x".repeat(1_000)));
      controller.close();
    },
  });
  const answer = await fetch(`${scene.url}/v1/goals`, {
    method: "POST",
    headers: { authorization: `Bearer ${scene.tokens.all}`, "content-type": "application/json" },
    body,
    duplex: "half",
  } as RequestInit);
  expect(answer.status).toBe(413);
  expect(await answer.json()).toMatchObject({ code: "too-large" });
});

test("a body that is no JSON object of the right shape is refused", async () => {
  const bodies = [
    "",
    "{",
    "null",
    "[]",
    "1",
    '"x"',
    '{"text":1}',
    '{"text":"x","more":1}',
    '{"__proto__":{"text":"x"}}',
    '{"text":null}',
    "\u0000",
    '{"text":"x"} trailing',
  ];
  for (const body of bodies)
    expect(await scene.ask("POST", "/v1/goals", { body })).toMatchObject({
      status: 422,
      body: { code: "usage" },
    });
  const latin1 = Buffer.from('{"text":"Grüße"}', "latin1");
  expect(await scene.ask("POST", "/v1/goals", { body: latin1 })).toMatchObject({
    status: 422,
    body: { code: "usage", detail: "The body of the request is not UTF-8 text." },
  });
  const deep = `{"text":${"[".repeat(4_000)}${"]".repeat(4_000)}}`;
  expect(await scene.ask("POST", "/v1/goals", { body: deep })).toMatchObject({ status: 422 });
  for (const type of [
    "text/plain",
    "multipart/form-data; boundary=x",
    "application/x-www-form-urlencoded",
    "application/xml",
  ])
    expect(
      await scene.post("/v1/goals", { text: "x" }, { headers: { "content-type": type } }),
    ).toMatchObject({
      status: 415,
      body: {
        code: "wrong-media-type",
        detail: `The body of the request is ${type}, and the API takes JSON alone.`,
      },
    });
});

test("a body that does not say what it is is refused, and no body needs to say it", async () => {
  const send = (path: string, body?: string) =>
    scene.app.fetch(
      new Request(`${scene.url}${path}`, {
        ...{ method: "POST", headers: { authorization: `Bearer ${scene.tokens.all}` } },
        ...(body !== undefined && { body: new TextEncoder().encode(body) }),
      }),
    );
  const refused = await send("/v1/goals", '{"text":"x"}');
  expect([refused.status, await refused.json()]).toMatchObject([
    415,
    { detail: "The body of the request does not say what it is, and the API takes JSON alone." },
  ]);
  expect((await send("/v1/goals")).status).toBe(422);
  const { status } = await fetch(`${scene.url}/v1/goals/00000000/cancel`, {
    ...{ method: "POST", headers: { authorization: `Bearer ${scene.tokens.all}` } },
  });
  expect(status).toBe(404);
});

test("a cursor that no list has answered is refused", async () => {
  const made = (text: string) => Buffer.from(text).toString("base64url");
  const zeros = "00000000-0000-4000-8000-000000000000";
  for (const cursor of [
    "x",
    "..",
    "%00",
    made("desc.-1.x"),
    made(`desc.1e9.${zeros}`),
    made(`asc.0.${zeros}`),
    made("desc.0.../../etc"),
    "A".repeat(299),
  ])
    expect(await scene.get(`/v1/artefacts?cursor=${encodeURIComponent(cursor)}`)).toMatchObject({
      status: 422,
      body: { code: "usage" },
    });
  // A place that fits, of an entry that is gone: the list goes on from it.
  expect(
    await scene.get(`/v1/artefacts?cursor=${made(`desc.999999999999.${zeros}`)}`),
  ).toMatchObject({ status: 200 });
});

test("limits, ids and names that are none are refused", async () => {
  const wrong = [
    ...[
      "artefacts?limit=0",
      "artefacts?limit=501",
      "artefacts?limit=1e3x",
      "artefacts?limit=-1",
      "artefacts?limit=",
      "artefacts?order=up",
    ],
    ...[
      "artefacts?thread=x",
      "artefacts?structural_type=Nothing",
      "artefacts?unknown=1",
      "artefacts?goal=*",
      "artefacts/*",
      "artefacts/......",
    ],
    ...[
      "artefacts/aaaaaa%00",
      "goals/..%2f..%2f",
      "claims/%2e%2e%2f%2e%2e",
      "events?after=1-2-3",
      "events?type=nothing",
      "events?limit=1.5",
    ],
    ...[
      "agents/x%0a/logs",
      "agents/UPPER/logs",
      "agents/coder/logs?tail=-1",
      "agents/coder/logs?tail=999999",
      "goals/aaaaaa/graph?format=pdf",
    ],
    ...[
      `artefacts/${"a".repeat(10_000)}`,
      `events?actor=${"a".repeat(400)}`,
      "goals?state=running;waiting",
    ],
  ];
  for (const path of wrong) {
    const { status, body } = await scene.get(`/v1/${path}`);
    expect([path, status, body]).toMatchObject([path, 422, { code: "usage" }]);
  }
});

test("paths that lead elsewhere lead nowhere", async () => {
  const paths = [
    "/v1/../healthz/..",
    "/v1/%2e%2e/%2e%2e/etc/passwd",
    "//v1/goals",
    "/v1//goals",
    "/V1/goals",
    "/v1/goals/",
    "/v1/goals%2f",
    "/..;/v1/goals",
    "/v1/goals\\..",
    "/.git/config",
    "/assets/../../etc/passwd",
  ];
  for (const path of paths) {
    const answer = await raw(
      `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${scene.tokens.all}\r\nConnection: close\r\n\r\n`,
    );
    expect([path, answer]).toEqual([path, expect.stringMatching(/^HTTP\/1\.1 (?:404|400|401)/)]);
    expect(answer).not.toContain("root:");
  }
});

test("methods that an address does not have are refused", async () => {
  for (const method of ["PUT", "PATCH", "DELETE", "OPTIONS"])
    expect((await scene.ask(method, "/v1/goals")).status).toBe(404);
  for (const method of ["TRACE", "CONNECT", "X".repeat(500)])
    expect(
      await raw(
        `${method} /v1/goals HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${scene.tokens.all}\r\nConnection: close\r\n\r\n`,
      ),
    ).not.toMatch(/^HTTP\/1\.1 (?:2|5)/);
});

test("headers in a value of the query or of a header stay there", async () => {
  const authorization = `Authorization: Bearer ${scene.tokens.all}`;
  const answer = await raw(
    `GET /v1/artefacts?cursor=a%0d%0aSet-Cookie:%20evil=1 HTTP/1.1\r\nHost: x\r\n${authorization}\r\nConnection: close\r\n\r\n`,
  );
  expect(answer).toContain("HTTP/1.1 422");
  expect(answer.toLowerCase()).not.toContain("evil=1");
  const host = await raw(
    `POST /open HTTP/1.1\r\nHost: x:99;evil\r\n${authorization}\r\nConnection: close\r\n\r\n`,
  );
  expect(host).not.toMatch(/evil/i);
  const key = await scene
    .post("/v1/goals", { text: "x" }, { headers: { "idempotency-key": "é".normalize("NFC") } })
    .catch(() => undefined);
  expect(key?.status ?? 422).toBe(422);
});

test("what is not a request of HTTP is refused, and the next one is answered", async () => {
  for (const bytes of [
    "\0\0\0\0\r\n\r\n",
    "GET\r\n\r\n",
    `GET / HTTP/1.1\r\nHost: x\r\n${"a: b\r\n".repeat(20_000)}\r\n`,
    "POST /v1/goals HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
    "POST /v1/goals HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nzzz\r\n",
  ])
    expect(await raw(bytes)).not.toMatch(/^HTTP\/1\.1 (?:2|5)/);
  expect((await scene.get("/healthz")).status).toBe(200);
});

test("a text of an agent stays a text, in JSON, in the content and in the log", async () => {
  const text = '<script>alert(1)</script>\u001b[31m\u202e{"a":"\u2028"}';
  const goal = await scene.clan.postGoal(text, { metadata: { summary: text } });
  const shown = await scene.get(`/v1/artefacts/${goal.id}`);
  expect(shown.headers.get("content-type")).toBe("application/json");
  expect(textAt(shown, "payload_begins")).toBe(text);
  const content = await scene.get(`/v1/artefacts/${goal.id}/content`);
  expect(content.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  expect(content.headers.get("content-security-policy")).toContain("sandbox");
  expect(content.text).toBe(text);
  const newline = await scene.clan.board.logEvent(
    { type: "cancel_requested", data: { why: "\n\nevent: sett\ndata: {}\n\n" } },
    "person:a\nb",
  );
  await using client = new EventClient(scene, "?after=0");
  await waitFor("the event", () => client.lastId === newline);
  expect(client.events.at(-1)?.data).toEqual({ why: "\n\nevent: sett\ndata: {}\n\n" });
});

test("half a character at the cut of a beginning is no broken answer", async () => {
  const goal = await scene.clan.postGoal(`${"x".repeat(3_999)}😀😀`, {
    metadata: { summary: "x" },
  });
  expect(textAt(await scene.get(`/v1/artefacts/${goal.id}`), "payload_begins")).toBe(
    `${"x".repeat(3_999)}\ufffd`,
  );
});

test("a payload of 16 MB is listed, shown and read, and no list loads it", async () => {
  const goal = await scene.clan.postGoal("y".repeat(16 * 1024 * 1024), {
    metadata: { summary: "Large" },
  });
  const list = await scene.get("/v1/artefacts?limit=1");
  expect(list.body).toMatchObject({ items: [{ id: goal.id, payload_bytes: 16 * 1024 * 1024 }] });
  expect(list.text.length).toBeLessThan(2_000);
  expect((await scene.get(`/v1/artefacts/${goal.id}`)).text.length).toBeLessThan(10_000);
  expect((await scene.get(`/v1/goals/${goal.id}/graph`)).text.length).toBeLessThan(3_000);
  expect((await scene.get(`/v1/artefacts/${goal.id}/content`)).text.length).toBe(16 * 1024 * 1024);
});

test("a thousand connections that send nothing keep no one from an answer", async () => {
  const { hostname, port } = new URL(scene.url);
  const idle = Array.from({ length: 1_000 }, () => connect(Number(port), hostname));
  for (const socket of idle) socket.on("error", () => undefined);
  await Promise.all(
    idle.map((socket) => new Promise((resolve) => socket.once("connect", resolve))),
  );
  for (const socket of idle.slice(0, 500))
    socket.write("GET /v1/goals HTTP/1.1\r\nHost: x\r\nX-Slow: ");
  const answers = await Promise.all(Array.from({ length: 50 }, () => scene.get("/v1/goals")));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 200));
  for (const socket of idle) socket.destroy();
}, 120_000);

nightly(
  "a request that comes letter by letter is ended after a time, and so is one that stops in its body",
  async () => {
    const server = serve({ port: 0, hostname: "127.0.0.1", idleSeconds: 1 }, scene.app.fetch);
    const begin = async (text: string) => {
      const socket = connect(server.port ?? 0, "127.0.0.1");
      socket.on("error", () => undefined);
      socket.write(text);
      return await new Promise<boolean>((resolve) =>
        socket.resume().once("close", () => resolve(true)),
      );
    };
    const head = `POST /v1/goals HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${scene.tokens.all}\r\nContent-Type: application/json\r\n`;
    expect(
      await Promise.all([
        begin("GET /v1/goals HTT"),
        begin(`${head}Content-Length: 100\r\n\r\n{"te`),
        begin(`${head}Idempotency-Key: 1\r\nContent-Length: 100\r\n\r\n{"te`),
      ]),
    ).toEqual([true, true, true]);
    await server.stop();
  },
  120_000,
);

/** The answer to these bytes, or what came of it until the connection ended. */
async function raw(bytes: string): Promise<string> {
  const { hostname, port } = new URL(scene.url);
  const socket: Socket = connect(Number(port), hostname);
  let answer = "";
  socket.on("error", () => undefined);
  socket.on("data", (chunk) => {
    answer += String(chunk);
    // A refusal of what is no request may leave the connection open.
    if (/\r\n\r\n/.test(answer)) socket.end();
  });
  socket.write(bytes, "latin1");
  socket.setTimeout(60_000, () => socket.destroy());
  await new Promise((resolve) => socket.once("close", resolve));
  return answer;
}
