// Bodies that stall: of strangers that know the address of a webhook, and of callers that are
// known.
import { expect, test } from "bun:test";
import { connect } from "node:net";
import { sign } from "@octokit/webhooks-methods";
import { defaultLimits, type Limits, type Repository } from "../../../apps/api/deps.ts";
import { Trigger } from "../../../lib/model/trigger.ts";
import { ApiScene } from "../../support/api/api-scene.ts";
import { pourBody } from "../../support/http/pour-body.ts";
import { nightly } from "../../support/nightly.ts";
import { github } from "../../support/triggers/forge-payloads.ts";
import { waitFor } from "../../support/wait-for.ts";

const secret = "It's a Secret to Everybody";
const trigger = Trigger.parse({
  ...{
    kind: "webhook",
    name: "pr",
    forge: "github",
    secret: "hook",
    events: ["push"],
    branches: [],
    people: [],
  },
  goal: "Build",
});
const mebibyte = 1024 * 1024;
const formOfSignature = `sha256=${"0".repeat(64)}`;

type Settings = Partial<Pick<Limits, "bodies" | "hookBodies" | "brought">> & {
  repository?: Repository;
};

const start = ({ repository, ...limits }: Settings) =>
  ApiScene.start(
    {},
    {
      orchestrator: false,
      deps: {
        limits: { ...defaultLimits, ...limits },
        ...(repository !== undefined && { repository }),
        triggers: [trigger],
        secretOf: async () => secret,
      },
    },
  );

/** A request that sends all but the last byte of what it announces. */
function stall(scene: ApiScene, path: string, headers: Record<string, string>, bytes: number) {
  const { hostname, port } = new URL(scene.url);
  const socket = connect(Number(port), hostname);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const stalled = { answer: "", isClosed: false, [Symbol.dispose]: () => void socket.destroy() };
  socket.on("error", () => undefined);
  socket.once("close", () => {
    stalled.isClosed = true;
  });
  socket.on("data", (chunk) => {
    stalled.answer += String(chunk);
  });
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes + 1}\r\n${lines.join("")}\r\n`,
  );
  socket.write(Buffer.alloc(bytes, "x"));
  return stalled;
}

async function ping(scene: ApiScene): Promise<number> {
  const body = JSON.stringify(github.ping());
  const headers = { "x-github-event": "ping", "x-hub-signature-256": await sign(secret, body) };
  return (await scene.ask("POST", "/hooks/pr", { as: "stranger", body, headers })).status;
}

test("a delivery that no body can make good is refused before its body has come", async () => {
  await using scene = await start({});
  using stalled = new DisposableStack();
  const without = stalled.use(stall(scene, "/hooks/pr", {}, 1));
  const wrong = stalled.use(
    stall(scene, "/hooks/pr", { "X-Hub-Signature-256": "sha256=guessed" }, 1),
  );
  await waitFor("both answers", () => without.answer !== "" && wrong.answer !== "");
  for (const { answer } of [without, wrong]) expect(answer).toStartWith("HTTP/1.1 401");
});

nightly(
  "strangers whose bodies stall push each other out, and a forge is heard meanwhile",
  async () => {
    const hookBodies = { deadlineMs: 60_000, maxHeldBytes: 8 * mebibyte };
    await using scene = await start({ hookBodies });
    using open = new DisposableStack();
    const headers = { "X-Hub-Signature-256": formOfSignature };
    const stalled = Array.from({ length: 40 }, () =>
      open.use(stall(scene, "/hooks/pr", headers, 3 * mebibyte)),
    );
    // Two of three MiB have room.
    await waitFor(
      "all others to be given up",
      () => stalled.filter(({ answer }) => answer !== "").length >= 38,
    );
    for (const { answer } of stalled) if (answer !== "") expect(answer).toStartWith("HTTP/1.1 429");
    expect(await ping(scene)).toBe(200);
    expect(stalled.filter(({ answer }) => answer === "").length).toBeGreaterThanOrEqual(1);
  },
  120_000,
);

test("a body of a stranger, and one of a token, has a time", async () => {
  const soon = { deadlineMs: 500, maxHeldBytes: 8 * mebibyte };
  await using scene = await start({ hookBodies: soon, bodies: soon });
  using open = new DisposableStack();
  const known = { Authorization: `Bearer ${scene.tokens.all}`, "Content-Type": "application/json" };
  const bodies = [
    open.use(stall(scene, "/hooks/pr", { "X-Hub-Signature-256": formOfSignature }, 100)),
    ...["/v1/goals", "/mcp", "/v1/board/readInstance"].map((path) =>
      open.use(stall(scene, path, known, 1)),
    ),
  ];
  await waitFor("an answer to each", () => bodies.every(({ answer }) => answer !== ""));
  for (const { answer } of bodies) expect(answer).toStartWith("HTTP/1.1 408");
  await waitFor("the connections to be ended", () => bodies.every(({ isClosed }) => isClosed));
}, 120_000);

test("a token whose packs stall keeps no other from bringing a commit", async () => {
  const repository = { bring: async () => {} } as unknown as Repository;
  await using scene = await start({ repository });
  using open = new DisposableStack();
  const path = `/v1/board/commits/${"1".repeat(40)}`;
  const known = { Authorization: `Bearer ${scene.tokens.poster}` };
  const packs = Array.from({ length: 4 }, () => open.use(stall(scene, path, known, 100)));
  const answered = () => packs.filter(({ answer }) => answer !== "");
  await waitFor("two to be refused", () => answered().length === 2);
  for (const { answer } of answered()) expect(answer).toStartWith("HTTP/1.1 429");
  const other = await scene.ask("POST", path, { as: "forager", body: "a pack" });
  expect(other.status).toBe(201);
}, 120_000);

test("a token that has brought its commits of a day brings no more, and others do", async () => {
  const taken: string[] = [];
  const bring: Repository["bring"] = async (_, commit) => void taken.push(commit);
  const repository = { bring } as unknown as Repository;
  await using scene = await start({ repository, brought: { bytes: 100, commits: 3 } });
  const send = async (digit: number, as: "poster" | "forager", bytes: number) => {
    const path = `/v1/board/commits/${String(digit).repeat(40)}`;
    return (await scene.ask("POST", path, { as, body: "x".repeat(bytes) })).status;
  };
  expect(await send(1, "poster", 60)).toBe(201);
  // What came counts, also where it was refused.
  expect(await send(2, "poster", 60)).toBe(413);
  expect(await send(3, "poster", 1)).toBe(413);
  for (const digit of [4, 5, 6]) expect(await send(digit, "forager", 1)).toBe(201);
  expect(await send(7, "forager", 1)).toBe(413);
  expect(taken.map(([digit]) => digit).join("")).toBe("1456");
});

test.each([true, false])(
  "a connection ends behind an answer that does not wait for the body (silent: %p)",
  async (isSilent) => {
    await using scene = await start({});
    using open = new DisposableStack();
    const json = { "Content-Type": "application/json" };
    const known = { Authorization: `Bearer ${scene.tokens.all}`, ...json };
    const refused = {
      "/hooks/pr": {},
      "/hooks/none": {},
      "/v1/goals": json,
      "/mcp": json,
      "/open": {},
      "/elsewhere": {},
    };
    const senders = Object.entries(refused).map(([path, headers]) =>
      open.use(pourBody(scene.url, path, headers, { isSilent })),
    );
    if (!isSilent) senders.push(open.use(pourBody(scene.url, "/v1/goals", known, { isSilent })));
    await waitFor("the connections to be ended", () => senders.every(({ isClosed }) => isClosed));
    for (const { answer, sentBytes } of senders) {
      // A client that does not end may be cut off while it sends, and lose the answer.
      if (isSilent) expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
      expect(sentBytes).toBeLessThan(32 * mebibyte);
    }
  },
  120_000,
);

test("a connection stays for the next request where the whole body was read", async () => {
  await using scene = await start({});
  const answer = await scene.post("/v1/goals", { text: 7 });
  expect([answer.status, answer.headers.get("connection")]).toEqual([422, null]);
});

test("a client reads why its body is too large, though it sends all of it", async () => {
  await using scene = await start({});
  using open = new DisposableStack();
  const headers = {
    Authorization: `Bearer ${scene.tokens.all}`,
    "Content-Type": "application/json",
  };
  const sender = open.use(
    pourBody(scene.url, "/v1/goals", headers, { isSilent: false, chunks: 100 }),
  );
  await waitFor("the whole answer", () => sender.answer.includes('"code":"too-large"'));
  expect(sender.answer).toStartWith("HTTP/1.1 413");
}, 120_000);
