// A command line elsewhere brings the commit at which its goal begins (SETT_API). These routes are
// no part of the documented API, because they change with each version. They come before what reads
// bodies into memory: a pack goes to a file as it comes.
import { type FileHandle, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { MiddlewareHandler } from "hono";
import { bringingMs, maxBroughtBytes } from "../../../lib/client/remote/bring-commit.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { CommitHash } from "../../../lib/model/ids.ts";
import { sizeText } from "../../../lib/model/size-text.ts";
import { BroughtToday } from "../access/brought-today.ts";
import { type Api, type Env, requireRight } from "../env.ts";
import { FewAtOnce } from "../few-at-once.ts";
import type { Parts } from "../parts.ts";
import { repositoryOf } from "./goals.ts";

const maxKnown = 64;
/** They wait on the disk, and not in memory. */
const atOnce = { max: 4, maxWaiting: 0 };
/** A token that sends slowly leaves room for the others. */
const ofOneToken = { max: 2, maxWaiting: 0 };

const route = "/v1/board/commits";

/** `gate`: before each route. */
export function addCommitRoutes(api: Api, parts: Parts, gate: MiddlewareHandler<Env>): void {
  const { board, deps } = parts;
  const few = new FewAtOnce("takes other commits", atOnce);
  const own = new Map<string, FewAtOnce>();
  const today = new BroughtToday(deps.limits.brought, deps.clock);
  const inTurn = async (caller: string, job: () => Promise<void>) => {
    const ofCaller = own.get(caller) ?? new FewAtOnce("takes other commits", ofOneToken);
    own.set(caller, ofCaller);
    try {
      await ofCaller.run(() => few.run(job));
    } finally {
      if (ofCaller.isIdle) own.delete(caller);
    }
  };

  api.get(route, gate, async (context) => {
    requireBringing(context.var.caller);
    const commits = commitsIn(context.req.query("of") ?? "");
    const known = await repositoryOf(parts).known(board.instance, commits);
    return context.json({ known }, 200);
  });

  api.post(`${route}/:commit`, gate, async (context) => {
    requireBringing(context.var.caller);
    const commit = hashOf(context.req.param("commit"));
    const repository = repositoryOf(parts);
    const { raw } = context.req;
    const pack = join(deps.folder ?? tmpdir(), `results-pack-${crypto.randomUUID()}`);
    const { id } = context.var.caller;
    await inTurn(id, async () => {
      try {
        today.add(id, { commits: 1 });
        await writeBody(raw, pack, (bytes) => today.add(id, { bytes }));
        await repository.bring(board.instance, commit, pack);
      } finally {
        await rm(pack, { force: true });
      }
    });
    return context.json({ commit }, 201);
  });
}

/** A caller that may name a commit may bring it. Throws `not-allowed`. */
function requireBringing(caller: Parameters<typeof requireRight>[0]): void {
  if (!caller.rights.has("post")) requireRight(caller, "forage");
}

/** Reads a list with commas. Throws `usage`. */
export function commitsIn(text: string): CommitHash[] {
  const commits = text.split(",").map(hashOf);
  if (commits.length <= maxKnown) return commits;
  throw new SettError("usage", `At most ${maxKnown} commits are named at once.`);
}

function hashOf(text: string): CommitHash {
  const parsed = CommitHash.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new SettError("usage", "The address names no commit: a whole hash is needed.");
}

type OnBytes = (bytes: number) => void;

/**
 * `onBytes`: called with how many have come, before they are written; what it throws ends this.
 * Throws `too-large`, `too-slow`, and `usage` where the body breaks off.
 */
async function writeBody(
  { body, headers }: Request,
  path: string,
  onBytes: OnBytes,
): Promise<void> {
  if (Number(headers.get("content-length") ?? 0) > maxBroughtBytes) throw tooLarge();
  if (body === null) throw new SettError("usage", "The request has no pack.");
  const reader = body.getReader();
  const late = Promise.withResolvers<never>();
  late.promise.catch(() => undefined);
  const timer = setTimeout(() => late.reject(tooSlow()), bringingMs);
  const file = await open(path, "wx", 0o600);
  try {
    await copy(reader, file, late.promise, onBytes);
  } finally {
    clearTimeout(timer);
    // The answer drops the rest.
    reader.releaseLock();
    await file.close();
  }
}

async function copy(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  file: FileHandle,
  late: Promise<never>,
  onBytes: OnBytes,
): Promise<void> {
  for (let bytes = 0; ; ) {
    const { done, value } = await Promise.race([reader.read().catch(brokenOff), late]);
    if (done) return;
    bytes += value.length;
    onBytes(value.length);
    if (bytes > maxBroughtBytes) throw tooLarge();
    await file.writeFile(value);
  }
}

function brokenOff(cause: unknown): never {
  throw new SettError("usage", "The pack ended before it was whole.", {
    hint: "Run the command again.",
    cause,
  });
}

function tooSlow(): SettError {
  return new SettError("too-slow", `The pack was not whole after ${bringingMs / 60_000} minutes.`, {
    hint: "Push the branch to where the instance is, and fetch it there.",
  });
}

function tooLarge(): SettError {
  const limit = sizeText(maxBroughtBytes);
  return new SettError("too-large", `The pack of the commit has more than ${limit}.`, {
    hint: "Push the branch to where the instance is, and fetch it there.",
  });
}
