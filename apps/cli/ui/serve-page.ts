// Keeps an API of an instance running for one person: also when its Redis starts again, which then
// has another port.
import { randomBytes } from "node:crypto";
import { sleep } from "../../../lib/async/sleep.ts";
import { isUnreachable, SettError } from "../../../lib/model/errors.ts";
import { findRedisPlace, type RedisPlace } from "../instance/place.ts";
import { connect } from "../instance/session.ts";
import type { Shell } from "../terminal/shell.ts";
import { ApiProcess } from "./api-process.ts";
import { packsWay } from "./packs-way.ts";
import { openReader } from "./reader-way.ts";

/** `ticket`: signs the browser in once. */
type UiToken = { ticket: string | undefined };

type Page = {
  /** The API's program on this machine. */
  program: readonly string[];
  name: string | undefined;
  /** As it is now, and the token for the person who acts there. */
  find: () => Promise<{ place: RedisPlace; token: UiToken }>;
  port: number;
  /** Called once, with the port. */
  onReady: (port: number) => Promise<void>;
};

const retryMs = 500;
const sessionKeyBytes = 32;
const giveUpMs = 500;

/**
 * Ends when the shell is interrupted. Throws `not-ready` where the API cannot be started or ends by
 * itself, and as `find` when the instance is gone. The port stays the same, so that an open page
 * finds it again.
 */
export async function servePage(
  shell: Shell,
  { program, name, find, onReady, ...page }: Page,
): Promise<void> {
  const { interrupted, messages, env } = shell;
  // The page's sessions are good for each process that follows.
  const sessionKey = randomBytes(sessionKeyBytes).toString("hex");
  let { port } = page;
  let known: { place: RedisPlace; token: UiToken } | undefined;
  while (!interrupted.aborted) {
    await using api = new ApiProcess(program, env);
    const place: RedisPlace | undefined =
      known === undefined ? undefined : await nextPlace(shell, name ?? known.place.instance);
    if (known !== undefined && place === undefined) return;
    const isFirst = known === undefined;
    known = known === undefined || place === undefined ? await find() : { ...known, place };
    // Where only Redis is known, nothing else is reached.
    const isAlone = known.place.containers.length === 0;
    await using reader = isAlone ? undefined : await openReader(shell, known.place.instance);
    const started = await api.start({
      ...known,
      sessionKey,
      port,
      ways: {
        ...reader?.ways,
        ...(await packsWay(shell, known.place.instance)),
      },
    });
    let last = Array.isArray(started) ? started : undefined;
    if (typeof started === "number") {
      port = started;
      if (isFirst) await onReady(port);
      else messages.note("Redis answers again, and so does the page.");
      last = await endOf(api, interrupted);
      if (last === undefined) return;
    }
    // A new process would take the same ticket again.
    known = { ...known, token: { ...known.token, ticket: undefined } };
    if (!isAway(last ?? []) || (isFirst && Array.isArray(started))) throw endedAlone(last ?? []);
    messages.warn("Redis does not answer. Waiting until it does …");
  }
}

/** The last lines of the API, or undefined at an interruption. */
async function endOf(
  { ended }: ApiProcess,
  interrupted: AbortSignal,
): Promise<string[] | undefined> {
  const over = new AbortController();
  const waiting = AbortSignal.any([interrupted, over.signal]);
  const stopped = new Promise<undefined>((resolve) => {
    if (waiting.aborted) resolve(undefined);
    waiting.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  const last = await Promise.race([ended, stopped]);
  over.abort();
  return last;
}

/** Waits until Redis answers where its container says. Undefined at an interruption. */
async function nextPlace(shell: Shell, name: string): Promise<RedisPlace | undefined> {
  while (!shell.interrupted.aborted) {
    try {
      const place = await findRedisPlace(shell, name);
      await using _board = await connect(place, giveUpMs);
      return place;
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      await sleep(retryMs, shell.interrupted);
    }
  }
  return undefined;
}

/** The API names Redis in its last line where that is why it has ended. */
function isAway(lines: readonly string[]): boolean {
  return lines.some((line) => /^api: Redis /.test(line));
}

function endedAlone(lines: readonly string[]): SettError {
  const log =
    lines.length === 0
      ? "It wrote nothing."
      : `The end of its log:\n${lines.map((line) => `  ${line}`).join("\n")}`;
  return new SettError("not-ready", `The API ended by itself. ${log}`);
}
