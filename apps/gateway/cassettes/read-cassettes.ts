// Reads the recorded exchanges of a folder: `DIR/AGENT/0001.json`.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { clauseOf, messageOf, SettError } from "../../../lib/model/errors.ts";
import { AgentName } from "../../../lib/model/ids.ts";
import { type Exchange, parseExchange } from "../../../lib/models/cassette/exchange.ts";

/**
 * Other files that people keep in the folder, such as a README, are left alone. Throws
 * `environment-invalid`, naming every file that is broken.
 */
export async function readCassettes(folder: string): Promise<Exchange[]> {
  const results = await Promise.all(
    (await filesBelow(folder)).map((file) => readOne(folder, file)),
  );
  const problems = results.flatMap((result) => ("problem" in result ? result.problem : []));
  if (problems.length > 0) {
    throw new SettError(
      "environment-invalid",
      `Recorded exchanges cannot be replayed: ${problems.join("; ")}.`,
      {
        hint: "Repair or remove the files, or record the exchanges again with `sett up --record`.",
      },
    );
  }
  return results.flatMap((result) => ("exchange" in result ? result.exchange : []));
}

type File = { agent: string; name: string };

async function filesBelow(folder: string): Promise<File[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    throw new SettError(
      "environment-invalid",
      `The folder of recorded exchanges cannot be read: ${clauseOf(error)}.`,
      {
        hint: "Name a folder that exists with `sett up --replay`.",
      },
    );
  });
  const agents = entries.filter(
    (entry) => entry.isDirectory() && AgentName.safeParse(entry.name).success,
  );
  const files = await Promise.all(agents.map(({ name }) => exchangesOf(folder, name)));
  return files.flat();
}

/** In order of their names. */
export async function exchangesOf(folder: string, agent: string): Promise<File[]> {
  const names = await readdir(join(folder, agent)).catch(() => []);
  return names
    .filter((name) => name.endsWith(".json") && !name.startsWith("."))
    .sort()
    .map((name) => ({ agent, name }));
}

async function readOne(
  folder: string,
  { agent, name }: File,
): Promise<{ exchange: Exchange } | { problem: string }> {
  const read = await readFile(join(folder, agent, name), "utf8")
    .then((text) => parseExchange(text, { agent }))
    .catch((error: unknown) => ({ problem: `cannot be read (${messageOf(error)})` }));
  return "problem" in read ? { problem: `${agent}/${name} ${read.problem}` } : read;
}
