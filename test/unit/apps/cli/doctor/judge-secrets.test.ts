import { expect, test } from "bun:test";
import { judgeSecrets } from "../../../../../apps/cli/doctor/judge-secrets.ts";
import { weaknessOf } from "../../../../../apps/cli/facts/weak-value.ts";

test("values that agents write by accident are warned of, with why and a remedy", () => {
  const weak = ["short", "20261125"].map((value, at) => ({
    name: `s${at}`,
    what: weaknessOf(Buffer.from(value)) ?? "",
  }));
  expect(judgeSecrets({ read: 3, weak, unread: ["asked"] })).toMatchObject([
    {
      subject: "secrets",
      check: "s0",
      level: "warning",
      found: "its value is shorter than 8 bytes",
    },
    {
      subject: "secrets",
      check: "s1",
      level: "warning",
      found: "its value is a date",
      remedy: expect.stringContaining("at random"),
    },
    { subject: "secrets", check: "values", level: "note", found: "not read: asked" },
  ]);
});

test("a Secret of a cluster that is not read is named with its namespace and its key", () => {
  const facts = { read: 0, weak: [], unread: [], namespace: "team" };
  const ofCluster = [{ name: "npm-token", secret: "npm", key: "token" }];
  expect(judgeSecrets({ ...facts, ofCluster })).toMatchObject([
    {
      ...{ check: "npm-token", level: "note" },
      found: "not read: the key token of the Secret npm of the namespace team",
      remedy: "`kubectl --namespace team describe secret npm` shows its keys.",
    },
  ]);
});

test("values at random are fine", () => {
  expect(weaknessOf(Buffer.from("ghp_Zq81xcV02kkTr5uHw9"))).toBeUndefined();
  expect(judgeSecrets({ read: 2, weak: [], unread: [] })).toMatchObject([{ level: "ok" }]);
});
