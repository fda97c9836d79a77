import { expect, test } from "bun:test";
import { secretVariables } from "../../../../../apps/cli/doctor/secret-variables.ts";

test.each([
  ["OPENAI_API_KEY", "x"],
  ["GITHUB_TOKEN", "x"],
  ["db_password", "x"],
  ["PASSPHRASE", "x"],
  ["AWS_CREDENTIALS", "x"],
  ["INNOCENT", "sk-abcdef"],
  ["INNOCENT", "ghp_abcdef"],
  ["INNOCENT", "AKIAABCDEFGHIJKLMNOP"],
  ["INNOCENT", "postgres://ada:secret@db:5432/x"],
  ["INNOCENT", "-----BEGIN OPENSSH PRIVATE KEY-----"],
])("%s=%s looks like a secret", (name, value) => {
  expect(secretVariables({ [name]: value })).toEqual([name]);
});

test.each([
  ["OPENAI_API_KEY", ""],
  ["GPG_KEY", "E3FF2839C048B25C084DEBE9B26995E310250568"],
  ["DB_PASSWORD_FILE", "/run/secrets/db"],
  ["REDIS_URL", "redis://agent:secret@redis:6379"],
  ["REDISCLI_AUTH", "x"],
  ["SETT_GATEWAY_TOKEN", "x"],
  ["KEYBOARD", "de"],
  ["MONKEY", "x"],
  ["HOMEPAGE", "https://example.org/a:b@c"],
])("%s=%s does not", (name, value) => {
  expect(secretVariables({ [name]: value })).toEqual([]);
});

test("several are in the order of their names", () => {
  expect(secretVariables({ B_TOKEN: "x", PATH: "/bin", A_TOKEN: "x" })).toEqual([
    "A_TOKEN",
    "B_TOKEN",
  ]);
});
