import { expect, test } from "bun:test";
import { type BudgetNews, noticeBody } from "../../../../lib/core/notice.ts";
import { postedAs, type Sent } from "../../../../lib/core/notice-forms.ts";
import { InstanceName } from "../../../../lib/model/ids.ts";
import { Hold } from "../../../../lib/model/spending.ts";

const instance = InstanceName.parse("demo");
const at = "2026-11-26T12:00:00.000Z";
const sentWith = (text: string): Sent => ({
  ...{ type: "budget.reached", instance, at, reminder: 0, goal: undefined, artefact: undefined },
  ...{ approver: undefined, answer_with: undefined, budget: { text }, link: undefined },
});

test("a receiver of ntfy gets at its root what is behind the address's question mark, too", () => {
  const post = (url: string) => {
    const { path, body } = postedAs("ntfy", sentWith("Spent."), url);
    return [path, JSON.parse(body).topic];
  };
  expect(post("https://ntfy.sh/setts")).toEqual(["/", "setts"]);
  expect(post("https://example.org/ntfy/setts?auth=QmVhcmVy")).toEqual([
    "/ntfy?auth=QmVhcmVy",
    "setts",
  ]);
});

test("of a commit a chat gets the goal that it is for, and not only its hash", () => {
  const commit = "c22ec6196758c60dd75f058a4b63851934ec8aab";
  const sent: Sent = {
    ...{ instance, at, reminder: 0, type: "approval.wanted" },
    ...{ approver: undefined, answer_with: undefined, link: undefined },
    goal: { id: "a0394296", summary: "Open the door to badgers" },
    artefact: { id: "4375ec96", type: "CodeCommit", by: "coder", summary: "A door", text: commit },
  };
  const textIn = (form: "slack" | "ntfy" | { text: string }) =>
    postedAs(form, sent, "https://example.org/setts").body;
  for (const form of ["slack", "ntfy", { text: "{{ text }}" }] as const)
    expect(textIn(form)).toContain(`Goal: Open the door to badgers\\nCommit ${commit}`);
});

test("no form cuts a text within a character", () => {
  for (const before of ["x", "xx"]) {
    const text = before + "🦡".repeat(2_000);
    const slack = JSON.parse(postedAs("slack", sentWith(text), "https://example.org/s").body);
    const ntfy = JSON.parse(postedAs("ntfy", sentWith(text), "https://example.org/s").body);
    const [header, section] = slack.blocks.map(
      (block: { text: { text: string } }) => block.text.text,
    );
    for (const cut of [header, section, ntfy.message]) expect(cut.isWellFormed()).toBe(true);
    expect(header.length).toBeLessThanOrEqual(150);
  }
});

test("the command of a budget takes a person's name for one word, whatever it is", () => {
  const commandFor = (whose: string) => {
    const hold = Hold.parse({ whose, period: "day:2026-11-26", kind: "calls", limit: 1, spent: 1 });
    const budget: BudgetNews = { ...hold, isReached: true };
    const notice = { id: "n", kind: "budget" as const, at, goal: undefined, budget };
    const hook = { url: "https://example.org/h" };
    const { body } = noticeBody(notice, { instance, reminder: 0, hook });
    return /--per day(.*) --name demo/.exec(JSON.parse(body).answer_with[0])?.[1];
  };
  expect(commandFor("instance")).toBe("");
  expect(commandFor("person:ada@example.org")).toBe(" --of ada@example.org");
  expect(commandFor("person:ada lovelace")).toBe(" --of 'ada lovelace'");
  expect(commandFor("person:$(rm -rf ~); o'neill")).toBe(" --of '$(rm -rf ~); o'\\''neill'");
  expect(commandFor("person:instance")).toBe(" --of person:instance");
  expect(commandFor("trigger:nightly")).toBe(" --of trigger:nightly");
});
