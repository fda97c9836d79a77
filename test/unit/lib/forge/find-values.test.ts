import { expect, test } from "bun:test";
import { ValueFinder } from "../../../../lib/forge/find-values.ts";

const secret = "correct-horse-battery-9";
function foundIn(...pieces: string[]): string | undefined {
  const finder = new ValueFinder(new Map([["deploy", Buffer.from(secret)]]));
  for (const piece of pieces) finder.add(Buffer.from(piece));
  return finder.found;
}

test("a secret is found as it is, across pieces, and in common encodings", () => {
  const inBase64 = (text: string) => Buffer.from(text).toString("base64");
  for (const pieces of [
    [`x${secret}y`],
    [`x${secret.slice(0, 5)}`, secret.slice(5)],
    [inBase64(`${secret} and more`)],
    [inBase64(`a${secret}`)],
    [inBase64(`ab${secret}`)],
    [Buffer.from(secret).toString("hex")],
  ])
    expect(foundIn(...pieces)).toBe("the value of the secret deploy");
  expect(foundIn("nothing", "of it")).toBeUndefined();
});

test("tokens and keys are known by their form", () => {
  expect(foundIn(`token ghp_${"a1".repeat(18)}`)).toContain("looks like");
  expect(foundIn("-----BEGIN OPENSSH ", "PRIVATE KEY-----")).toContain("looks like");
});
