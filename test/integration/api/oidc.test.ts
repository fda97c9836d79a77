import { afterAll, beforeAll, expect, test } from "bun:test";
import { $ } from "bun";
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { OidcSettings } from "../../../apps/api/access/oidc.ts";
import { type Deps, defaultLimits } from "../../../apps/api/deps.ts";
import { systemClock } from "../../../lib/async/clock.ts";
import { serve } from "../../../lib/service/serve.ts";
import { ApiScene } from "../../support/api/api-scene.ts";
import { temporaryFolder } from "../../support/git/sample-repository.ts";
import { nightly } from "../../support/nightly.ts";

type Key = { id: string; algorithm: string; secret: CryptoKey; public: CryptoKey };

/** An identity provider: its keys and its configuration over HTTP. */
class Issuer implements AsyncDisposable {
  keys: Key[] = [];
  isAway = false;
  keysAt: string | undefined;
  readonly #server = serve({ port: 0, hostname: "127.0.0.1" }, async ({ url }) => {
    if (this.isAway) return new Response("", { status: 500 });
    const { pathname } = new URL(url);
    if (pathname === "/.well-known/openid-configuration")
      return Response.json({ issuer: this.url, jwks_uri: this.keysAt ?? `${this.url}/keys` });
    const keys = await Promise.all(
      this.keys.map(async ({ id, algorithm, public: key }) => ({
        ...(await exportJWK(key)),
        kid: id,
        alg: algorithm,
      })),
    );
    return pathname === "/keys" ? Response.json({ keys }) : new Response("", { status: 404 });
  });

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  async addKey(id: string, algorithm: string): Promise<Key> {
    const { privateKey, publicKey } = await generateKeyPair(algorithm);
    const key = { id, algorithm, secret: privateKey, public: publicKey };
    this.keys.push(key);
    return key;
  }

  token(
    claims: JWTPayload,
    { key = this.keys[0], issuer = this.url, audience = "sett", expires = "5m" }: TokenOptions = {},
  ): Promise<string> {
    if (key === undefined) throw new Error("The issuer has no key.");
    return new SignJWT(claims)
      .setProtectedHeader({ alg: key.algorithm, kid: key.id })
      .setIssuer(issuer)
      .setAudience(audience)
      .setIssuedAt()
      .setExpirationTime(expires)
      .sign(key.secret);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop();
  }
}

type TokenOptions = {
  key?: Key | undefined;
  issuer?: string;
  audience?: string | string[];
  expires?: string | number;
};

let issuer: Issuer;
let scene: ApiScene;

beforeAll(async () => {
  issuer = new Issuer();
  await issuer.addKey("first", "ES256");
  const oidc = {
    ...{ issuer: issuer.url, audience: "sett", claim: "groups", name_claim: "email" },
    rights: { developers: ["read" as const, "forage" as const], leads: ["approve" as const] },
  };
  scene = await ApiScene.start({}, { orchestrator: false, deps: { oidc } });
});

/** An API of its own on the same Redis. */
const another = (over: Partial<OidcSettings> = {}, deps: Partial<Deps> = {}) =>
  ApiScene.start(
    {},
    {
      ...{ redis: scene.redis, orchestrator: false },
      deps: {
        ...deps,
        oidc: OidcSettings.parse({
          issuer: issuer.url,
          audience: "sett",
          rights: { developers: ["read", "forage"] },
          ...over,
        }),
      },
    },
  );

const statusAt = async (api: ApiScene, token: string) =>
  (await api.get("/v1/instance", { as: "stranger", headers: { authorization: `Bearer ${token}` } }))
    .status;

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
  await issuer[Symbol.asyncDispose]();
});

const ask = (token: string, path = "/v1/instance") =>
  scene.get(path, { as: "stranger", headers: { authorization: `Bearer ${token}` } });
const ada = { email: "ada@example.org", groups: ["developers", "leads", "others"] };

test("the claims of a token say who it is and what he may do", async () => {
  const answer = await ask(await issuer.token(ada));
  expect(answer).toMatchObject({
    status: 200,
    body: {
      me: {
        name: "ada@example.org",
        actor: "person:ada@example.org",
        rights: ["read", "forage", "approve"],
      },
    },
  });
  const inOneText = await ask(await issuer.token({ sub: "7", groups: "developers others" }));
  expect(inOneText.body).toMatchObject({ me: { name: "7", rights: ["read", "forage"] } });
});

test("a token without a group that is known has no rights", async () => {
  expect(
    await ask(
      await issuer.token({ email: "eve@example.org", groups: ["constructor", "__proto__"] }),
    ),
  ).toMatchObject({
    status: 403,
  });
  expect(await ask(await issuer.token({ email: "eve@example.org" }))).toMatchObject({
    status: 403,
  });
});

test("the name of a group may have spaces, and gives no right of the groups that its words name", async () => {
  const rights = { developers: ["read"], "Release leads": ["read", "approve"] } as const;
  await using api = await another({ rights: OidcSettings.shape.rights.parse(rights) });
  const mayOf = async (groups: string | string[]) => {
    const headers = { authorization: `Bearer ${await issuer.token({ sub: "1", groups })}` };
    const answer = await api.get("/v1/instance", { as: "stranger", headers });
    return answer.status === 200 ? (answer.body as { me: { rights: string[] } }).me.rights : [];
  };
  expect(await mayOf(["no developers", "developers-to-be"])).toEqual([]);
  expect(await mayOf(["Release leads"])).toEqual(["read", "approve"]);
  expect(await mayOf("Release leads")).toEqual(["read", "approve"]);
  // Scopes are one text with spaces.
  expect(await mayOf("openid developers")).toEqual(["read"]);
});

test("a token for others, of others, or that is over, is refused with the reason", async () => {
  const refused = { status: 401, body: { code: "not-authenticated" } };
  expect(await ask(await issuer.token(ada, { audience: "other" }))).toMatchObject(refused);
  expect(await ask(await issuer.token(ada, { issuer: "https://evil.example" }))).toMatchObject(
    refused,
  );
  expect(await ask(await issuer.token(ada, { expires: "-5m" }))).toMatchObject({
    ...refused,
    body: { detail: expect.stringContaining('"exp" claim timestamp check failed') },
  });
  const stranger = new Issuer();
  const theirs = await stranger.addKey("first", "ES256");
  expect(await ask(await issuer.token(ada, { key: theirs }))).toMatchObject(refused);
  await stranger[Symbol.asyncDispose]();
  expect(await ask(await issuer.token({ groups: ["developers"] }))).toMatchObject(refused);
});

test("a token that is not signed, or signed with a secret that others know, is refused", async () => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = {
    ...ada,
    iss: issuer.url,
    aud: "sett",
    exp: Math.floor(Date.now() / 1_000) + 300,
  };
  expect((await ask(`${part({ alg: "none" })}.${part(claims)}.x`)).status).toBe(401);
  const [first] = issuer.keys;
  const jwk = JSON.stringify(
    await exportJWK(first?.public ?? (await issuer.addKey("x", "ES256")).public),
  );
  const shared = await new SignJWT(claims)
    .setProtectedHeader({ alg: "HS256", kid: "first" })
    .sign(new TextEncoder().encode(jwk));
  expect((await ask(shared)).status).toBe(401);
});

test("a key that the issuer adds later is found", async () => {
  const key = await issuer.addKey("second", "RS256");
  // jose asks for the keys again at most once in thirty seconds: a new API has none yet.
  await using later = await another();
  expect(await statusAt(later, await issuer.token(ada, { key }))).toBe(200);
});

test("while the issuer is away its tokens cannot be checked, and named tokens go on", async () => {
  await using fresh = await another();
  const headers = { authorization: `Bearer ${await issuer.token(ada)}` };
  issuer.isAway = true;
  expect(await fresh.get("/v1/instance", { as: "stranger", headers })).toMatchObject({
    status: 503,
    body: { code: "not-ready" },
  });
  expect(fresh.log.join("")).toMatch(/does not answer".*"reason":"http\S+ answers 500\."/);
  expect((await fresh.get("/v1/instance")).status).toBe(200);
  issuer.isAway = false;
  expect((await fresh.get("/v1/instance", { as: "stranger", headers })).status).toBe(200);
});

test("an issuer whose certificate is not trusted is said to have it", async () => {
  using folder = temporaryFolder();
  const files = ["-keyout", `${folder.path}/key.pem`, "-out", `${folder.path}/cert.pem`];
  await $`openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj /CN=x ${files}`.quiet();
  const [cert = "", key = ""] = await Promise.all(
    ["cert", "key"].map((name) => Bun.file(`${folder.path}/${name}.pem`).text()),
  );
  const secure = serve(
    { port: 0, hostname: "127.0.0.1", tls: { cert, key } },
    () => new Response("{}"),
  );
  const url = `https://127.0.0.1:${secure.port}`;
  await using fresh = await another({ issuer: url });
  const headers = { authorization: `Bearer ${await issuer.token(ada, { issuer: url })}` };
  expect(await fresh.get("/v1/instance", { as: "stranger", headers })).toMatchObject({
    status: 503,
    body: { code: "not-ready", hint: expect.stringContaining("certificate") },
  });
  await secure.stop();
});

test("an address that the provider has not verified names no one, and gives no right", async () => {
  for (const email_verified of [false, "false", "False", 0, "0", null, "no"])
    expect(await ask(await issuer.token({ ...ada, sub: "7", email_verified }))).toMatchObject({
      status: 401,
      body: {
        code: "not-authenticated",
        detail: expect.stringContaining("has not verified (`email_verified`)"),
      },
    });
  for (const email_verified of [true, "true", "True", 1, undefined])
    expect((await ask(await issuer.token({ ...ada, sub: "7", email_verified }))).status).toBe(200);
  // Where another claim says who it is, the address does not count.
  await using bySubject = await another({ name_claim: "sub" });
  expect(
    await statusAt(bySubject, await issuer.token({ ...ada, sub: "7", email_verified: false })),
  ).toBe(200);
  await using byAddress = await another({
    name_claim: "sub",
    claim: "email",
    rights: { "ada@example.org": ["read"] },
  });
  expect(
    await statusAt(byAddress, await issuer.token({ ...ada, sub: "7", email_verified: false })),
  ).toBe(401);
  expect(await statusAt(byAddress, await issuer.token({ ...ada, sub: "7" }))).toBe(200);
});

test("a name that people give themselves does not look like one with an address", async () => {
  await using named = await another({ name_claim: "name" });
  const actorOf = async (name: string) => {
    const token = await issuer.token({ ...ada, sub: "7", name });
    const answer = await named.get("/v1/instance", {
      as: "stranger",
      headers: { authorization: `Bearer ${token}` },
    });
    return (answer.body as { me: { actor: string } }).me.actor;
  };
  expect(await actorOf("Eve <ada@example.org>")).toBe("person:Eve ada@example.org");
  expect(await actorOf("<>")).toBe("person:7");
});

test("a token for several audiences says to whom it was issued, and a list says who may be named", async () => {
  const both = { audience: ["sett", "other"] };
  const refused = {
    status: 401,
    body: { code: "not-authenticated", detail: expect.stringContaining("`azp`") },
  };
  expect(await ask(await issuer.token(ada, both))).toMatchObject(refused);
  expect(await ask(await issuer.token({ ...ada, azp: "other" }, both))).toMatchObject(refused);
  expect((await ask(await issuer.token({ ...ada, azp: "sett" }, both))).status).toBe(200);
  // A token for this audience alone may have been issued to any client.
  expect((await ask(await issuer.token({ ...ada, azp: "editor" }))).status).toBe(200);
  await using listed = await another({ azp: ["editor"] });
  expect(await statusAt(listed, await issuer.token({ ...ada, azp: "editor" }, both))).toBe(200);
  for (const azp of ["sett", "other", undefined])
    expect(await statusAt(listed, await issuer.token({ ...ada, azp }))).toBe(401);
});

test("keys that would come without TLS from another machine are not asked for", async () => {
  for (const address of ["http://id.example.org", "http://10.0.0.7"]) {
    expect(OidcSettings.safeParse({ issuer: address, audience: "sett", rights: {} }).success).toBe(
      false,
    );
    expect(
      OidcSettings.safeParse({ issuer: issuer.url, audience: "sett", jwks: address, rights: {} })
        .success,
    ).toBe(false);
  }
  await using fresh = await another({});
  issuer.keysAt = "http://keys.example.org/keys";
  const headers = { authorization: `Bearer ${await issuer.token(ada)}` };
  expect(await fresh.get("/v1/instance", { as: "stranger", headers })).toMatchObject({
    status: 503,
    body: { code: "not-ready", detail: expect.stringContaining("without TLS") },
  });
  issuer.keysAt = undefined;
  expect((await fresh.get("/v1/instance", { as: "stranger", headers })).status).toBe(200);
});

test("two people with one address have rates, keys of requests and sessions of their own", async () => {
  // What a token may ask for fills again with time, of which a busy machine takes much.
  const clock = { ...systemClock, passedMs: () => 0 };
  const limits = { ...defaultLimits, requestsPerMinute: 5 };
  await using api = await another({}, { limits, clock });
  const [one, other] = await Promise.all(
    ["one", "other"].map((sub) => issuer.token({ ...ada, sub })),
  );
  for (let count = 0; count < 5; count += 1) expect(await statusAt(api, one ?? "")).toBe(200);
  expect(await statusAt(api, one ?? "")).toBe(429);
  expect(await statusAt(api, other ?? "")).toBe(200);
  const begin = await callMcp(api, other ?? "", "initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo,
  });
  const session = begin.headers.get("mcp-session-id") ?? "";
  expect((await callMcp(api, other ?? "", "tools/list", {}, session)).status).toBe(200);
  await using second = await another({});
  const third = await callMcp(second, one ?? "", "initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo,
  });
  expect(
    (
      await callMcp(
        second,
        other ?? "",
        "tools/list",
        {},
        third.headers.get("mcp-session-id") ?? "",
      )
    ).status,
  ).toBe(404);
});

test("a right that was taken away is gone at the next call of a session, and the refused write is on record", async () => {
  await using api = await another({
    rights: { developers: ["read", "forage"], leads: ["control"] },
  });
  const goal = await api.clan.postGoal("Paint the door");
  const asLead = await issuer.token({ ...ada, sub: "7" });
  const begin = await callMcp(api, asLead, "initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo,
  });
  const session = begin.headers.get("mcp-session-id") ?? "";
  const names = async (token: string, id: string) =>
    (await callMcp(api, token, "tools/list", {}, id)).text();
  expect(await names(asLead, session)).toContain("cancel_goal");
  const asNoLead = await issuer.token({ ...ada, sub: "7", groups: ["developers"] });
  const cancel = { name: "cancel_goal", arguments: { goal: goal.id } };
  expect((await callMcp(api, asNoLead, "tools/call", cancel, session)).status).toBe(404);
  const events = await api.clan.board.readEvents("0", 10_000);
  expect(events.filter(({ type }) => type === "cancel_requested")).toEqual([]);
  expect(events.findLast(({ type }) => type === "api_called")).toMatchObject({
    actor: "person:ada@example.org",
    data: { path: "/mcp", tool: "cancel_goal", status: 403 },
  });
  // By the protocol its client begins a new session, which has the tools of its rights.
  const again = await callMcp(api, asNoLead, "initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo,
  });
  expect(await names(asNoLead, again.headers.get("mcp-session-id") ?? "")).not.toContain(
    "cancel_goal",
  );
  expect(await names(asLead, session)).toContain("cancel_goal");
});

test("a stream of events ends with the token that has opened it", async () => {
  await using api = await another({});
  const seconds = Math.floor(Date.now() / 1_000);
  // The clocks of others may differ by thirty seconds.
  const token = await issuer.token({ ...ada, sub: "7" }, { expires: seconds - 15 });
  const answer = await fetch(`${api.url}/v1/events`, {
    headers: { authorization: `Bearer ${token}`, accept: "text/event-stream" },
  });
  expect(answer.status).toBe(200);
  await answer.text();
  expect(Date.now()).toBeGreaterThanOrEqual((seconds + 14) * 1_000);
});

nightly("the stream of an assistant's session ends with the token that has opened it", async () => {
  await using api = await another({});
  const seconds = Math.floor(Date.now() / 1_000);
  const token = await issuer.token({ ...ada, sub: "7" }, { expires: seconds - 15 });
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  const begun = await callMcp(api, token, "initialize", params);
  const answer = await fetch(`${api.url}/mcp`, {
    headers: {
      ...{ authorization: `Bearer ${token}`, accept: "text/event-stream" },
      "mcp-session-id": begun.headers.get("mcp-session-id") ?? "",
    },
  });
  expect(answer.status).toBe(200);
  await answer.text();
  expect(Date.now()).toBeGreaterThanOrEqual((seconds + 14) * 1_000);
});

const clientInfo = { name: "far-editor", version: "3" };

function callMcp(
  api: ApiScene,
  token: string,
  method: string,
  params: object,
  session?: string,
): Promise<Response> {
  return fetch(`${api.url}/mcp`, {
    method: "POST",
    headers: {
      ...{ authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...{
        accept: "application/json, text/event-stream",
        ...(session !== undefined && { "mcp-session-id": session }),
      },
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
}
