// `services.api` of sett.yml: what is accepted, and what is a mistake, with its place.
import { expect, test } from "bun:test";
import { parseConfig } from "../../../../lib/config/parse-config.ts";

function parsed(api: string, more = "") {
  const secrets = "secrets: { ci: { file: ./ci }, ada: { environment: ADA_TOKEN } }\n";
  const agent = `  a: { image: "some/image:1", command: [run], bids: [{ on: GoalDefined, bid: claim }]${more} }\n`;
  const text = `version: '1.0'\n${secrets}agents:\n${agent}services:\n  api: ${api}\n`;
  const host = { HOME: "/home/ada", ADA_TOKEN: "x".repeat(32) };
  const { config, mistakes, warnings, missing } = parseConfig({
    text,
    file: "sett.yml",
    folder: "/work",
    host,
  });
  const sentences = (problems: typeof mistakes) =>
    problems.map(({ line, column, path, sentence }) => `${line}:${column} ${path}: ${sentence}`);
  return {
    api: config?.services.api,
    mistakes: sentences(mistakes),
    warnings: sentences(warnings),
    missing,
  };
}

const ci = "tokens: [{ name: ci, secret: ci, may: [read, forage] }]";

test("an API needs no more than a token, and only this machine reaches it", () => {
  const { api, mistakes, warnings } = parsed(`{ ${ci} }`);
  expect(mistakes).toEqual([]);
  expect(api).toEqual({
    port: 8443,
    host: "127.0.0.1",
    tokens: [{ name: "ci", secret: "ci", may: ["read", "forage"] }],
    cors: [],
    requests_per_minute: 3_000,
    writes_per_minute: 300,
  });
  expect(warnings).toEqual([
    "2:32 secrets.ada: is named by no agent, no token, no forge and no webhook: `secrets: [ada]`",
  ]);
});

test("everything can be said, and the files of the certificate get absolute paths", () => {
  const oidc =
    "oidc: { issuer: https://token.actions.example, audience: sett, claim: repository, rights: { acme/app: [read, forage] } }";
  const rest =
    "tls: { cert: ./tls/cert.pem, key: ~/key.pem }, cors: [https://dash.example.org], requests_per_minute: 60";
  const { api, mistakes } = parsed(`{ port: 9000, host: 0.0.0.0, ${ci}, ${oidc}, ${rest} }`);
  expect(mistakes).toEqual([]);
  expect(api).toMatchObject({
    port: 9000,
    host: "0.0.0.0",
    tls: { cert: "/work/tls/cert.pem", key: "/home/ada/key.pem" },
    oidc: { claim: "repository", rights: { "acme/app": ["read", "forage"] } },
    cors: ["https://dash.example.org"],
  });
});

test.each([
  ["{}", "6:3 services.api: needs `tokens` or `oidc`: without them no one may use the API"],
  [
    `{ host: 0.0.0.0, ${ci} }`,
    "6:16 services.api.host: lets other machines reach the API: it needs `tls: { cert: …, key: … }`, or `tls: none` behind a proxy",
  ],
  [
    `{ host: localhost, ${ci} }`,
    "6:16 services.api.host: must be an address of this machine: `127.0.0.1`, or `0.0.0.0` for all",
  ],
  [`{ port: 0, ${ci} }`, "6:16 services.api.port: must be at least 1"],
  [`{ tls: { cert: a }, ${ci} }`, "6:10 services.api.tls.key: is missing: it must be text"],
  [
    `{ tls: off, ${ci} }`,
    "6:15 services.api.tls: must be a map with `cert` and `key`, or `none` where a proxy in front of it",
  ],
  [
    "{ tokens: [{ name: ci, secret: ci, may: [] }] }",
    "tokens[0].may: must not be empty: a token without rights is of no use",
  ],
  [
    "{ tokens: [{ name: ci, secret: ci, may: [write] }] }",
    "tokens[0].may[0]: must be `read`, `forage`, `post`, `answer`, `budget`, `approve` or",
  ],
  [
    "{ tokens: [{ name: ci, secret: ci, may: [read, read] }] }",
    "services.api.tokens[0].may: names a right twice",
  ],
  [
    "{ tokens: [{ name: ci, secret: ci, may: [read] }, { name: ci, secret: ada, may: [read] }] }",
    "6:66 services.api.tokens[1].name: is the name of another token, too",
  ],
  [
    "{ tokens: [{ name: ci, secret: ci, may: [read] }, { name: ada, secret: ci, may: [read] }] }",
    "services.api.tokens[1].secret: is the secret of another token, too",
  ],
  [
    "{ tokens: [{ name: ci, secret: cii, may: [read] }] }",
    "6:39 services.api.tokens[0].secret: `secrets` has no `cii`: did you mean `ci`?",
  ],
  [
    "{ oidc: { issuer: http://idp.example, audience: a, rights: { a: [read] } } }",
    "services.api.oidc.issuer: must begin with `https://`: who could change the keys on the way could make tokens",
  ],
  [
    "{ oidc: { issuer: idp.example, audience: a, rights: { a: [read] } } }",
    "services.api.oidc.issuer: must be an address such as `https://token.actions.githubusercontent.com`",
  ],
  [
    "{ oidc: { issuer: https://idp.example, audience: a, rights: {} } }",
    "oidc.rights: must have a value of the claim, with rights",
  ],
  [
    "{ oidc: { issuer: https://idp.example, audience: a, azp: [], rights: { a: [read] } } }",
    "services.api.oidc.azp: must name a client",
  ],
  [
    `{ cors: ["*"], ${ci} }`,
    "services.api.cors[0]: must be an origin such as `https://dashboard.example.org`, without a path",
  ],
  [`{ cors: [https://a.example/x], ${ci} }`, "services.api.cors[0]: must be an origin"],
  [`{ requests_per_minute: 0, ${ci} }`, "services.api.requests_per_minute: must be at least 1"],
  [`{ prt: 1, ${ci} }`, "services.api.prt: is unknown here: did you mean `port`?"],
])("%s is a mistake", (api, sentence) => {
  expect(parsed(api).mistakes.join("\n")).toContain(sentence);
});

test.each(["TOK", "{TOK}", "{TOK:-x}"])(
  "$%s in place of a secret's name is one mistake, which says where the variable goes",
  (variable) => {
    const token = `{ name: ci, secret: '$${variable}', may: [read] }`;
    expect(parsed(`{ tokens: [${token}] }`).mistakes).toEqual([
      "6:39 services.api.tokens[0].secret: must be a name in `secrets`, such as `registry-token`: there `registry-token: { environment: TOK }` takes its value from the variable",
    ]);
  },
);

test("a token that an agent gets, too, is warned of: the agent could judge its own work", () => {
  const { warnings } = parsed(
    `{ tokens: [{ name: ada, secret: ci, may: [read, approve] }] }`,
    ", secrets: [ci]",
  );
  expect(warnings).toContain(
    "6:40 services.api.tokens[0].secret: is a secret of the agent a, too, which could use the API with it (read, approve)",
  );
});
