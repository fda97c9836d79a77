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
  const piece = fc.constantFrom("aab", "a", "b", "c", "é", "\n\n");
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 3, unit: fc.constantFrom("a", "b", "x") }))), (chunks) => {
      expect(passed("aab", chunks)).toBe(chunks.join("").replaceAll("aab", "[key]"));
    }),
  );
});

test("bytes that cannot be a part of the key are not held back", () => {
  const hider = new KeyHider("sk-key");
  expect(text([hider.push(bytes("data: tasks\n\n"))])).toBe("data: tasks\n\n");
  expect(text([hider.push(bytes("data: sk-"))])).toBe("data: ");
  expect(text([hider.push(bytes("other"))])).toBe("sk-other");
});

test("without a key all passes", () => {
  expect(passed(undefined, ["a", "b"])).toBe("ab");
  expect(text([new KeyHider(undefined).hideIn(bytes("ab"))])).toBe("ab");
});

test("a header that has the key is left out", () => {
  const response = new Response("", { headers: { "x-request-id": "Bearer sk-key", "request-id": "r1" } });
  expect([...new KeyHider("sk-key").headersOf(response)]).toEqual([["request-id", "r1"]]);
});
