// Opens a text in the person's editor, as git does for commit messages.
import { Buffer } from "node:buffer";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { SettError } from "../../../lib/model/errors.ts";
import type { Shell } from "./shell.ts";

/** Everything below this line is a note. Lines with `#` above it belong to the text. */
const scissors = "# ------------------------ >8 ------------------------";

/**
 * The text above the scissors line, without white space around it. The file stays until `remove` is
 * called.
 */
export type Edited = { path: string; bytes: Uint8Array; remove(): Promise<void> };

/** The editor opens with `text`, and with `notes` below it as comments. Throws `command-failed`. */
export async function editText(
  text: string,
  notes: readonly string[],
  { env }: Pick<Shell, "env">,
): Promise<Edited> {
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
  const kept = isUntouched ? "" : ` Your text is in ${path}.`;
  throw new SettError(
    "command-failed",
    `The editor \`${editor}\` ${failure}: no answer was posted.${kept}`,
    {
      hint: "Set VISUAL or EDITOR to your editor, or write the answer on the command line, after the id.",
    },
  );
}

/**
 * Runs the editor through the shell, because people set it to `code --wait`. It draws on stderr,
 * because a program may read stdout. Returns what went wrong, if anything.
 */
async function runEditor(editor: string, path: string): Promise<string | undefined> {
  const child = spawn("/bin/sh", ["-c", `${editor} "$@"`, editor, path], {
    stdio: ["inherit", 2, 2],
  });
  const [code, signal]: (number | string | null)[] = await once(child, "exit");
  if (code === 0) return undefined;
  return signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
}

/**
 * Works on bytes, because they may not be UTF-8. The text may contain the scissors line too; ours
 * is the last one.
 */
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
