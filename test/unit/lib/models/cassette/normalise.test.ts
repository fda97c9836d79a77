import { expect, test } from "bun:test";
import { hideSecretsIn } from "../../../../../lib/models/cassette/hide-secrets.ts";
import { normaliseRequest } from "../../../../../lib/models/cassette/normalise.ts";

function said(text: string): unknown {
  const normal = normaliseRequest({ text });
  return (normal as { text: unknown }).text;
}

test.each([
  ["id 0b5f9c1e-8a51-4c1e-9d6f-0a1b2c3d4e5f.", "id <uuid 1>."],
  ["user_0b5f9c1e-8a51-4c1e-9d6f-0a1b2c3d4e5f_x", "user_<uuid 1>_x"],
  ["at 2026-11-22T13:41:58.123Z", "at <time 1>"],
  ["2026-11-22 13:41:58 +0100 x", "<time 1> x"],
  ["released 2026-11-22", "released <time 1>"],
  ["Date:   Sun Nov 22 13:41:58 2026 +0000", "Date:   <time 1>"],
  ["Today is Sun Nov 22 2026.", "Today is <time 1>."],
  ["Today is November 22, 2026.", "Today is <time 1>."],
  ["Sun, 22 Nov 2026 13:41:58 GMT", "<time 1>"],
  ["-rw-r--r-- 1 me me 12 Nov 22 13:41 a.ts", "-rw-r--r-- 1 me me 12 <time 1> a.ts"],
  ["[13:41:58] done", "[<time 1>] done"],
  [`commit ${"a1".repeat(20)}`, "commit <hash 1>"],
  [`tree ${"a1".repeat(32)}`, "tree <hash 1>"],
  ["index 1234567..89abcde 100644", "index <hash 1>..<hash 2> 100644"],
  ["[main 1234567] Add door", "[main <hash 1>] Add door"],
  ["[detached HEAD (root-commit) abcdefa] x", "[detached HEAD (root-commit) <hash 1>] x"],
  ["HEAD is now at 7654321 Add door", "HEAD is now at <hash 1> Add door"],
  ["x\n1234567 Add door", "x\n<hash 1> Add door"],
  ["see e3b0c44", "see <hash 1>"],
  ["/tmp/tmp.a8Kd/out.txt", "/tmp/<temp 1>/out.txt"],
  ["/private/tmp/x-1: no", "/private/tmp/<temp 1>: no"],
  ["/var/folders/zz/abc/T/x-1/a", "/var/folders/<temp 1>/a"],
  ["# duration_ms 12.345", "# duration_ms <duration 1>"],
  ['{"duration_ms":71}', '{"duration_ms":<duration 1>}'],
  ["(pass) opens [0.52ms]", "(pass) opens [<duration 1>]"],
  ["Ran 3 tests in 2s", "Ran 3 tests in <duration 1>"],
  ["real 0m0.012s", "real <duration 1>"],
  ["http://127.0.0.1:40123/x", "http://127.0.0.1:<port 1>/x"],
])("an accident of a run becomes a placeholder: %s", (text, expected) => {
  expect(said(text)).toBe(expected);
});

test.each([
  "Wait 30 minutes, then 5 seconds",
  "limit = 1048576; 1000000 more",
  "version 1.2.3 of 2026",
  "a facade, defaced, decade",
  "0xff and #ffcc00",
  "port 8080 at localhost:8080",
  "line 12:34 of a.ts:10:5",
  "/tmp is a folder",
])("what may carry a meaning stays: %s", (text) => {
  expect(said(text)).toBe(text);
});

test("the same value has the same number everywhere, and another value another one", () => {
  const [a, b] = ["0b5f9c1e-8a51-4c1e-9d6f-0a1b2c3d4e5f", "1c5f9c1e-8a51-4c1e-9d6f-0a1b2c3d4e5f"];
  expect(normaliseRequest({ list: [a, b, a] })).toEqual({
    list: ["<uuid 1>", "<uuid 2>", "<uuid 1>"],
  });
  expect(normaliseRequest({ list: [b, a, b] })).toEqual({
    list: ["<uuid 1>", "<uuid 2>", "<uuid 1>"],
  });
  expect(normaliseRequest({ list: [b, a, a] })).not.toEqual(normaliseRequest({ list: [a, b, a] }));
});

test("neither the order of members, nor the model's name, nor who asks is part of a request", () => {
  const one = {
    model: "a",
    metadata: { user_id: "x" },
    user: "me",
    messages: [{ role: "user", content: "hi" }],
    max_tokens: 5,
  };
  const other = {
    max_tokens: 5,
    messages: [{ content: "hi", role: "user" }],
    model: "b",
    prompt_cache_key: "k",
  };
  expect(JSON.stringify(normaliseRequest(one))).toBe(JSON.stringify(normaliseRequest(other)));
  const inner = { messages: [{ model: "a" }] };
  expect(normaliseRequest(inner)).toEqual(inner);
});

test("numbers, null and bodies that are no object stay", () => {
  expect(normaliseRequest({ a: 1.5, b: null, c: true, d: [1] })).toEqual({
    a: 1.5,
    b: null,
    c: true,
    d: [1],
  });
  expect(normaliseRequest("text")).toBe("text");
  expect(normaliseRequest([2, 1])).toEqual([2, 1]);
});

test.each([
  ["digits", "1".repeat(300_000)],
  ["words behind a bracket", `[${"a ".repeat(150_000)}`],
  ["folders", "/tmp/".repeat(60_000)],
  ["spaces", " ".repeat(300_000)],
])("a strange text of 300 kB takes no longer than others: %s", (_, text) => {
  const begun = process.cpuUsage();
  normaliseRequest({ text });
  hideSecretsIn(`authorization${text}`, ["key"]);
  // A search that looks back over the whole text each time needs a minute of a processor.
  expect(process.cpuUsage(begun).user).toBeLessThan(20_000_000);
});
