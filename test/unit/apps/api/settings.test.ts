import { expect, test } from "bun:test";
import { readSettings } from "../../../../apps/api/settings.ts";
import { errorOf } from "../../../support/error-of.ts";

const least = { SETT_INSTANCE_NAME: "demo", REDIS_URL: "redis://person:secret@redis:6379" };
const token = { name: "ci", sha256: "a".repeat(64), may: ["read"] };

test("two variables are enough, and then there is no token, no repository and no other origin", () => {
  expect(readSettings(least)).toMatchObject({
    ...{
      instance: "demo",
      port: 8443,
      healthPort: 8080,
      tokens: [],
      oidc: undefined,
      origins: [],
      isSecure: false,
    },
    ...{ repositoryFolder: undefined, limits: { requestsPerMinute: 3_000, writesPerMinute: 300 } },
  });
});

test("tokens come as digests, each with a name of its own", async () => {
  const read = (tokens: object[]) =>
    readSettings({ ...least, SETT_API_TOKENS: JSON.stringify(tokens) });
  expect(read([token, { ...token, name: "bot", may: ["read", "control"] }]).tokens).toHaveLength(2);
  const problem = (tokens: object[]) => errorOf(async () => read(tokens));
  expect(await problem([token, token])).toMatchObject({
    code: "environment-invalid",
    message: "SETT_API_TOKENS names ci twice.",
  });
  for (const wrong of [
    { ...token, sha256: "secret" },
    { ...token, may: ["everything"] },
    { ...token, may: [] },
    { ...token, name: "C I" },
    { ...token, secret: "x" },
  ])
    expect(await problem([wrong])).toMatchObject({
      code: "environment-invalid",
      message: expect.stringContaining("SETT_API_TOKENS must be JSON"),
    });
});

test("a certificate and its key belong together, and browsers then come by TLS alone", async () => {
  const both = { SETT_API_TLS_CERT: "/tls/cert.pem", SETT_API_TLS_KEY: "/tls/key.pem" };
  expect(readSettings({ ...least, ...both }).isSecure).toBe(true);
  expect(readSettings({ ...least, SETT_API_IS_SECURE: "true" }).isSecure).toBe(true);
  expect(
    await errorOf(async () => readSettings({ ...least, SETT_API_TLS_CERT: "/tls/cert.pem" })),
  ).toMatchObject({
    code: "environment-invalid",
  });
});

test("an identity provider needs an issuer, an audience, and rights for the values of a claim", async () => {
  const oidc = {
    issuer: "https://id.example.org",
    audience: "sett",
    rights: { developers: ["read" as const] },
  };
  expect(readSettings({ ...least, SETT_API_OIDC: JSON.stringify(oidc) }).oidc).toEqual({
    ...oidc,
    claim: "groups",
    name_claim: "email",
  });
  for (const wrong of [
    { ...oidc, issuer: "id.example.org" },
    { ...oidc, audience: "" },
    { ...oidc, rights: { developers: ["root"] } },
    { issuer: oidc.issuer },
  ])
    expect(
      await errorOf(async () => readSettings({ ...least, SETT_API_OIDC: JSON.stringify(wrong) })),
    ).toMatchObject({
      code: "environment-invalid",
    });
});
