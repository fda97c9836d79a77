// Holds what a `sett` that has ended leaves.
export type Finished = { code: number; out: string; err: string };

export async function finished(
  child: Bun.Subprocess<Bun.SpawnOptions.Writable, "pipe", "pipe">,
): Promise<Finished> {
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, out, err };
}

/** Returns what it wrote. Throws what it said when its exit code is not 0. */
export function needed(words: readonly string[], { code, out, err }: Finished): string {
  if (code !== 0)
    throw new Error(`sett ${words.join(" ")} ended with exit code ${code}:\n${err}${out}`);
  return out;
}
