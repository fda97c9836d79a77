// Whether so many different people have approved what the log says that they must
// (docs/reference/proof.md#approvals-by-several-people). Pure.
import { type SealedRecord, textOf } from "./formats.ts";
import type { Problems } from "./problems.ts";
import { principalOf } from "./statement.ts";

/** `short`: the line of the end that came before there were enough. */
type Request = { needed: number; notBy: Set<string>; by: Set<string>; short: number | undefined };

const maxNeeded = 99;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export class QuorumsInLog {
  /** Claim and agent → what people were asked last. */
  readonly #requests = new Map<string, Request>();

  /** `line`: of the record. `body`: its event. */
  note({ type }: SealedRecord, line: number, body: Record<string, unknown> | undefined): void {
    const data = isObject(body?.data) ? body.data : {};
    const agent = type === "artefact_created" ? data.agent : body?.agent;
    const claim = body?.claim_id;
    const actor = textOf(body?.actor);
    if (typeof claim !== "string" || !uuid.test(claim) || typeof agent !== "string") return;
    const key = `${claim} ${agent.toWellFormed()}`;
    if (type === "grant_waiting" && actor.startsWith("orchestrator:")) {
      const request = requestIn(data);
      if (request !== undefined) this.#requests.set(key, request);
      return;
    }
    const request = this.#requests.get(key);
    if (request === undefined) return;
    if (type === "artefact_created" && actor.startsWith("person:")) {
      const principal = smallLetters(principalOf(actor.slice("person:".length)));
      if (!request.notBy.has(principal)) request.by.add(principal);
    }
    if (type === "grant_done" && data.rejects !== true && request.by.size < request.needed)
      request.short ??= line;
  }

  check(problems: Problems): void {
    for (const { needed, by, short } of this.#requests.values())
      if (short !== undefined)
        problems.addOfLine(
          "approvals",
          "records.jsonl",
          short,
          `${needed} different people have to approve it, and ${by.size} have.`,
        );
  }
}

/** Undefined where one approval is enough. */
function requestIn({ approvals, not_by }: Record<string, unknown>): Request | undefined {
  const isNumber = Number.isInteger(approvals) && Number(approvals) >= 1;
  if (!isNumber || Number(approvals) > maxNeeded) return undefined;
  const names = textOf(not_by).split(" ");
  return { needed: Number(approvals), notBy: new Set(names), by: new Set(), short: undefined };
}

function smallLetters(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
