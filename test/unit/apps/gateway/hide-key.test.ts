import { expect, test } from "bun:test";
import fc from "fast-check";
import { KeyHider } from "../../../../apps/gateway/hide-key.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (parts: readonly Uint8Array[]) => Buffer.concat(parts).toString("utf8");

function passed(key: string | undefined, chunks: readonly string[]): string {
  const hider = new KeyHider(key);
  return text([...chunks.map((chunk) => hider.push(bytes(chunk)).slice()), hider.finish()]);
}

test("a key is hidden wherever the chunks of a stream divide it, and all else passes", () => {
  const key = "aabaaabaaaab";
  const piece = fc.constantFrom(key, "aab", "aa", "a", "b", "é", "\n\n");
  fc.assert(
    fc.property(
      fc.array(piece),
      fc.string({ maxLength: 9, unit: fc.constantFrom("a", "b") }),
      (chunks, more) => {
        const all = [...chunks, more, key.slice(0, 7), key.slice(7)];
        expect(passed(key, all)).toBe(all.join("").replaceAll(key, "[key]"));
      },
    ),
  );
});

test("bytes that cannot be a part of the key are not held back", () => {
  const hider = new KeyHider("sk-of-the-test");
  expect(text([hider.push(bytes("data: tasks\n\n"))])).toBe("data: tasks\n\n");
  expect(text([hider.push(bytes("data: sk-"))])).toBe("data: ");
  expect(text([hider.push(bytes("other"))])).toBe("sk-other");
});

test("a short word that a server of one's own takes as its key is not hidden", () => {
  expect(passed("token", ['{"prompt_tokens":1}'])).toBe('{"prompt_tokens":1}');
});

test("without a key all passes", () => {
  expect(passed(undefined, ["a", "b"])).toBe("ab");
  expect(text([new KeyHider(undefined).hideIn(bytes("ab"))])).toBe("ab");
});

test("a header that has the key is left out", () => {
  const response = new Response("", {
    headers: { "x-request-id": "Bearer sk-of-the-test", "request-id": "r1" },
  });
  expect([...new KeyHider("sk-of-the-test").headersOf(response)]).toEqual([["request-id", "r1"]]);
});
