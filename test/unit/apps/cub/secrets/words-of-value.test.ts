// Shows what of a file of settings is secret: its values, found by themselves, and not the names
// that everyone writes.
import { expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { maskerOf } from "../../../../../apps/cub/secrets/masker.ts";
import { wordsOf } from "../../../../../apps/cub/secrets/words-of-value.ts";

const masked = (secret: string, text: string) =>
  maskerOf([["own", Buffer.from(secret)]]).text(text);

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
const account = {
  type: "service_account",
  private_key_id: "0f3a9c1e7b5d2f8a4c6e0b1d3f5a7c9e2b4d6f80",
  private_key: pem,
  auth_uri: "https://accounts.example.org/o/oauth2/auth",
  auth_provider_x509_cert_url: "https://www.example.org/oauth2/v1/certs",
  client_x509_cert_url: "https://www.example.org/robot/v1/metadata/x509/demo",
  nested: { list: [{ password: "hunter2hunter2" }] },
};

const kubeconfig = `apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUN5RENDQWJDZ0F3SUJBZ0lC
current-context: kubernetes-admin
users:
- name: kubernetes-admin
  user:
    client-key-data: LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQpNSUlFb3dJQkFBS0NBUUVB
`;
const npmrc = `registry=https://registry.example.org/
//registry.example.org/:_authToken=npm_Zk3v9QpLx7Wc2Rt8Yb5Nd1Hf6Gj4Ms0Aq
always-auth=true
`;
const dotenv = `export KEY_ID=AKIAIOSFODNN7EXAMPLE
SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY
DEFAULT_REGION=eu-central-1
DATABASE_PASSWORD="hunter2hunter2"
`;

const secretParts: [string, string, string[]][] = [
  [
    "an account in JSON",
    JSON.stringify(account, null, 2),
    [account.private_key_id, "hunter2hunter2", pem.split("\n")[9] ?? ""],
  ],
  [
    "an account in JSON of one line",
    JSON.stringify(account),
    [account.private_key_id, "hunter2hunter2", pem.split("\n")[9] ?? ""],
  ],
  ["a kubeconfig", kubeconfig, [kubeconfig.split("client-key-data: ")[1]?.trim() ?? ""]],
  ["an .npmrc", npmrc, ["npm_Zk3v9QpLx7Wc2Rt8Yb5Nd1Hf6Gj4Ms0Aq"]],
  [
    "an .env",
    dotenv,
    ["AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "hunter2hunter2"],
  ],
];

test.each(secretParts)("each value in %s is masked by itself", (_, secret, values) => {
  for (const value of values)
    expect(masked(secret, `Bearer ${value}.`)).toBe("Bearer [secret own].");
  expect(masked(secret, `{"stdout":${JSON.stringify(secret)}}`)).not.toContain(values[0] ?? "");
});

const ordinary: [string, string, string[]][] = [
  [
    "an account in JSON",
    JSON.stringify(account, null, 2),
    [...Object.keys(account), account.type, account.auth_uri],
  ],
  [
    "an account in JSON of one line",
    JSON.stringify(account),
    [...Object.keys(account), account.type, account.auth_uri],
  ],
  [
    "a kubeconfig",
    kubeconfig,
    ["certificate-authority-data: ", "client-key-data: ", "current-context: x", "kubernetes-admin"],
  ],
  [
    "an .npmrc",
    npmrc,
    [
      "registry=https://registry.example.org/",
      "//registry.example.org/:_authToken=$TOKEN",
      "always-auth=true",
    ],
  ],
  ["an .env", dotenv, ["SECRET_ACCESS_KEY=", "DEFAULT_REGION=eu-central-1"]],
];

test.each(ordinary)(
  "the names in %s, and what is no secret, stay as they are",
  (_, secret, texts) => {
    for (const text of texts) expect(masked(secret, text)).toBe(text);
  },
);

test("a value of one line is looked for as it is, also where it looks like a setting", () => {
  for (const value of [
    "password=hunter2hunter2",
    "name: value-of-it",
    "a b c d e f g h",
    "[not json",
    "https://u:p4ssw0rd@h/x",
  ])
    expect(wordsOf(value)).toEqual([value]);
});

test("a last line with padding is no name, and where no word is long the whole is looked for", () => {
  expect(wordsOf("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nQUJDREVGR0hJSktMTU5PUA==")).toContain(
    "QUJDREVGR0hJSktMTU5PUA==",
  );
  expect(wordsOf("roses are\nred")).toEqual(["roses are\nred"]);
});

test("a value that begins again before it ends is masked to its end", () => {
  expect(masked("Xy12abcdXy12", "<Xy12abcdXy12abcdXy12>")).toBe("<[secret own]>");
});
