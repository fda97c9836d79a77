// A push to a forge by git's own protocol over HTTP: one branch, from the commit that it is known
// to have. The server compares, so that a commit of another person is never lost.
import { Buffer } from "node:buffer";
import { messageOf } from "../model/errors.ts";
import { ForgeError } from "./port.ts";

/** `url`: of the repository, ending in `.git`. */
export type PushAt = { url: string; user: string; token: string; fetch: typeof fetch };

export type PushOrder = {
  branch: string;
  /** The branch's commit there; undefined: there is no such branch yet. */
  from: string | undefined;
  to: string;
  pack: Uint8Array;
};

const none = "0".repeat(40);
const readTimeoutMs = 30_000;
const pushTimeoutMs = 10 * 60_000;
const maxAnswerBytes = 16 * 1024 * 1024;

/** The names of the repository and their commits, as a push finds them. Throws `ForgeError`. */
export async function readNames(at: PushAt): Promise<Map<string, string>> {
  const answer = await send(at, "/info/refs?service=git-receive-pack", {}, readTimeoutMs);
  const lines = pktLines(answer);
  const names = lines.flatMap((line): [string, string][] => {
    const [, hash = "", name = ""] = /^([0-9a-f]{40}) ([^\0\n]+)/.exec(line) ?? [];
    return hash === "" || name === "capabilities^{}" ? [] : [[name, hash]];
  });
  return new Map(names);
}

/**
 * Returns why the forge refuses it; undefined where the branch has its commit now. Throws
 * `ForgeError`, with which it may have it or not.
 */
export async function push(at: PushAt, { branch, from = none, to, pack }: PushOrder) {
  const command = `${from} ${to} refs/heads/${branch}\0report-status agent=sett\n`;
  const body = Buffer.concat([Buffer.from(`${pktLine(command)}0000`), pack]);
  const headers = {
    "content-type": "application/x-git-receive-pack-request",
    accept: "application/x-git-receive-pack-result",
  };
  const init = { method: "POST", headers, body };
  const lines = pktLines(await send(at, "/git-receive-pack", init, pushTimeoutMs));
  const [unpack = "unpack nothing", ...results] = lines.map((line) => line.trim());
  if (unpack !== "unpack ok") return cleaned(unpack);
  if (results.includes(`ok refs/heads/${branch}`)) return undefined;
  const refusal = results.find((line) => line.startsWith("ng ")) ?? "it has not said why";
  return cleaned(refusal.replace(/^ng \S+ /, ""));
}

async function send(
  { url, user, token, fetch: ask }: PushAt,
  path: string,
  init: { method?: string; headers?: Record<string, string>; body?: Uint8Array<ArrayBuffer> },
  timeoutMs: number,
): Promise<Buffer> {
  const authorization = `Basic ${Buffer.from(`${user}:${token}`).toString("base64")}`;
  let answer: Response;
  try {
    answer = await ask(`${url}${path}`, {
      ...init,
      headers: { ...init.headers, authorization, "user-agent": "git/sett" },
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (answer.ok && bytes.length <= maxAnswerBytes) return bytes;
  } catch (error) {
    throw new ForgeError("away", `The forge cannot be reached: ${cleaned(messageOf(error))}`);
  }
  const { status } = answer;
  if (status >= 500 || status === 429)
    throw new ForgeError("away", `The forge answers a push with ${status}.`);
  throw new ForgeError(
    "refused",
    `The forge refuses the push (${status}): the token may not write to the repository.`,
  );
}

function pktLine(text: string): string {
  return `${(Buffer.byteLength(text) + 4).toString(16).padStart(4, "0")}${text}`;
}

/** The lines of an answer, without its separators. */
function pktLines(bytes: Buffer): string[] {
  const lines: string[] = [];
  for (let at = 0; at + 4 <= bytes.length; ) {
    const length = Number.parseInt(bytes.toString("latin1", at, at + 4), 16);
    if (Number.isNaN(length)) break;
    if (length >= 4) lines.push(bytes.toString("utf8", at + 4, at + length));
    at += Math.max(length, 4);
  }
  return lines.filter((line) => !line.startsWith("# service="));
}

function cleaned(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").slice(0, 300);
}
