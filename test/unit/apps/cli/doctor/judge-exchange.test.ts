import { expect, test } from "bun:test";
import { judgeExchange } from "../../../../../apps/cli/doctor/judge-exchange.ts";

const folder = { agent: "one", path: "/w/.git/sett/exchange/demo/one", names: [] };

test("an exchange that holds nothing but published commits is fine, and one that is not known is not judged", () => {
  expect(judgeExchange([])).toEqual([
    { subject: "instance", check: "exchange", level: "ok", found: "holds nothing but published commits" },
  ]);
  expect(judgeExchange(undefined)).toEqual([]);
});

test("what an agent has left is named, at most three of it, with its folder in the remedy", () => {
  const [finding] = judgeExchange([{ ...folder, names: ["a", "b", "c", "d"] }]);
  expect(finding).toMatchObject({
    subject: "agent one",
    check: "exchange",
    level: "warning",
    found: "its folder has what was not published: a, b, c and 1 more",
    remedy: expect.stringContaining(folder.path),
  });
  expect(judgeExchange([{ ...folder, names: ["run.sh"] }])[0]?.found).toBe("its folder has what was not published: run.sh");
});

test("a folder that cannot be looked into is named", () => {
  const problem = `${folder.path} is not read: it cannot be opened.`;
  expect(judgeExchange([{ ...folder, problem }])).toMatchObject([{ subject: "agent one", level: "warning", found: problem }]);
});
