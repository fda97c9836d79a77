// The program `sett`: wires the parts, and alone reads the environment.
import process from "node:process";
import type { SettError } from "../../lib/model/errors.ts";
import packageJson from "../../package.json" with { type: "json" };
import { embeddedFile } from "./program/embedded-file.ts";
import { printError } from "./program/print-error.ts";
import { runCommand } from "./run-command.ts";
import { createMessages } from "./terminal/messages.ts";
import { createOutput } from "./terminal/output.ts";
import type { Shell } from "./terminal/shell.ts";
import { suggestFor } from "./text/suggest.ts";

/** Shells report a program that a signal ended as 128 plus the signal's number. */
const signals = { SIGINT: 130, SIGTERM: 143 } as const;

// No command for people: what looks after a process that runs without a container. It has its own ways to end.
if (process.argv[2] === "supervise") {
  const { supervise } = await import("../../lib/runtime/process/supervise.ts");
  await supervise(process.argv[3] ?? "");
  process.exit();
}

// A library's way of speaking to its developers: users of `sett` could do nothing about it.
process.noDeprecation = true;

const stop = new AbortController();
let interruptions = 0;
let lastWords: () => SettError | undefined = () => undefined;
for (const [name, code] of Object.entries(signals)) {
  process.on(name, () => {
    interruptions += 1;
    process.exitCode = code;
    if (interruptions === 1) return stop.abort(name);
    // Who asks a second time does not want to wait for anything to be tidied up; a third time, not even for a sentence.
    const left = interruptions === 2 ? lastWords() : undefined;
    if (left === undefined) process.exit(code);
    void printError(left, err, { isDebug: false }).finally(() => process.exit(code));
  });
}

// Whoever read our output has left: nobody is there to be told anything.
const leave = () => process.exit(0);
const err = createOutput(process.stderr, process.env, leave);
const shell: Shell = {
  env: process.env,
  cwd: process.cwd(),
  version: packageJson.version,
  carried: embeddedFile,
  suggest: suggestFor(undefined),
  out: createOutput(process.stdout, process.env, leave),
  err,
  messages: createMessages(err),
  stdin: () => process.stdin,
  isInteractive: process.stdin.isTTY === true && err.isTerminal,
  interrupted: stop.signal,
  ifAbandoned: (tell) => {
    lastWords = tell;
  },
};

const code = await runCommand(process.argv.slice(2), shell);
// A big answer may still be on its way: the process ends by itself, with this code, when it is out.
if (process.exitCode === undefined) process.exitCode = code;
if (stop.signal.aborted) process.exit();
