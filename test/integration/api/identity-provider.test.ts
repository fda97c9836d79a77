// The API and an identity provider that others have written and certified: what our own issuer in
// oidc.test.ts could get wrong as we do.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { OidcSettings } from "../../../apps/api/access/oidc.ts";
import { ApiScene } from "../../support/api/api-scene.ts";
import { IdentityProvider, newSigningKey } from "../../support/api/identity-provider.ts";
import { nightly } from "../../support/nightly.ts";
import { waitFor } from "../../support/wait-for.ts";

setDefaultTimeout(180_000);

let provider: IdentityProvider;
let scene: ApiScene;

beforeAll(async () => {
  provider = await IdentityProvider.start([await newSigningKey("first")]);
  const rights = { developers: ["read", "forage"], leads: ["approve"] };
  scene = await ApiScene.start(
    {},
    {
      orchestrator: false,
      deps: { oidc: OidcSettings.parse({ issuer: provider.url, audience: "sett", rights }) },
    },
  );
});

afterAll(async () => {
  await scene?.[Symbol.asyncDispose]();
  await provider?.[Symbol.asyncDispose]();
});

const ask = (token: string) =>
  scene.get("/v1/instance", { as: "stranger", headers: { authorization: `Bearer ${token}` } });
const refused = (reason: string) => ({
  status: 401,
  body: {
    code: "not-authenticated",
    detail: `The token of ${provider.url} is not good: ${reason}.`,
  },
});

test("a program's token is good by the provider's own configuration and keys, and its groups are its rights", async () => {
  const { status, body } = await ask(await provider.tokenOfProgram("ci"));
  expect(status).toBe(200);
  expect(body).toMatchObject({
    me: { name: "ci@example.org", actor: "person:ci@example.org", rights: ["read", "forage"] },
  });
});

test("a person who signs in at the provider has the rights of all groups, and without a group none", async () => {
  const { body } = await ask(await provider.tokenOfPerson("ada"));
  expect(body).toMatchObject({
    me: { actor: "person:ada@example.org", rights: ["read", "forage", "approve"] },
  });
  expect(await ask(await provider.tokenOfPerson("eve"))).toMatchObject({
    status: 403,
    body: { code: "not-allowed" },
  });
});

test("a token that has expired, and one for another audience, are refused with the reason", async () => {
  expect(await ask(await provider.tokenOfProgram("late"))).toMatchObject(
    refused('"exp" claim timestamp check failed'),
  );
  expect(await ask(await provider.tokenOfProgram("ci", "other"))).toMatchObject(
    refused('unexpected "aud" claim value'),
  );
});

nightly(
  "where the provider has changed its keys, new tokens are good soon, and those of the key that is gone are not",
  async () => {
    const old = await provider.tokenOfProgram("ci");
    expect((await ask(old)).status).toBe(200);
    await provider.restart([await newSigningKey("second")]);
    const fresh = await provider.tokenOfProgram("ci");
    // The API asks for the keys again at most once in thirty seconds.
    await waitFor("the new key to be known", async () => (await ask(fresh)).status === 200, {
      everyMs: 250,
    });
    expect(await ask(old)).toMatchObject(
      refused("no applicable key found in the JSON Web Key Set"),
    );
  },
);
