// sett doctor: checks this machine and an instance, and names a remedy for each finding.
import { exitCodes } from "../../../lib/model/errors.ts";
import { gather } from "../doctor/gather.ts";
import { judge } from "../doctor/judge.ts";
import { countOf } from "../facts/finding.ts";
import { jsonArgument, nameArgument } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";
import { findingsJson, findingsReport } from "../render/findings-report.ts";
import { symbolsFor } from "../render/symbols.ts";

export const doctor = defineCommand({
  name: "doctor",
  description: "check this machine and its sett, and name a remedy for each finding",
  details: [
    "It changes nothing, and works without an instance, outside of a repository and without a Docker Engine: then it says",
    "so, and checks the rest. Exit code 1 when there is a problem. It names variables that look like secrets, and shows",
    "no value.",
  ].join("\n"),
  args: { name: nameArgument, json: jsonArgument },
  examples: [
    "sett doctor",
    "sett doctor --json | jq -r '.findings[] | select(.level == \"problem\") | .remedy'",
  ],
  async run(args, shell) {
    const findings = judge(await gather(shell, args.name), shell.suggest);
    const text = args.json
      ? JSON.stringify(findingsJson(findings))
      : findingsReport(findings, symbolsFor(shell.env), shell.out).join("\n");
    await shell.out.write(`${text}\n`);
    return countOf(findings, "problem") > 0 ? exitCodes.failed : exitCodes.done;
  },
});
