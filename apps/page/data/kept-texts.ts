// Texts that change only where one is erased: the content of an artefact, the diff of its commit.
// The last ones that were shown are kept.
import { getText } from "./api.ts";
import { stream } from "./stream.ts";

const maxKept = 40;
const maxKeptLength = 2_000_000;
const kept = new Map<string, string>();

stream.listen((events) => {
  if (events.some(({ type }) => type === "artefact_erased")) kept.clear();
});

export async function keptText(path: string, signal: AbortSignal): Promise<string> {
  const known = kept.get(path);
  if (known !== undefined) return known;
  const text = await getText(path, signal);
  if (text.length <= maxKeptLength) kept.set(path, text);
  const [oldest] = kept.keys();
  if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest);
  return text;
}
