#!/usr/bin/env node
// Starts the program for this machine's platform, which npm has installed beside this package.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { constants } from "node:os";

const platform = `${process.platform}-${process.arch === "x64" ? "amd64" : process.arch}`;
const program = find(platform);

if (program === undefined) {
  console.error(
    `sett: npm has not installed the package sett-${platform}, which has the program for this machine.`,
  );
  console.error(
    `  → Install again without --omit=optional: npm install sett. There are packages for Linux and macOS, on amd64 and arm64.`,
  );
  process.exit(1);
}

// A terminal sends SIGINT and SIGQUIT to both processes: the program decides what to do, and this
// process ends with it.
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
for (const name of ["SIGINT", "SIGQUIT"]) process.on(name, () => {});
for (const name of ["SIGTERM", "SIGHUP"]) process.on(name, () => child.kill(name));
child.on("error", (error) => {
  console.error(`sett: ${program} cannot be started: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));

function find(name) {
  try {
    return createRequire(import.meta.url).resolve(`sett-${name}/sett`);
  } catch {
    return undefined;
  }
}
