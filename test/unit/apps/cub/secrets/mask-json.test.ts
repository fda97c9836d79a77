import { expect, test } from "bun:test";
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
    '{"all":[secret s],"n":1}',
  );
  expect(maskedJson('{"hunter2hunter2":"a"}', masker({ s: "hunter2hunter2" }))).toBe(
    '{"[secret s]":"a"}',
  );
});

test("it says by which keys a place is reached", () => {
  const places: string[] = [];
  const json = '{"servers":[{"auth":{"token":"password"}},["x","password"]],"last":"password"}';
  maskedJson(json, masker({ s: "password" }), { onMasked: (path) => places.push(path) });
  expect(places).toEqual(["servers[].auth.token", "servers[][]", "last"]);
});
