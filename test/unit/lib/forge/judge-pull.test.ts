import { expect, test } from "bun:test";
import { judgePull, type PullFacts } from "../../../../lib/forge/judge-pull.ts";
import type { Check, Opinion, Pull } from "../../../../lib/forge/port.ts";
import { PullRequestFile } from "../../../../lib/model/config-forges.ts";

const commit = "a".repeat(40);
const older = "b".repeat(40);
const pull: Pull = {
  ...{ number: 7, url: "", state: "open", branch: "sett/x", head: commit, base: "main" },
  ...{ isOwn: true, mergedAs: undefined, title: "", body: "" },
};
const check = (name: string, state: Check["state"], text = ""): Check => ({ name, state, text });
const opinion = (account: string, says: Opinion["says"], of = commit, id = 1): Opinion => ({
  ...{ id, account, says, commit: of, text: "" },
});
type Said = Partial<Omit<PullFacts, "settings">> & {
  list?: Check[];
  said?: Opinion[];
  settings?: Partial<PullRequestFile>;
};
function judged({ list = [], said = [], settings = {}, ...facts }: Said) {
  return judgePull({
    ...{ commit, pull, required: [], remarks: new Map(), waitedMs: 0 },
    isMeant: (one, name) => one === name,
    ...{ checks: { list, isWhole: true }, opinions: { list: said, isWhole: true } },
    accounts: { ada: "ada", "bob-x": "bob" },
    settings: PullRequestFile.parse({ base: "main", ...settings }),
    ...facts,
  } as PullFacts);
}
const kindOf = (facts: Said) => judged(facts).kind;

test("approvals of known people for this commit count, and no others", () => {
  const ofAda = opinion("Ada", "approves");
  expect(kindOf({ said: [ofAda] })).toBe("approves");
  expect(kindOf({ said: [opinion("mallory", "approves")] })).toBe("waits");
  expect(kindOf({ said: [opinion("constructor", "approves")] })).toBe("waits");
  expect(kindOf({ said: [opinion("ada", "approves", older)] })).toBe("waits");
  expect(kindOf({ said: [ofAda, opinion("ada", "nothing")] })).toBe("waits");
  // One person twice is one person.
  expect(kindOf({ said: [ofAda, ofAda], settings: { approvals: 2 } })).toBe("waits");
  const both = [ofAda, opinion("bob-x", "approves")];
  expect(kindOf({ said: both, settings: { approvals: 2 } })).toBe("approves");
});

test("the last opinion of a person counts, and a comment takes no approval back", () => {
  const [no, yes] = [opinion("ada", "rejects"), opinion("ada", "approves")];
  expect(kindOf({ said: [no, yes] })).toBe("approves");
  expect(kindOf({ said: [yes, no] })).toBe("rejects");
  expect(kindOf({ said: [yes, opinion("ada", "comments")] })).toBe("approves");
  expect(kindOf({ said: [no, opinion("ada", "comments")] })).toBe("rejects");
  expect(kindOf({ said: [opinion("ada", "rejects", older)] })).toBe("waits");
  expect(kindOf({ said: [opinion("mallory", "rejects"), yes] })).toBe("approves");
});

test("checks count as sett.yml says: those that are required, all, or none", () => {
  const said = [opinion("ada", "approves")];
  const list = [check("lint", "failure", "line 3"), check("test", "success")];
  expect(kindOf({ said, list, required: ["test"] })).toBe("approves");
  expect(judged({ said, list, required: ["lint"] })).toMatchObject({
    kind: "rejects",
    words: expect.stringContaining("The check lint has failed.\n> line 3"),
  });
  expect(kindOf({ said, list, settings: { checks: "all" } })).toBe("rejects");
  expect(kindOf({ said, list, settings: { checks: "none" } })).toBe("approves");
  // A required check that has not reported yet is waited for; Sett's own is not.
  expect(kindOf({ said, list, required: ["test", "build"] })).toBe("waits");
  expect(kindOf({ said, list, required: ["test", "sett"] })).toBe("approves");
  expect(kindOf({ said, list: [check("test", "pending")], required: ["test"] })).toBe("waits");
  // Without approvals, something has to say yes.
  expect(kindOf({ settings: { approvals: 0 } })).toBe("waits");
  expect(kindOf({ settings: { approvals: 0 }, list, required: ["test"] })).toBe("approves");
});

test("a check that does not come or end is left to a person in the end, who learns which", () => {
  const said = [opinion("ada", "approves")];
  const hours = (count: number) => count * 60 * 60_000;
  const missing = { said, list: [check("test", "success")], required: ["test", "build"] };
  expect(kindOf({ ...missing, waitedMs: hours(1) })).toBe("waits");
  expect(judged({ ...missing, waitedMs: hours(1.1) })).toMatchObject({
    kind: "stops",
    why: expect.stringContaining("The forge requires build, which nothing has reported"),
  });
  const pending = { said, list: [check("test", "pending")], required: ["test"] };
  expect(kindOf({ ...pending, waitedMs: hours(23) })).toBe("waits");
  expect(judged({ ...pending, waitedMs: hours(25) })).toEqual({
    kind: "stops",
    why: "test has not ended for a day",
  });
  // Those that do not count hold up nothing.
  expect(kindOf({ ...pending, settings: { checks: "none" }, waitedMs: hours(25) })).toBe(
    "approves",
  );
});

test("what is not the pull request on record is left to a person", () => {
  const said = [opinion("ada", "approves")];
  expect(kindOf({ said, pull: { ...pull, head: older } })).toBe("waits");
  expect(kindOf({ said, pull: { ...pull, head: older, state: "merged" } })).toBe("stops");
  expect(kindOf({ said, pull: { ...pull, base: "other" } })).toBe("stops");
  expect(kindOf({ said, opinions: { list: said, isWhole: false } })).toBe("stops");
  expect(kindOf({ said, pull: { ...pull, state: "closed" } })).toBe("stops");
});

test("the remarks of a comment are not lost by a second one without any", () => {
  const said = [opinion("ada", "comments", commit, 1), opinion("ada", "comments", commit, 2)];
  const list = [{ path: "a.txt", line: 1, text: "Say two." }];
  const remarks = new Map([[1, { list, isWhole: true }]]);
  expect(judged({ said, remarks })).toMatchObject({
    kind: "rejects",
    words: expect.stringContaining("Say two."),
  });
  expect(kindOf({ said: [...said, opinion("ada", "approves", commit, 3)], remarks })).toBe(
    "approves",
  );
});
