import { expect, test } from "bun:test";
import { readReport, reportJson } from "../../../../../lib/client/facts/report.ts";
import { reportBlocks } from "../../../../../lib/client/render/report-blocks.ts";
import { htmlOf } from "../../../../../lib/client/render/report-html.ts";
import { markdownOf } from "../../../../../lib/client/render/report-markdown.ts";
import { suggestFor } from "../../../../../lib/client/text/suggest.ts";
import { CommitHash, InstanceName } from "../../../../../lib/model/ids.ts";
import { blackboardInMemory } from "../../../../support/blackboard/in-memory.ts";
import { derived, nextVersion } from "../../../../support/records/lineage.ts";

const suggest = suggestFor(undefined);
const hostile =
  '@ada #1 | <script>alert(1)</script> ![x](http://x.invalid/y) ``` `` [a](javascript:x)\u202e\u001b[2J "quoted" <b>';

/** A goal with two versions of a commit, all of whose words are hostile. */
async function story() {
  const commit = CommitHash.parse("1".repeat(40));
  const words = { metadata: { summary: hostile, commit }, payload: `${hostile}\n---\n# Ada` };
  const goal = derived([], { ...words, payload: `${hostile}\n\`\`\`\n# Approved` });
  const first = derived([goal], { ...words, type: hostile, produced_by_agent: "coder" });
  const second = { ...nextVersion(first), metadata: words.metadata };
  const failure = derived([second], {
    ...{ structural_type: "Failure", type: "ToolExecutionFailure", produced_by_agent: "tester" },
    payload: JSON.stringify({
      ...{ reason: hostile, exit_code: 1, signal: null, timed_out: false, duration_ms: 1 },
      ...{ stdout: `${"line\n".repeat(500)}\r50 %\r99 %\rthe last line`, stderr: hostile },
    }),
  });
  await using board = await blackboardInMemory({ instance: InstanceName.parse("demo") }).open();
  for (const one of [goal, first, second, failure])
    expect(await board.createArtefact(one, "person:Ada <ada@example.org>")).toMatchObject({
      outcome: "created",
    });
  return await readReport(board, goal.goal_id, { state: "achieved", suggest });
}

test("what others have written is no markup, mention or link of a report in Markdown", async () => {
  const text = markdownOf(reportBlocks(await story(), suggest));
  expect(text).not.toContain("\u202e");
  expect(text).not.toContain("\u001b");
  // Without its fences and code spans nothing of theirs is left.
  const own = text
    .replace(/^(`{3,})text\n[\s\S]*?\n\1$/gm, "")
    .replace(/(?<!`)(`+)(?!`)[^\n]*?[^`]\1(?!`)/g, "");
  expect(own).not.toMatch(/@ada|<script|javascript|x\.invalid|Approved|# Ada/);
  expect(own).toContain("## How to verify");
  const rows = text.split("\n").filter((row) => row.startsWith("| 20"));
  expect(rows.map((row) => row.split("|").length)).toEqual([7, 7, 7, 7]);
});

test("a report in HTML has the elements of its own and no others, and loads nothing", async () => {
  const report = await story();
  const html = htmlOf(report.result.summary, reportBlocks(report, suggest));
  const elements = new Set<string>();
  const attributes = new Set<string>();
  const rewriter = new HTMLRewriter().on("*", {
    element(one) {
      elements.add(one.tagName);
      for (const [name] of one.attributes) attributes.add(name);
    },
  });
  rewriter.transform(html);
  expect([...elements].toSorted()).toEqual(
    [
      ...["bdi", "body", "h1", "h2", "head", "html", "meta", "p", "pre"],
      ...["style", "table", "td", "th", "title", "tr"],
    ].toSorted(),
  );
  expect([...attributes].toSorted()).toEqual([
    "charset",
    "content",
    "dir",
    "http-equiv",
    "lang",
    "name",
  ]);
  expect(html).not.toContain("\u202e");
  expect(html).not.toContain("\u001b");
});

test("a report names the people of the record, and has the end of what a failed command printed", async () => {
  const report = await story();
  expect(report.posted_by).toBe("Ada");
  expect(report.failures[0]?.output).toStartWith("… ");
  expect(report.failures[0]?.output).toContain("line\nthe last line");
  expect(reportJson(report, suggest)).toMatchObject({
    result: { commits: [{ version: 2, ref: expect.stringContaining("refs/sett/") }] },
    work: [{ by: "Ada", is_person: true }, { by: "coder" }, { version: 2 }, { by: "tester" }],
  });
});
