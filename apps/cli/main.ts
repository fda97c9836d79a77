// The program `sett`: wires the parts, and alone reads the environment.
import process from "node:process";
import packageJson from "../../package.json" with { type: "json" };
import { createMessages } from "./messages.ts";
import { createOutput } from "./output.ts";
import { runCommand } from "./run-command.ts";
import type { Shell } from "./shell.ts";

/** Shells report a program that a signal ended as 128 plus the signal's number. */
const signals = { SIGINT: 130, SIGTERM: 143 } as const;

const stop = new AbortController();
let interruptions = 0;
for (const [name, code] of Object.entries(signals)) {
  process.on(name, () => {
    interruptions += 1;
    // Who asks a second time does not want to wait for anything to be tidied up.
    if (interruptions > 1) process.exit(code);
    process.exitCode = code;
    stop.abort(name);
  });
}

// Whoever read our output has left: nobody is there to be told anything.
const leave = () => process.exit(0);
const err = createOutput(process.stderr, process.env, leave);
const shell: Shell = {
  env: process.env,
  cwd: process.cwd(),
  version: packageJson.version,
  out: createOutput(process.stdout, process.env, leave),
  err,
  messages: createMessages(err),
  stdin: () => process.stdin,
  interrupted: stop.signal,
};

const code = await runCommand(process.argv.slice(2), shell);
// A big answer may still be on its way: the process ends by itself, with this code, when it is out.
if (process.exitCode === undefined) process.exitCode = code;
if (stop.signal.aborted) process.exit();
