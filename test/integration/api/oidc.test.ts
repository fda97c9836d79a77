import { afterAll, beforeAll, expect, test } from "bun:test";
import { $ } from "bun";
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { serve } from "../../../lib/service/serve.ts";
import { ApiScene } from "../../support/api/api-scene.ts";
import { temporaryFolder } from "../../support/git/sample-repository.ts";

type Key = { id: string; algorithm: string; secret: CryptoKey; public: CryptoKey };

/** An identity provider: its keys and its configuration over HTTP. */
class Issuer implements AsyncDisposable {
  keys: Key[] = [];
  isAway = false;
  readonly #server = serve({ port: 0, hostname: "127.0.0.1" }, async ({ url }) => {
    if (this.isAway) return new Response("", { status: 500 });
    const { pathname } = new URL(url);
    if (pathname === "/.well-known/openid-configuration")
      return Response.json({ issuer: this.url, jwks_uri: `${this.url}/keys` });
    const keys = await Promise.all(
      this.keys.map(async ({ id, algorithm, public: key }) => ({ ...(await exportJWK(key)), kid: id, alg: algorithm })),
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

type TokenOptions = { key?: Key | undefined; issuer?: string; audience?: string; expires?: string };

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
    body: { me: { name: "ada@example.org", actor: "person:ada@example.org", rights: ["read", "forage", "approve"] } },
  });
  const inOneText = await ask(await issuer.token({ sub: "7", groups: "developers others" }));
  expect(inOneText.body).toMatchObject({ me: { name: "7", rights: ["read", "forage"] } });
});

test("a token without a group that is known has no rights", async () => {
  expect(await ask(await issuer.token({ email: "eve@example.org", groups: ["constructor", "__proto__"] }))).toMatchObject({
    status: 403,
  });
  expect(await ask(await issuer.token({ email: "eve@example.org" }))).toMatchObject({ status: 403 });
});

test("a token for others, of others, or that is over, is refused with the reason", async () => {
  const refused = { status: 401, body: { code: "not-authenticated" } };
  expect(await ask(await issuer.token(ada, { audience: "other" }))).toMatchObject(refused);
  expect(await ask(await issuer.token(ada, { issuer: "https://evil.example" }))).toMatchObject(refused);
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
  const claims = { ...ada, iss: issuer.url, aud: "sett", exp: Math.floor(Date.now() / 1_000) + 300 };
  expect((await ask(`${part({ alg: "none" })}.${part(claims)}.x`)).status).toBe(401);
  const [first] = issuer.keys;
  const jwk = JSON.stringify(await exportJWK(first?.public ?? (await issuer.addKey("x", "ES256")).public));
  const shared = await new SignJWT(claims).setProtectedHeader({ alg: "HS256", kid: "first" }).sign(new TextEncoder().encode(jwk));
  expect((await ask(shared)).status).toBe(401);
});

test("a key that the issuer adds later is found", async () => {
  const key = await issuer.addKey("second", "RS256");
  // jose asks for the keys again at most once in thirty seconds: a new API has none yet.
  const oidc = {
    issuer: issuer.url,
    audience: "sett",
    claim: "groups",
    name_claim: "email",
    rights: { developers: ["read" as const] },
  };
  await using later = await ApiScene.start({}, { redis: scene.redis, orchestrator: false, deps: { oidc } });
  const authorization = `Bearer ${await issuer.token(ada, { key })}`;
  expect((await later.get("/v1/instance", { as: "stranger", headers: { authorization } })).status).toBe(200);
});

test("while the issuer is away its tokens cannot be checked, and named tokens go on", async () => {
  const oidc = {
    issuer: issuer.url,
    audience: "sett",
    claim: "groups",
    name_claim: "email",
    rights: { developers: ["read" as const] },
  };
  await using fresh = await ApiScene.start({}, { redis: scene.redis, orchestrator: false, deps: { oidc } });
  const headers = { authorization: `Bearer ${await issuer.token(ada)}` };
  issuer.isAway = true;
  expect(await fresh.get("/v1/instance", { as: "stranger", headers })).toMatchObject({
    status: 503,
    body: { code: "not-ready" },
  });
  expect((await fresh.get("/v1/instance")).status).toBe(200);
  issuer.isAway = false;
  expect((await fresh.get("/v1/instance", { as: "stranger", headers })).status).toBe(200);
});

test("an issuer whose certificate is not trusted is said to have it", async () => {
  using folder = temporaryFolder();
  const files = ["-keyout", `${folder.path}/key.pem`, "-out", `${folder.path}/cert.pem`];
  await $`openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj /CN=x ${files}`.quiet();
  const [cert = "", key = ""] = await Promise.all(["cert", "key"].map((name) => Bun.file(`${folder.path}/${name}.pem`).text()));
  const secure = serve({ port: 0, hostname: "127.0.0.1", tls: { cert, key } }, () => new Response("{}"));
  const url = `https://127.0.0.1:${secure.port}`;
  const oidc = { issuer: url, audience: "sett", claim: "groups", name_claim: "email", rights: { developers: ["read" as const] } };
  await using fresh = await ApiScene.start({}, { redis: scene.redis, orchestrator: false, deps: { oidc } });
  const headers = { authorization: `Bearer ${await issuer.token(ada, { issuer: url })}` };
  expect(await fresh.get("/v1/instance", { as: "stranger", headers })).toMatchObject({
    status: 503,
    body: { code: "not-ready", hint: expect.stringContaining("certificate") },
  });
  await secure.stop();
});
