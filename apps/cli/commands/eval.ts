// sett eval: tries goals with several settings of the sett, and compares what came of them.
import { resolve } from "node:path";
import { costJson } from "../../../lib/client/render/cost-text.ts";
import { exitCodes, SettError } from "../../../lib/model/errors.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import { shellWord } from "../../../lib/model/shell-word.ts";
import { type Evaluated, runEval } from "../eval/run-eval.ts";
import type { Instances } from "../eval/run-setting.ts";
import { cassetteArguments, fileArgument, jsonArgument } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";
import { evalReport } from "../render/eval-report.ts";
import type { Shell } from "../terminal/shell.ts";
import { endInstance } from "./down.ts";
import { startInstance } from "./up.ts";

const maxRuns = 100;
const maxParallel = 16;

export const evaluate = defineCommand({
  name: "eval",
  description: "try goals with several settings of the sett, and compare them",
  details: [
    "FILE has goals, and checks that their results must pass (docs/guides/evaluation.md). Each setting is tried in a clone of",
    "what is committed, with an instance of its own that is taken away at the end. Each run is a goal on record: its report",
    "and its record stay in a folder. `--with coder.model=cheap,strong` overrides a key of sett.yml by each of the values;",
    "several `--with` multiply. Exit code 0: all runs have passed; 1: some have not; 130: interrupted, and what was tried is",
    "shown.",
  ].join("\n"),
  args: {
    goals: {
      type: "positional",
      required: true,
      valueHint: "FILE",
      description: "the file with the goals",
    },
    with: {
      type: "string",
      isList: true,
      valueHint: "KEY=VALUE,…",
      description: "a key of sett.yml and its values; may be repeated",
    },
    runs: {
      type: "string",
      default: "1",
      valueHint: "N",
      description: "how often each goal is tried with each setting",
    },
    parallel: {
      type: "string",
      default: "1",
      valueHint: "N",
      description:
        "how many settings are tried at a time; the goals of each come one after another",
    },
    ...cassetteArguments,
    runtime: {
      type: "enum",
      options: ["docker", "process"],
      valueHint: "RUNTIME",
      description: "docker; or process: without isolation, as `sett up` has it",
    },
    file: fileArgument,
    to: {
      type: "string",
      valueHint: "DIR",
      description: "where reports and records go (default: a folder below .git/sett)",
    },
    keep: {
      type: "boolean",
      description: "leave the instances running; the next eval of the file takes them away",
    },
    json: jsonArgument,
  },
  examples: [
    "sett eval eval.yml",
    "sett eval eval.yml --with coder.model=cheap,strong --runs 3",
    "sett eval eval.yml --with coder.model=cheap,strong --with limits.review_rounds=1,3 --parallel 2",
    "sett eval eval.yml --replay ./cassettes  # in CI: no key, no network",
  ],
  endsItself: true,
  isOfThisMachine: true,
  async run(args, shell) {
    const { runtime, record, replay } = args;
    const evaluated = await runEval(
      {
        ...{ file: args.goals, config: args.file, parts: args.with },
        ...{ record: record && resolve(shell.cwd, record) },
        ...{ replay: replay && resolve(shell.cwd, replay), to: args.to, isKept: args.keep },
        runs: numberOf("--runs", args.runs, maxRuns),
        parallel: numberOf("--parallel", args.parallel, maxParallel),
      },
      shell,
      instancesIn(runtime),
    );
    await print(evaluated, args.json, shell);
    if (shell.interrupted.aborted) return exitCodes.interrupted;
    const hasPassed = evaluated.runs.every(({ outcome }) => outcome === "passed");
    return hasPassed ? exitCodes.done : exitCodes.failed;
  },
});

/** All that a clone's instance has made goes with it. */
function instancesIn(runtime: string | undefined): Instances {
  return {
    start: async (place, shell) =>
      await startInstance(
        { ...place, runtime, build: false, yes: false, unattended: false },
        shell,
      ),
    end: async (name: InstanceName, shell) => {
      // No work is left that could be finished.
      const all = { name, volumes: true, force: true, timeout: "1s" };
      await endInstance(all, shell).catch((error: unknown) => {
        const code = error instanceof SettError ? error.code : undefined;
        // Docker is asked where no processes were found, and has nothing of such an eval.
        const isElsewhere = code === "docker-unreachable" && runtime === "process";
        if (code !== "instance-not-found" && !isElsewhere) throw error;
      });
    },
  };
}

function numberOf(option: string, text: string, max: number): number {
  const number = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= max) return number;
  throw new SettError("usage", `${option} takes a number from 1 to ${max}, not \`${text}\`.`);
}

async function print(
  { settings, runs, count, folder, kept }: Evaluated,
  isJson: boolean,
  { out, messages }: Shell,
): Promise<void> {
  if (isJson) {
    const withCost = <One extends Pick<(typeof runs)[number], "cost">>(one: One) => ({
      ...one,
      cost: one.cost === null ? null : costJson(one.cost),
    });
    const json = { folder, settings: settings.map(withCost), runs: runs.map(withCost) };
    await out.write(`${JSON.stringify(json)}\n`);
  } else await out.write(evalReport(settings, runs, out, count));
  messages.note(`The report of each run, and all that is on record: ${folder}`);
  for (const clone of kept) messages.next(`cd ${shellWord(clone)} && sett status`);
}
