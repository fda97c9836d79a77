// The program `sett`: connects its parts. Only this file reads the environment.
import process from "node:process";
import { suggestFor } from "../../lib/client/text/suggest.ts";
import { exitCodes, SettError } from "../../lib/model/errors.ts";
import { goByProxies } from "../../lib/service/by-proxy.ts";
import packageJson from "../../package.json" with { type: "json" };
import { embeddedFile } from "./program/embedded-file.ts";
import { printError } from "./program/print-error.ts";
import { runCommand } from "./run-command.ts";
import { isHangupIgnored } from "./terminal/is-hangup-ignored.ts";
import { createMessages } from "./terminal/messages.ts";
import { createOutput } from "./terminal/output.ts";
import { watchReader } from "./terminal/reader-watch.ts";
import type { Shell } from "./terminal/shell.ts";

/** Shells report a program that a signal ended as 128 plus the signal's number. */
const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

// Not a command for people: the supervisor of a process that runs without a container. It handles
// signals itself.
if (process.argv[2] === "supervise") {
  const { supervise } = await import("../../lib/runtime/process/supervise.ts");
  await supervise(process.argv[3] ?? "");
  process.exit();
}

// Graphviz draws in a process of its own, which loads nothing else: no command for people, either.
if (process.argv[2] === "--draw") {
  const { runDrawer } = await import("../../lib/drawing/draw.ts");
  process.exit(await runDrawer(process));
}

// Deprecation warnings of libraries are for developers; users of `sett` could do nothing about
// them.
process.noDeprecation = true;

// Commands and sett.yml see the environment as the person has it.
const env = { ...process.env };
goByProxies(process.env);

const stop = new AbortController();
let isOver = false;
let interruptions = 0;
let abandonMessage: (() => SettError | undefined) | undefined;
for (const [name, code] of Object.entries(signals)) {
  // `nohup` has the program go on without its terminal.
  if (name === "SIGHUP" && isHangupIgnored()) continue;
  process.on(name, () => {
    // The kernel, the shell and a remote login each report the same closed terminal: that is no
    // impatient person.
    if (name === "SIGHUP" && stop.signal.aborted) return;
    interruptions += 1;
    // Something that the command left open, such as an output that is not read, keeps the program:
    // there is nothing more to undo.
    if (isOver) process.exit(code);
    process.exitCode = code;
    if (interruptions === 1) return stop.abort(name);
    // A second interruption ends the clean-up and prints what is left behind; a third one ends the
    // program at once.
    const message = interruptions === 2 ? abandonMessage?.() : undefined;
    if (message === undefined) process.exit(code);
    void printError(message, err, { isDebug: false }).finally(() => process.exit(code));
  });
}

// The reader of the output has closed the stream (`sett hoard | head -1`), or the terminal is gone.
// A half-done command is undone first, which needs no reader.
const leave = () => {
  if (stop.signal.aborted) return;
  if (abandonMessage === undefined) process.exit(0);
  stop.abort("SIGPIPE");
};
// A disk is full, for instance.
let hasFailed = false;
const fail = (cause: Error) => {
  if (hasFailed) return;
  hasFailed = true;
  process.exitCode = exitCodes.failed;
  const error = new SettError("output-failed", `The output cannot be written: ${cause.message}`, {
    hint: "What was written so far is incomplete. Make room where it goes, and run the command again.",
    cause,
  });
  const end = () => {
    if (abandonMessage === undefined) process.exit(exitCodes.failed);
    stop.abort("output-failed");
  };
  void printError(error, err, { isDebug: false }).finally(end);
};
// A command whose messages alone are lost goes on: its exit code says how it ended.
const err = createOutput(process.stderr, process.env, { onClosed: leave, onFailed: () => {} });
const shell: Shell = {
  env,
  cwd: process.cwd(),
  version: packageJson.version,
  carried: embeddedFile,
  suggest: suggestFor(undefined),
  out: createOutput(process.stdout, process.env, { onClosed: leave, onFailed: fail }),
  err,
  messages: createMessages(err),
  stdin: () => process.stdin,
  isInteractive: process.stdin.isTTY === true && err.isTerminal,
  interrupted: stop.signal,
  onAbandon: (message) => {
    abandonMessage = message;
  },
};

// A command that would undo something first goes on without its reader.
watchReader(() => {
  if (abandonMessage === undefined) leave();
});

const code = await runCommand(process.argv.slice(2), shell);
isOver = true;
// A large output may not be written yet: the process ends by itself, with this code, when it is.
if (process.exitCode === undefined) process.exitCode = code;
if (stop.signal.aborted) process.exit();
// A request that is still under way would keep the program.
stop.abort("over");
