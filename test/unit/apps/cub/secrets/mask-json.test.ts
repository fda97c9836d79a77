import { expect, test } from "bun:test";
import fc from "fast-check";
import { maskedJson } from "../../../../../apps/cub/secrets/mask-json.ts";
import { maskerOf } from "../../../../../apps/cub/secrets/masker.ts";

const masker = (values: Record<string, string>) =>
  maskerOf(Object.entries(values).map(([name, value]) => [name, Buffer.from(value)]));

test.each([
  [
    "Standard",
    '{"Standard":"a Standard","n":[1.0,{"b":"Standard"}]}',
    '{"Standard":"a [secret s]","n":[1.0,{"b":"[secret s]"}]}',
  ],
  [
    "20261125",
    '{"at":20261125,"text":"on 20261125\\n"}',
    '{"at":20261125,"text":"on [secret s]\\n"}',
  ],
  ["3.141592", '[ 3.141592, "3.141592" ]', '[ 3.141592, "[secret s]" ]'],
  ["nightly-build", '{"a":"\\nightly-build"}', '{"a":"\\nightly-build"}'],
])("%j is masked within strings alone", (value, json, masked) => {
  expect(maskedJson(json, masker({ s: value }))).toBe(masked);
});

test("a value that no tool writes by accident is masked in keys as well, and where it is itself JSON", () => {
  const value = '{"id":"robot-4711","key":"Zq81-xcV_02"}';
  expect(maskedJson(`{"all":${value},"n":1}`, masker({ s: value }))).toBe(
    '{"all":"[secret s]","n":1}',
  );
  expect(maskedJson('{"hunter2hunter2":"a"}', masker({ s: "hunter2hunter2" }))).toBe(
    '{"[secret s]":"a"}',
  );
});

test.each([
  ["12345678901234567", '{"n":12345678901234567,"m":[1]}', '{"n":"[secret s]","m":[1]}'],
  ["12345678901234567", "[-912345678901234567.5, 2]", '["-9[secret s].5", 2]'],
  ["3.141592653589793", '{"pi":3.141592653589793}', '{"pi":3.141592653589793}'],
  ["[1764, 1765000000, 99]", '{"a":[1764, 1765000000, 99]}', '{"a":"[secret s]"}'],
  ["[17, 4, 2026]", '{"a":[17, 4, 2026]}', '{"a":[17, 4, 2026]}'],
  ['"hunter2hunter2"', '{"hunter2hunter2":1}', '{"[secret s]":1}'],
  ['"hunter2hunter2"', '{"a":["hunter2hunter2"]}', '{"a":["[secret s]"]}'],
  ['"Standard"', '{"Standard":["Standard"]}', '{"Standard":["Standard"]}'],
  ["true, false", '{"a":[true, false],"b":"true, false"}', '{"a":[true, false],"b":"[secret s]"}'],
  ["null, 17, hunter", "[null, 17, true]", "[null, 17, true]"],
])("%j leaves %s valid JSON", (value, json, masked) => {
  expect(maskedJson(json, masker({ s: value }))).toBe(masked);
});

test.each([
  [
    '"}],"token":"',
    '{"a":[{"b":"x"}],"token":"y","c":1}',
    '{"a":[{"b":"x"}],"[secret s]":"y","c":1}',
  ],
  ['name":{"first', '{"name":{"first":1},"n":2}', '{"[secret s]":{"[secret s]":1},"n":2}'],
  [
    '"ab","cd","ef"',
    '["x","ab","cd","ef","y"]',
    '["x","[secret s]","[secret s]","[secret s]","y"]',
  ],
  ['12,"key-4711":', '{"n":12,"key-4711":3}', '{"n":"[secret s]","[secret s]":3}'],
  ["1765000000,1764000000", "[1765000000,1764000000]", '["[secret s]","[secret s]"]'],
  ['\\ne","ta\\u00e4', '["o\\ne","ta\\u00e4il"]', '["o[secret s]","[secret s]il"]'],
  [
    '"id":"robot","key":"Zq81"',
    '{"id":"robot","key":"Zq81","n":1}',
    '{"[secret s]":"[secret s]","[secret s] 2":"[secret s]","n":1}',
  ],
])(
  "%j, which cuts the structure of %s, leaves it valid, and what is beside it",
  (value, json, masked) => {
    const found = maskedJson(json, masker({ s: value }));
    expect(JSON.parse(found)).toEqual(JSON.parse(masked));
    expect(found).toBe(masked);
  },
);

test("two keys that are masked in one object stay two", () => {
  const value = "hunter2hunter2";
  const json = JSON.stringify({ [value]: 1, [btoa(value)]: 2, [encodeURIComponent(value)]: 3 });
  expect(Object.values(JSON.parse(maskedJson(json, masker({ s: value }))))).toEqual([3, 2]);
});

test("whatever part of a JSON text is a secret, what is left is JSON of the same form", () => {
  const form = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(form)
      : typeof value === "object" && value !== null
        ? Object.values(value).map(form)
        : 0;
  const word = fc.string({ unit: "grapheme", maxLength: 12 });
  const leaf = fc.oneof(word, fc.integer(), fc.boolean(), fc.constant(null));
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof({ maxDepth: 3 }, leaf, fc.array(tie("tree")), fc.dictionary(word, tie("tree"))),
  }));
  const parts = fc.tuple(fc.nat(), fc.integer({ min: 8, max: 60 }));
  fc.assert(
    fc.property(fc.record({ a: tree, b: tree, c: tree }), parts, (value, [at, length]) => {
      const json = JSON.stringify(value);
      const from = at % json.length;
      const secret = json
        .slice(from, from + length)
        .toWellFormed()
        .trim();
      const masked = maskedJson(json, masker({ s: secret }));
      expect(() => JSON.parse(masked)).not.toThrow();
      // A value that is a whole list or object becomes one mask.
      if (!/^[[{]/.test(secret)) expect(form(JSON.parse(masked))).toEqual(form(JSON.parse(json)));
    }),
    { numRuns: 500 },
  );
});

test("whatever number, list or object is the value of a secret, what is left is valid JSON without it", () => {
  const digits = fc.stringMatching(/^[1-9][0-9]{16,30}$/);
  const value = fc.oneof(
    digits,
    fc.array(digits, { minLength: 1, maxLength: 3 }).map((all) => `[${all.join(",")}]`),
    fc
      .dictionary(fc.stringMatching(/^[a-z]{1,4}$/), digits, { minKeys: 1 })
      .map((all) => JSON.stringify(all)),
  );
  fc.assert(
    fc.property(value, fc.jsonValue(), (secret, other) => {
      const json = `{"other":${JSON.stringify(other)},"it":${secret},"list":[1,${secret}]}`;
      const masked = maskedJson(json, masker({ s: secret }));
      for (const [number = ""] of secret.matchAll(/\d{17,}/g)) expect(masked).not.toContain(number);
      expect(Object.keys(JSON.parse(masked))).toEqual(["other", "it", "list"]);
    }),
  );
});

test("it says by which keys a place is reached", () => {
  const places: string[] = [];
  const json = '{"servers":[{"auth":{"token":"password"}},["x","password"]],"last":"password"}';
  maskedJson(json, masker({ s: "password" }), { onMasked: (path) => places.push(path) });
  expect(places).toEqual(["servers[].auth.token", "servers[][]", "last"]);
});
