// With the values that the forges and Standard Webhooks document for tests of a receiver.
import { expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import type { Forge } from "../../../../lib/model/trigger.ts";
import { signatureProblem } from "../../../../lib/triggers/forge-signature.ts";

const now = new Date(1_614_265_330_000);
const check = (forge: Forge, headers: Record<string, string>, body: string, secret: string, at = now) =>
  signatureProblem(forge, { header: (name) => headers[name], body }, secret, at);

const github = {
  secret: "It's a Secret to Everybody",
  body: "Hello, World!",
  signature: "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
};

test("GitHub's own example is good, and nothing that differs from it", async () => {
  const { secret, body, signature } = github;
  expect(await check("github", { "x-hub-signature-256": signature }, body, secret)).toBeUndefined();
  const wrong = "X-Hub-Signature-256 does not fit the body and the secret.";
  expect(await check("github", { "x-hub-signature-256": signature }, "Hello, World?", secret)).toBe(wrong);
  expect(await check("github", { "x-hub-signature-256": signature }, body, "another secret")).toBe(wrong);
  expect(await check("github", { "x-hub-signature-256": signature }, "", secret)).toBe(wrong);
  for (const odd of [
    "sha256=",
    "757107ea",
    signature.slice(0, -1),
    `${signature}0`,
    signature.replace("sha256", "sha1"),
    "ü".repeat(71),
  ])
    expect(await check("github", { "x-hub-signature-256": odd }, body, secret)).toBe(wrong);
  expect(await check("github", { "x-hub-signature": "sha1=ab" }, body, secret)).toStartWith("There is no X-Hub-Signature-256");
});

test("GitLab's secret token is compared whole", async () => {
  expect(await check("gitlab", { "x-gitlab-token": "a token of mine" }, "{}", "a token of mine")).toBeUndefined();
  for (const odd of ["", "a token of min", "a token of mine ", "A token of mine"])
    expect(await check("gitlab", { "x-gitlab-token": odd }, "{}", "a token of mine")).toBe("X-Gitlab-Token is not the secret.");
  expect(await check("gitlab", {}, "{}", "a token of mine")).toStartWith("There is no X-Gitlab-Token");
});

const standard = {
  secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
  timestamp: "1614265330",
  body: '{"test": 2432232314}',
  signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
};

function standardHeaders(over: Partial<Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string>> = {}) {
  const { id, timestamp, signature } = standard;
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature, ...over };
}

test("a signing token of GitLab is checked as Standard Webhooks says", async () => {
  const { secret, body } = standard;
  expect(await check("gitlab", standardHeaders(), body, secret)).toBeUndefined();
  const several = { "webhook-signature": `v1,AAAA v2,xyz ${standard.signature}` };
  expect(await check("gitlab", standardHeaders(several), body, secret)).toBeUndefined();
  const wrong = "webhook-signature does not fit the body and the secret.";
  expect(await check("gitlab", standardHeaders(), `${body} `, secret)).toBe(wrong);
  expect(await check("gitlab", standardHeaders({ "webhook-id": "msg_other" }), body, secret)).toBe(wrong);
  for (const odd of ["", "v1,", standard.signature.replace("v1", "v2"), "v1,not base64"])
    expect(await check("gitlab", standardHeaders({ "webhook-signature": odd }), body, secret)).toBe(wrong);
  expect(await check("gitlab", { "x-gitlab-token": secret }, body, secret)).toStartWith("There is no webhook-signature");
});

test("a signed message that is old, or from the future, is not taken again", async () => {
  const { secret, body } = standard;
  const old = "webhook-timestamp is more than 5 minutes from now: the message is old, or a clock is wrong.";
  for (const minutes of [-6, 6, 60]) {
    const later = new Date(now.getTime() + minutes * 60_000);
    expect(await check("gitlab", standardHeaders(), body, secret, later)).toBe(old);
  }
  expect(await check("gitlab", standardHeaders(), body, secret, new Date(now.getTime() + 299_000))).toBeUndefined();
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  for (const timestamp of ["", "NaN", "1e99", "-1"]) {
    const signature = `v1,${createHmac("sha256", key).update(`${standard.id}.${timestamp}.${body}`).digest("base64")}`;
    const headers = standardHeaders({ "webhook-timestamp": timestamp, "webhook-signature": signature });
    expect(await check("gitlab", headers, body, secret)).toBe(old);
  }
});

test("an empty body is signed like every other", async () => {
  const { secret } = github;
  const signature = `sha256=${createHmac("sha256", secret).digest("hex")}`;
  expect(await check("github", { "x-hub-signature-256": signature }, "", secret)).toBeUndefined();
  expect(await check("github", { "x-hub-signature-256": signature.slice(0, -1) }, "", secret)).toContain("does not fit");
});
