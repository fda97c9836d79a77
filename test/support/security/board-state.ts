// Reads what a blackboard holds, as its owner sees it: everything that an agent must not be able to
// change.
import { createClient } from "redis";
import { unhurried } from "../redis/unhurried.ts";

export type Client = Awaited<ReturnType<typeof connectOwner>>;

export async function connectOwner(url: string) {
  // An error would end the tests without a listener; the command that it is about rejects, too.
  return await createClient({ ...unhurried, url })
    .on("error", () => undefined)
    .connect();
}

/**
 * Key or subject → its content as text. What the programs go on to change while they wait is left
 * out.
 */
export type BoardState = ReadonlyMap<string, string>;

export async function readState(owner: Client, prefix: string): Promise<BoardState> {
  const keys = (await owner.keys("*"))
    .sort()
    .filter((key) => !isOfTheMoment(key.slice(prefix.length)));
  const records = await Promise.all(
    keys.map(async (key) => [key, await contentOf(owner, key, key.slice(prefix.length))] as const),
  );
  const server = [
    ["FUNCTION", "LIST", "WITHCODE"],
    ["ACL", "LIST"],
    ["CONFIG", "GET", "*"],
  ].map(
    async (words) => [words.join(" "), JSON.stringify(await owner.sendCommand(words))] as const,
  );
  return new Map(
    [...records, ...(await Promise.all(server))].filter(([, content]) => content !== ""),
  );
}

/** Mail that is on its way, heartbeats, and the two logs, which grow: `readLog` reads those. */
function isOfTheMoment(name: string): boolean {
  return /^agent:[^:]+:(?:in|out|status)$|^(?:events|claims)$/.test(name);
}

/** The leader renews its lease, moves on in the log, and announces claims again. */
const ofTheMoment = new Set([
  "expires_at",
  "seen_at",
  "cursor",
  "notice_cursor",
  "announced_again",
]);

async function contentOf(owner: Client, key: string, name: string): Promise<string> {
  switch (await owner.type(key)) {
    case "hash": {
      const fields = Object.entries({ ...(await owner.hGetAll(key)) }).filter(
        ([field]) => !ofTheMoment.has(field),
      );
      return JSON.stringify(fields.sort());
    }
    case "zset":
      // What is due is put off again and again.
      return JSON.stringify(
        name.startsWith("due:")
          ? (await owner.zRange(key, 0, -1)).sort()
          : await owner.zRangeWithScores(key, 0, -1),
      );
    case "list":
      return JSON.stringify(await owner.lRange(key, 0, -1));
    case "set":
      return JSON.stringify((await owner.sMembers(key)).sort());
    case "stream":
      return JSON.stringify(await owner.xRange(key, "-", "+"));
    default:
      return (await owner.get(key)) ?? "";
  }
}

/**
 * What differs, with both contents. The orchestrator takes out what has become due, such as the end
 * of a bidding, so that only what is new there counts.
 */
export function changesOf(
  before: BoardState,
  after: BoardState,
  prefix: string,
): Record<string, { before: string | undefined; after: string | undefined }> {
  const isChanged = (key: string) => {
    const [was, is] = [before.get(key), after.get(key)];
    if (!key.startsWith(`${prefix}due:`)) return was !== is;
    const known: readonly string[] = JSON.parse(was ?? "[]");
    return JSON.parse(is ?? "[]").some((member: string) => !known.includes(member));
  };
  return Object.fromEntries(
    [...new Set([...before.keys(), ...after.keys()])]
      .filter(isChanged)
      .map((key) => [key, { before: before.get(key), after: after.get(key) }]),
  );
}

export type Entry = { id: string; [field: string]: string };

/** The entries of one of the two logs, from one on: `(id` means after it. */
export async function readLog(owner: Client, key: string, from = "-"): Promise<Entry[]> {
  return ((await owner.xRange(key, from, "+")) ?? []).map(({ id, message }) => ({
    ...message,
    id,
  }));
}
