// Lets a person write in the editor of their choice, as git does for messages.
import { Buffer } from "node:buffer";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { SettError } from "../../../lib/model/errors.ts";
import type { Shell } from "./shell.ts";

/** What is below it is left out: a text may have lines that begin with `#`. */
const scissors = "# ------------------------ >8 ------------------------";

/** Without what was below the scissors, and without white space around. The file stays until it is removed. */
export type Edited = { path: string; bytes: Uint8Array; remove(): Promise<void> };

/** `text` stands there from the beginning, `notes` below it as comments. Throws `command-failed`. */
export async function editText(text: string, notes: readonly string[], { env }: Pick<Shell, "env">): Promise<Edited> {
  const path = join(await mkdtemp(join(tmpdir(), "sett-answer-")), "ANSWER.md");
  const comments = notes.map((line) => `# ${line}`.trimEnd());
  await writeFile(path, `${text}\n\n${[scissors, ...comments].join("\n")}\n`);
  const remove = () => rm(dirname(path), { recursive: true, force: true });
  const editor = [env.VISUAL, env.EDITOR].find((one) => (one ?? "").trim() !== "") ?? "vi";
  const failure = await runEditor(editor, path);
  const edited = { path, bytes: withoutNotes(await readFile(path)), remove };
  if (failure === undefined) return edited;
  const isUntouched = edited.bytes.length === 0 || new TextDecoder().decode(edited.bytes) === text;
  if (isUntouched) await remove();
  const kept = isUntouched ? "" : ` What you wrote is kept in ${path}.`;
  throw new SettError("command-failed", `The editor \`${editor}\` ${failure}: nothing was answered.${kept}`, {
    hint: "Set VISUAL or EDITOR to yours, or give the answer on the command line, behind the id.",
  });
}

/** Through the shell, because people write `code --wait`. It draws on stderr: stdout may be read by a program. Returns what went wrong. */
async function runEditor(editor: string, path: string): Promise<string | undefined> {
  const child = spawn("/bin/sh", ["-c", `${editor} "$@"`, editor, path], { stdio: ["inherit", 2, 2] });
  const [code, signal]: (number | string | null)[] = await once(child, "exit");
  if (code === 0) return undefined;
  return signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
}

/** Cut as bytes: whether they are text is not known yet. The text may hold such a line too; ours is the last that begins a line. */
function withoutNotes(written: Uint8Array): Uint8Array {
  const bytes = Buffer.concat([Buffer.from("\n"), written]);
  const at = bytes.lastIndexOf(`\n${scissors}`);
  const text = at === -1 ? bytes : bytes.subarray(0, at);
  const isSpace = (byte: number | undefined) => byte !== undefined && byte <= 0x20;
  let [start, end] = [0, text.length];
  while (start < end && isSpace(text[start])) start += 1;
  while (end > start && isSpace(text[end - 1])) end -= 1;
  return text.subarray(start, end);
}
