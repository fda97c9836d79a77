// Has Redis write its append-only file anew: what was removed is in the old one until then.
import { sleep } from "../../async/sleep.ts";
import type { Client } from "./client.ts";
import { Connection } from "./connection.ts";

const lookEveryMs = 100;
const answerWithinMs = 3_000;

type At = { url: string; probeKey: string; signal: AbortSignal };

/**
 * Resolves when the old file is gone. `none`: this Redis keeps no such file, or the user of `url`
 * may not ask for it. `failed`: Redis could not write it. Rejects where Redis does not answer.
 */
export async function rewriteFiles({
  url,
  probeKey,
  signal,
}: At): Promise<"rewritten" | "none" | "failed"> {
  const connection = await Connection.open({
    ...{ url, probeKey, signal, timeoutMs: answerWithinMs, giveUpMs: undefined, onLost: () => {} },
  });
  try {
    const read = () => connection.run(async (client) => fieldsOf(await client.info("persistence")));
    if ((await read()).get("aof_enabled") !== "1") return "none";
    // One that is under way may have begun before something was removed.
    while (isAtWork(await read())) await pause(signal);
    if (!(await connection.run(begin))) return "none";
    for (;;) {
      const found = await read();
      if (!isAtWork(found))
        return found.get("aof_last_bgrewrite_status") === "ok" ? "rewritten" : "failed";
      await pause(signal);
    }
  } finally {
    connection.close();
  }
}

async function pause(signal: AbortSignal): Promise<void> {
  await sleep(lookEveryMs, signal);
  signal.throwIfAborted();
}

/** False where Redis does not let this user. */
async function begin(client: Client): Promise<boolean> {
  try {
    await client.sendCommand(["BGREWRITEAOF"]);
    return true;
  } catch (error) {
    if (error instanceof Error && /^NOPERM|unknown command/.test(error.message)) return false;
    throw error;
  }
}

function isAtWork(fields: ReadonlyMap<string, string>): boolean {
  return (
    fields.get("aof_rewrite_in_progress") === "1" || fields.get("aof_rewrite_scheduled") === "1"
  );
}

function fieldsOf(info: string): ReadonlyMap<string, string> {
  return new Map(
    [...info.matchAll(/^(\w+):(.*?)\r?$/gm)].map(([, name = "", value = ""]) => [name, value]),
  );
}
