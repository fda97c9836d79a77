// sett report: the story of a goal, for a pull request or an auditor.

import { readGoalState } from "../../../lib/client/facts/goal.ts";
import { readReport, reportJson } from "../../../lib/client/facts/report.ts";
import { resolveGoalId } from "../../../lib/client/facts/resolve-id.ts";
import { reportBlocks } from "../../../lib/client/render/report-blocks.ts";
import { htmlOf } from "../../../lib/client/render/report-html.ts";
import { markdownOf } from "../../../lib/client/render/report-markdown.ts";
import { newestGoal } from "../facts/newest-goal.ts";
import { openHistory } from "../instance/open-history.ts";
import { archiveArgument, goalArgument, nameArgument } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";

export const report = defineCommand({
  name: "report",
  description: "tell the story of a goal, for a pull request or an auditor",
  details: [
    "Prints the goal, what came of it, who did what, why it was made again, the checks with the ends of their outputs, all",
    "verdicts, what models have cost, and how to verify it. Without GOAL, of the newest goal. What agents and people have",
    "written can neither mention, link nor format anything, and has no hidden characters. The HTML is one file that loads",
    "nothing.",
  ].join("\n"),
  args: {
    goal: goalArgument,
    format: {
      type: "enum",
      options: ["markdown", "html", "json"],
      default: "markdown",
      valueHint: "FORMAT",
      description: "markdown, html or json",
    },
    archive: archiveArgument,
    name: nameArgument,
  },
  examples: [
    "sett report 9f3a12b4 | gh pr create --title Release --body-file -",
    "sett report 9f3a12b4 --format html > report.html",
    "sett report 9f3a12b4 --format json | jq .verdicts",
  ],
  async run(args, shell) {
    await using opened = await openHistory(shell, args);
    const { board, live } = opened;
    const { suggest } = shell;
    const goal =
      args.goal === undefined
        ? await newestGoal(board, shell)
        : await resolveGoalId(board, args.goal, suggest);
    const state = live === undefined ? undefined : (await readGoalState(live, goal)).status.state;
    const story = await readReport(board, goal, { state, suggest });
    const text =
      args.format === "json"
        ? `${JSON.stringify(reportJson(story, suggest))}\n`
        : args.format === "html"
          ? htmlOf(story.result.summary, reportBlocks(story, suggest))
          : markdownOf(reportBlocks(story, suggest));
    await shell.out.write(text);
    return undefined;
  },
});
