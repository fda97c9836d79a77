import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { AgentName, ClaimId } from "../../../../lib/model/ids.ts";
import { newToken, parseToken, type TokenOwner } from "../../../../lib/models/token.ts";

const claim = ClaimId.parse("6f1f3a52-3c0e-4b60-9d8e-0a4b6f0f7a11");
const grant: TokenOwner = { kind: "grant", claim, agent: AgentName.parse("coder-2"), attempt: 3 };
const bid: TokenOwner = { ...grant, kind: "bid", attempt: 0 };

test("a token names its kind, claim, agent and attempt", () => {
  for (const owner of [grant, bid]) {
    const { text, digest } = newToken(owner);
    expect(parseToken(text)).toEqual({ ...owner, digest });
  }
});

test("a token's text is what the documentation says, with 32 random bytes at its end", () => {
  expect(newToken(grant).text).toMatch(
    /^sett_grant\.6f1f3a52-3c0e-4b60-9d8e-0a4b6f0f7a11\.coder-2\.3\.[A-Za-z0-9_-]{43}$/,
  );
  expect(newToken(bid).text).toStartWith(
    "sett_bid.6f1f3a52-3c0e-4b60-9d8e-0a4b6f0f7a11.coder-2.0.",
  );
});

test("the digest is the SHA-256 of the whole text, so that no part of it can be exchanged", () => {
  const { text, digest } = newToken(grant);
  expect(digest).toBe(createHash("sha256").update(text).digest("hex"));
  const other = parseToken(text.replace(".3.", ".4."));
  expect(other?.attempt).toBe(4);
  expect(other?.digest).not.toBe(digest);
});

test("no two tokens are the same", () => {
  expect(new Set(Array.from({ length: 100 }, () => newToken(grant).text)).size).toBe(100);
});

test("a text that is no token is not one", () => {
  const { text } = newToken(grant);
  const secret = text.slice(text.lastIndexOf(".") + 1);
  const wrong = [
    "",
    "sk-ant-api03-abc",
    `Bearer ${text}`,
    `${text} `,
    `${text}\n`,
    text.slice(0, -1),
    `${text}a`,
    text.replace("sett_grant", "sett_work"),
    text.replace("coder-2", "Coder"),
    text.replace("coder-2", "co.der"),
    text.replace(claim, "6f1f3a52"),
    text.replace(".3.", ".0."),
    text.replace(".3.", ".03."),
    text.replace(".3.", ".1000000000."),
    `sett_bid.${claim}.coder-2.1.${secret}`,
  ];
  expect(wrong.filter((one) => parseToken(one) !== undefined)).toEqual([]);
});
