// sett doctor: checks this machine and an instance, and names a remedy for each finding.
import { exitCodes, SettError } from "../../../lib/model/errors.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import { gather } from "../doctor/gather.ts";
import { judge } from "../doctor/judge.ts";
import { findingsOfModels } from "../doctor/judge-models.ts";
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
  args: {
    models: {
      type: "boolean",
      description: "ask each model for a sentence and a call of a tool, which costs a little",
    },
    name: nameArgument,
    json: jsonArgument,
  },
  examples: [
    "sett doctor",
    "sett doctor --models",
    "sett doctor --json | jq -r '.findings[] | select(.level == \"problem\") | .remedy'",
  ],
  async run(args, shell) {
    const facts = await gather(shell, args.name);
    const findings = judge(facts, shell.suggest);
    if (args.models) {
      if (facts.instance === undefined)
        throw new SettError("not-ready", "There is no instance whose models could be asked.", {
          hint: "`sett up` starts one.",
        });
      findings.push(...(await findingsOfModels(shell, InstanceName.parse(facts.instance.name))));
    }
    const text = args.json
      ? JSON.stringify(findingsJson(findings))
      : findingsReport(findings, symbolsFor(shell.env), shell.out).join("\n");
    await shell.out.write(`${text}\n`);
    return countOf(findings, "problem") > 0 ? exitCodes.failed : exitCodes.done;
  },
});
