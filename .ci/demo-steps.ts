// The steps of a demo: commands as a person would type them, shown before they run.
import { join, resolve } from "node:path";

export const project = resolve(import.meta.dir, "..");
export const sett = join(project, "bin/sett");

/** Ends with a sentence and what to do next. */
export class DemoError extends Error {
  readonly hint: string;
  readonly exitCode: number;

  constructor(message: string, hint: string, exitCode = 1) {
    super(message);
    this.hint = hint;
    this.exitCode = exitCode;
  }
}

/**
 * Ctrl-C reaches the running command too, which undoes its own work; then the demo removes
 * everything else.
 */
let wasInterrupted = false;
process.on("SIGINT", () => {
  wasInterrupted = true;
});

export function isInterrupted(): boolean {
  return wasInterrupted;
}

/** The command as a person would type it, so that it can be pasted into a shell. */
export function quoted(args: string[]): string {
  return args
    .map((arg) => (/^[\w./:@=+-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", `'\\''`)}'`))
    .join(" ");
}

/** Shows a command before it runs. */
export async function run(folder: string, ...args: string[]): Promise<number> {
  console.log(`\n$ ${quoted(args)}`);
  const [program = "", ...rest] = args;
  const child = Bun.spawn([program === "sett" ? sett : program, ...rest], {
    cwd: folder,
    env: { ...process.env },
    stdio: ["inherit", "inherit", "inherit"],
  });
  return await child.exited;
}

export async function need(folder: string, ...args: string[]): Promise<void> {
  await expectEnd(0, folder, ...args);
}

export async function expectEnd(
  expected: number,
  folder: string,
  ...args: string[]
): Promise<void> {
  const code = await run(folder, ...args);
  if (wasInterrupted)
    throw new DemoError("Interrupted.", "The demo removes everything that it has made.", 130);
  if (code !== expected)
    throw new DemoError(
      `\`${quoted(args)}\` ended with exit code ${code}.`,
      "Its output is above.",
    );
}
