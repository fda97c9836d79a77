import { describe, expect, test } from "bun:test";
import { joinSecret, splitSecret } from "../../../../lib/model/split-secret.ts";

const secret = "8f1c2b7e90a4d35566f0e1c2b3a4958677880011223344556677889900aabbcc";

describe("the halves of a secret", () => {
  test("are the secret together, also a long one and one of other letters", () => {
    for (const each of [secret, `${secret}${secret}-é`])
      expect(joinSecret(splitSecret(each))).toBe(each);
  });

  test("are the same for the same secret, and have nothing of it or of each other", () => {
    const { environment, argument } = splitSecret(secret);
    expect(splitSecret(secret)).toEqual({ environment, argument });
    expect(environment).toMatch(/^[0-9a-f]{128}$/);
    expect(argument).toMatch(/^[0-9a-f]{128}$/);
    expect(environment).not.toBe(argument);
    expect(Buffer.from(environment, "hex").toString()).not.toContain(secret.slice(0, 8));
    expect(splitSecret(`${secret.slice(0, -1)}d`).environment).not.toBe(environment);
  });
});
