// What `sett eval --with` compares.
import { expect, test } from "bun:test";
import { evalSettings, plainSetting } from "../../../../lib/config/eval-settings.ts";
import { errorOf } from "../../../support/error-of.ts";

const data = { agents: { coder: {}, tester: {} }, models: { cheap: {}, strong: {} } };

/** As the reader of the command line splits them. */
const settings = (...words: string[]) =>
  evalSettings(
    words.flatMap((word) => word.split(",")),
    data,
  );

test("without a word there is one setting, which is sett.yml as it is", () => {
  expect(settings()).toEqual([{ name: plainSetting, overrides: [] }]);
});

test("each value of a key is a setting, and several keys multiply", () => {
  expect(settings("coder.model=cheap,strong", "limits.review_rounds=1,3")).toMatchObject([
    { name: "coder.model=cheap limits.review_rounds=1" },
    { name: "coder.model=cheap limits.review_rounds=3" },
    { name: "coder.model=strong limits.review_rounds=1" },
    { name: "coder.model=strong limits.review_rounds=3" },
  ]);
});

test("an agent's name begins a key of that agent, and a number is one", () => {
  expect(settings("coder.bids[0].bid=review", "limits.review_rounds=2")[0]?.overrides).toEqual([
    {
      word: "coder.bids[0].bid=review",
      path: ["agents", "coder", "bids", 0, "bid"],
      value: "review",
    },
    { word: "limits.review_rounds=2", path: ["limits", "review_rounds"], value: 2 },
  ]);
});

test("a list, a map, a variable and an equals sign are values", () => {
  const valuesOf = (word: string) => settings(word).map(({ overrides: [one] }) => one?.value);
  expect(valuesOf("coder.command=[a,b],[c]")).toEqual([["a", "b"], ["c"]]);
  expect(valuesOf("coder.environment={A: x=1},{A: y}")).toEqual([{ A: "x=1" }, { A: "y" }]);
  expect(valuesOf(`coder.environment.A=\${B},c`)).toEqual([`\${B}`, "c"]);
});

test("a setting is called what was typed", () => {
  const names = settings("coder.prompts.execution={file: a.md},{file: b.md}", "coder.retries=1");
  expect(names.map(({ name }) => name)).toEqual([
    "coder.prompts.execution={file: a.md} coder.retries=1",
    "coder.prompts.execution={file: b.md} coder.retries=1",
  ]);
});

test.each([
  ["codr.model=x", "has no `codr` there", "Did you mean `coder`?"],
  ["agents.codr.model=x", "has no `codr` there", "Did you mean `coder`?"],
  ["lmits.budget=x", "has no `lmits` there", "Did you mean `limits`?"],
  ["cheap", "takes a key of sett.yml and its values, not `cheap`", "For example"],
  ["coder.model=", "is no list of values", "For example"],
  ["coder.model=[a", "is no list of values", "For example"],
])("%s is refused, with what to write", async (word, message, hint) => {
  expect(await errorOf(() => settings(word))).toMatchObject({
    ...{ code: "usage", message: expect.stringContaining(message) },
    hint: expect.stringContaining(hint),
  });
});

test("a key that is named twice, and too many settings, are refused", async () => {
  const twice = await errorOf(() => settings("coder.model=a", "agents.coder.model=b"));
  expect(twice).toMatchObject({ message: expect.stringContaining("twice") });
  const many = Array.from({ length: 8 }, (_, at) => at).join(",");
  const error = await errorOf(() => settings(`coder.retries=${many}`, `tester.retries=${many}`));
  expect(error).toMatchObject({ message: expect.stringContaining("more than 50 settings") });
});
