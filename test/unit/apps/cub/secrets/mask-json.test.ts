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
