// A folder whose files no Engine of this machine sees: they are in a mount of their own, as if the
// folder were on another machine.
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { shellWord } from "../../../lib/model/shell-word.ts";
import { startDetached } from "../process/detached-process.ts";
import { waitFor } from "../wait-for.ts";

/** Only root may mount anything. */
export const canHideFolders =
  process.getuid?.() === 0 && ["unshare", "nsenter"].every((tool) => Bun.which(tool) !== null);

export type HiddenFolder = AsyncDisposable & {
  /** A program that does what `program` does, in the folder as it is there. */
  program: string;
  /** The words with which a command begins that is to run there. */
  within: readonly string[];
};

/** The folder begins with a copy of its files. */
export async function hideFolder(folder: string, program: string): Promise<HiddenFolder> {
  const place = await mkdtemp(join(tmpdir(), "sett-hidden-"));
  const at = (name: string) => shellWord(join(place, name));
  const own = shellWord(folder);
  const script = `set -e; cp -a ${own} ${at("copy")}; mount -t tmpfs sett-hidden ${own}
cp -a ${at("copy")}/. ${own}; echo $$ > ${at("pid")}; exec sleep 3600`;
  const holder = startDetached(["unshare", "--mount", "sh", "-c", script]);
  const pid = await waitFor("the folder", async () => {
    const text = (await readFile(join(place, "pid"), "utf8").catch(() => "")).trim();
    return text !== "" && text;
  });
  const wrapper = join(place, "program");
  const space = `--mount=/proc/${pid}/ns/mnt`;
  const within = ["nsenter", space, "sh", "-c", `cd ${own} && exec "$@"`, "sh"];
  const words = [...within, program].map(shellWord).join(" ");
  await writeFile(wrapper, `#!/bin/sh\nexec ${words} "$@"\n`);
  await chmod(wrapper, 0o755);
  return {
    program: wrapper,
    within,
    [Symbol.asyncDispose]: async () => {
      holder.signal("SIGKILL");
      await holder.exited;
      await rm(place, { recursive: true, force: true });
    },
  };
}
