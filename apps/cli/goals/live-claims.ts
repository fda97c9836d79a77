// Shows the open claims below the log on a terminal, and keeps them up to date.
import process from "node:process";
import { sleep } from "../../../lib/async/sleep.ts";
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import { type KnownArtefacts, readHeads } from "../../../lib/client/facts/artefacts.ts";
import { readSituation } from "../../../lib/client/facts/goal.ts";
import type { Suggest } from "../../../lib/client/text/suggest.ts";
import type { Claim } from "../../../lib/model/claim.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { type Glance, openClaimLines, type Size } from "../render/open-claims.ts";
import { symbolsFor } from "../render/symbols.ts";
import { Footer } from "../terminal/footer.ts";
import { createMessages } from "../terminal/messages.ts";
import type { Shell } from "../terminal/shell.ts";

const everyMs = 500;

export type LiveClaims = AsyncDisposable & {
  /** Writes above the claims. */
  shell: Shell;
  /** Shows these rows above the claims, from the next writing on. */
  onBegun(rows: string[]): void;
  /**
   * Runs until this is disposed of. `board`: the present connection; while there is none, nothing
   * is shown.
   */
  keepUpToDate(
    board: () => PersonBlackboard | undefined,
    isShown: (claim: Claim) => boolean,
  ): Promise<void>;
};

/** Undefined where stdout is not a terminal that can move its cursor. */
export function liveClaims(shell: Shell): LiveClaims | undefined {
  const { out, err, env, suggest } = shell;
  if (!out.isTerminal || env.TERM === "dumb") return undefined;
  const footer = new Footer(out, () => sizeNow().columns);
  const over = new AbortController();
  let begun: string[] = [];
  const begunRows = () => begun.slice(-Math.max(1, Math.floor(sizeNow().rows / 5)));
  const drawing = { style: out.style, symbols: symbolsFor(env) };
  const above = { out: footer.above(out), err: footer.above(err) };
  return {
    shell: { ...shell, ...above, messages: createMessages(above.err) },
    onBegun(rows) {
      begun = rows;
    },
    async keepUpToDate(board, isShown) {
      const known: KnownArtefacts = new Map();
      while (!over.signal.aborted) {
        const glance = await readGlance(board(), suggest, isShown, known);
        if (over.signal.aborted) return;
        await footer.show(
          glance && (() => [...begunRows(), ...openClaimLines(glance, sizeNow(), drawing)]),
        );
        await sleep(everyMs, over.signal);
      }
    },
    async [Symbol.asyncDispose]() {
      over.abort();
      await footer[Symbol.asyncDispose]();
    },
  };
}

/**
 * Undefined without a connection; another message says so. `known` keeps the heads of artefacts
 * with open claims.
 */
async function readGlance(
  board: PersonBlackboard | undefined,
  suggest: Suggest,
  isShown: (claim: Claim) => boolean,
  known: KnownArtefacts,
): Promise<Glance | undefined> {
  if (board === undefined) return undefined;
  try {
    const situation = await readSituation(board, suggest);
    const shown = situation.open.filter(({ claim }) => isShown(claim));
    const ids = new Set(shown.map(({ claim }) => claim.artefact_id));
    for (const id of known.keys()) if (!ids.has(id)) known.delete(id);
    await readHeads(board, [...ids], known);
    return {
      situation,
      claims: shown.map((open) => ({ ...open, about: known.get(open.claim.artefact_id) })),
    };
  } catch (error) {
    if (error instanceof SettError) return undefined;
    throw error;
  }
}

/** Read each time, because people change the size of their windows. */
function sizeNow(): Size {
  const { columns, rows } = process.stdout;
  return { columns: columns || 80, rows: rows || 24 };
}
