// With the values that the forges and Standard Webhooks document for tests of a receiver.
import { expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import type { Forge } from "../../../../lib/model/trigger.ts";
import { forges } from "../../../../lib/triggers/forges.ts";

const now = new Date(1_614_265_330_000);
/** Why the signature does not count. The body comes in small parts. */
function check(
  forge: Forge,
  headers: Record<string, string>,
  body: string,
  secret: string,
  at = now,
): string | undefined {
  const begun = forges[forge].checkSignature((name) => headers[name], secret, at);
  if (begun.kind === "refused") return begun.reason;
  for (let bytes = new TextEncoder().encode(body); bytes.length > 0; bytes = bytes.subarray(5))
    begun.part(bytes.subarray(0, 5));
  return begun.problem();
}

const github = {
  secret: "It's a Secret to Everybody",
  body: "Hello, World!",
  signature: "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
};

test("GitHub's own example is good, and nothing that differs from it", () => {
  const { secret, body, signature } = github;
  expect(check("github", { "x-hub-signature-256": signature }, body, secret)).toBeUndefined();
  const wrong = "X-Hub-Signature-256 does not fit the body and the secret.";
  expect(check("github", { "x-hub-signature-256": signature }, "Hello, World?", secret)).toBe(
    wrong,
  );
  expect(check("github", { "x-hub-signature-256": signature }, body, "another secret")).toBe(wrong);
  expect(check("github", { "x-hub-signature-256": signature }, "", secret)).toBe(wrong);
  for (const odd of [
    "sha256=",
    "757107ea",
    signature.slice(0, -1),
    `${signature}0`,
    signature.replace("sha256", "sha1"),
    "ü".repeat(71),
  ])
    expect(check("github", { "x-hub-signature-256": odd }, body, secret)).toStartWith(
      "X-Hub-Signature-256 is no signature",
    );
  expect(check("github", { "x-hub-signature": "sha1=ab" }, body, secret)).toStartWith(
    "There is no X-Hub-Signature-256",
  );
});

test("Gitea's signature is that of GitHub without its prefix, and an empty one is none", () => {
  const { secret, body, signature } = github;
  const hex = signature.slice("sha256=".length);
  for (const name of ["x-gitea-signature", "x-forgejo-signature", "x-gogs-signature"])
    expect(check("gitea", { [name]: hex }, body, secret)).toBeUndefined();
  const wrong = "X-Gitea-Signature does not fit the body and the secret.";
  expect(check("gitea", { "x-gitea-signature": hex }, "Hello, World?", secret)).toBe(wrong);
  expect(check("gitea", { "x-gitea-signature": hex }, body, "another secret")).toBe(wrong);
  for (const odd of [hex.slice(1), `${hex}0`, signature, "ü".repeat(64)])
    expect(check("gitea", { "x-gitea-signature": odd }, body, secret)).toStartWith(
      "X-Gitea-Signature is no signature",
    );
  for (const headers of [{}, { "x-gitea-signature": "" }, { "x-hub-signature-256": signature }])
    expect(check("gitea", headers as Record<string, string>, body, secret)).toStartWith(
      "There is no X-Gitea-Signature",
    );
});

test("GitLab's secret token is compared whole", () => {
  expect(
    check("gitlab", { "x-gitlab-token": "a token of mine" }, "{}", "a token of mine"),
  ).toBeUndefined();
  for (const odd of ["", "a token of min", "a token of mine ", "A token of mine"])
    expect(check("gitlab", { "x-gitlab-token": odd }, "{}", "a token of mine")).toBe(
      "X-Gitlab-Token is not the secret.",
    );
  expect(check("gitlab", {}, "{}", "a token of mine")).toStartWith("There is no X-Gitlab-Token");
});

const standard = {
  secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
  timestamp: "1614265330",
  body: '{"test": 2432232314}',
  signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
};

function standardHeaders(
  over: Partial<Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string>> = {},
) {
  const { id, timestamp, signature } = standard;
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signature,
    ...over,
  };
}

test("a signing token of GitLab is checked as Standard Webhooks says", () => {
  const { secret, body } = standard;
  expect(check("gitlab", standardHeaders(), body, secret)).toBeUndefined();
  const several = { "webhook-signature": `v1,AAAA v2,xyz ${standard.signature}` };
  expect(check("gitlab", standardHeaders(several), body, secret)).toBeUndefined();
  const wrong = "webhook-signature does not fit the body and the secret.";
  expect(check("gitlab", standardHeaders(), `${body} `, secret)).toBe(wrong);
  expect(check("gitlab", standardHeaders({ "webhook-id": "msg_other" }), body, secret)).toBe(wrong);
  for (const odd of ["", "v1,", standard.signature.replace("v1", "v2"), "v1,not base64"])
    expect(
      check("gitlab", standardHeaders({ "webhook-signature": odd }), body, secret),
    ).toStartWith("webhook-signature is no signature");
  expect(check("gitlab", { "x-gitlab-token": secret }, body, secret)).toStartWith(
    "There is no webhook-signature",
  );
});

test("a signed message that is old, or from the future, is not taken again", () => {
  const { secret, body } = standard;
  const old =
    "webhook-timestamp is more than 5 minutes from now: the message is old, or a clock is wrong.";
  for (const minutes of [-6, 6, 60]) {
    const later = new Date(now.getTime() + minutes * 60_000);
    expect(check("gitlab", standardHeaders(), body, secret, later)).toBe(old);
  }
  expect(
    check("gitlab", standardHeaders(), body, secret, new Date(now.getTime() + 299_000)),
  ).toBeUndefined();
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  for (const timestamp of ["", "NaN", "1e99", "-1"]) {
    const signature = `v1,${createHmac("sha256", key).update(`${standard.id}.${timestamp}.${body}`).digest("base64")}`;
    const headers = standardHeaders({
      "webhook-timestamp": timestamp,
      "webhook-signature": signature,
    });
    expect(check("gitlab", headers, body, secret)).toBe(old);
  }
});

test("the headers alone refuse what no body can make good", () => {
  const kind = (forge: Forge, headers: Record<string, string>, secret: string) =>
    forges[forge].checkSignature((name) => headers[name], secret, now).kind;
  expect(kind("github", {}, github.secret)).toBe("refused");
  expect(kind("github", { "x-hub-signature-256": "sha256=guessed" }, github.secret)).toBe(
    "refused",
  );
  expect(kind("github", { "x-hub-signature-256": github.signature }, github.secret)).toBe("open");
  expect(kind("gitlab", { "x-gitlab-token": "guessed" }, "a token of mine")).toBe("refused");
  expect(kind("gitlab", standardHeaders({ "webhook-timestamp": "1" }), standard.secret)).toBe(
    "refused",
  );
  expect(
    kind("gitlab", standardHeaders({ "webhook-signature": "v1,short" }), standard.secret),
  ).toBe("refused");
  expect(kind("gitlab", standardHeaders(), standard.secret)).toBe("open");
});

test("an empty body is signed like every other", () => {
  const { secret } = github;
  const signature = `sha256=${createHmac("sha256", secret).digest("hex")}`;
  expect(check("github", { "x-hub-signature-256": signature }, "", secret)).toBeUndefined();
  expect(
    check(
      "github",
      { "x-hub-signature-256": signature.replace(/.$/, (last) => (last === "0" ? "1" : "0")) },
      "",
      secret,
    ),
  ).toContain("does not fit");
});
