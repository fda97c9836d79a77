import { expect, test } from "bun:test";
import { judgeExchange } from "../../../../../apps/cli/doctor/judge-exchange.ts";

const folder = { agent: "one", path: "/w/.git/sett/exchange/demo/one", unpublished: [], bytes: 0 };
const judge = (folders: Parameters<typeof judgeExchange>[0], limit = 1024 ** 3) =>
  judgeExchange(folders, new Map([["one", limit]]), "sett hoard");

test("an exchange that holds nothing but published commits is fine, and one that is not known is not judged", () => {
  expect(judge([])).toEqual([
    {
      subject: "instance",
      check: "exchange",
      level: "ok",
      found: "holds nothing but published commits",
    },
  ]);
  expect(judge(undefined)).toEqual([]);
});

test("what an agent has left is named, at most three of it, with its folder in the remedy", () => {
  const [finding] = judge([{ ...folder, unpublished: ["a", "b", "c", "d"] }]);
  expect(finding).toMatchObject({
    subject: "agent one",
    check: "exchange",
    level: "warning",
    found: "its folder has what was not published: a, b, c and 1 more",
    remedy: expect.stringContaining(folder.path),
  });
  expect(judge([{ ...folder, unpublished: ["run.sh"] }])[0]?.found).toBe(
    "its folder has what was not published: run.sh",
  );
});

test("a folder that cannot be looked into is named", () => {
  const problem = `${folder.path} is not read: it cannot be opened.`;
  expect(judge([{ ...folder, problem }])).toMatchObject([
    { subject: "agent one", level: "warning", found: problem },
  ]);
});

test("from half of the limit on it warns of results that are not fetched, and says how", () => {
  const finding = (bytes: number) => judge([{ ...folder, bytes }])[0];
  expect(finding(0.49 * 1024 ** 3)?.level).toBe("ok");
  expect(finding(0.5 * 1024 ** 3)).toMatchObject({
    subject: "agent one",
    level: "warning",
    found: "512 MiB of results that are not fetched, of 1.0 GiB that it may have",
    remedy: "`sett hoard` fetches them into the repository, and takes them out of the exchange.",
  });
  expect(finding(1024 ** 3)?.level).toBe("problem");
  expect(judge([{ ...folder, agent: "unknown", bytes: 1024 ** 4 }])[0]?.level).toBe("ok");
});
