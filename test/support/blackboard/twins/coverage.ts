// Records what a run of sequences has reached: methods of the port, outcomes of Lua functions,
// keys.
import type { Blackboard } from "../../../../lib/blackboard/port/blackboard.ts";
import {
  type FunctionName,
  functionTable,
} from "../../../../lib/blackboard/redis/function-table.ts";
import type { Call } from "./call.ts";
import { canonical } from "./canonical.ts";
import { keyNameOf, keyNames } from "./key-patterns.ts";
import type { NormalState } from "./side.ts";

/** The connection's own, of which a twin in memory has nothing to compare. */
const ofConnection = new Set([
  ...[
    "readMemory",
    "hasWritten",
    "contactSince",
    "contactProblem",
    "connectionNumber",
    "onReconnect",
  ],
  ...["countConnections", "endConnections", "endSlowCallers", "dropMail", "reopenMail"],
]);

/** Their methods answer with no outcome: they write always, or the answer is a value. */
const silent = new Set<FunctionName>([
  "registerAgents",
  "releaseLeaderLease",
  "logEvent",
  "removeOfGoal",
  "removeEvents",
  "countLostEvents",
  "recordArchive",
  "forgetTriggers",
  "answerMail",
  "dropMail",
  "reopenMail",
]);

/** A content that changes between two reads, which one caller at a time cannot bring about. */
const impossible = new Set(["adoptArtefact: changed"]);

export class Coverage {
  readonly #outcomes = new Map<string, Set<string>>();
  readonly #words = new Set<string>();
  readonly #keys = new Set<string>();
  calls = 0;
  refusals = 0;

  see(one: Call, outcome: unknown, state: NormalState): void {
    this.calls += 1;
    for (const key of Object.keys(state)) this.#keys.add(keyNameOf(key).name);
    const name = "method" in one ? one.method : "hand" in one ? one.hand : "clock";
    this.#outcomes.set(name, (this.#outcomes.get(name) ?? new Set()).add(canonical(outcome)));
    const { value, error } = (outcome ?? {}) as {
      value?: { outcome?: string };
      error?: { code?: string };
    };
    const word =
      error === undefined
        ? value?.outcome
        : error.code === "blackboard-refused"
          ? "refused"
          : undefined;
    if (word !== undefined) this.#words.add(`${name}: ${word}`);
    if (error !== undefined || word === "refused" || word === "fenced") this.refusals += 1;
  }

  /**
   * Keys of lib/blackboard/records/keys.ts that no state had. What `laterBids` holds is compared as
   * a part of its claim; `due` is of the version before.
   */
  missingKeys(): string[] {
    return keyNames.filter((name) => !["laterBids", "due"].includes(name) && !this.#keys.has(name));
  }

  /** Methods of the port that were not called, or that have always answered alike. */
  missingMethods(board: Blackboard): string[] {
    const isMethod = ([name, value]: [string, unknown]) =>
      typeof value === "function" && !ofConnection.has(name);
    return Object.entries(board)
      .filter(isMethod)
      .flatMap(([name]) => {
        const seen = this.#outcomes.get(name);
        if (seen === undefined) return [`${name} is not called`];
        return seen.size > 1 || seen.has(canonical({ value: undefined }))
          ? []
          : [`${name} always answers alike`];
      });
  }

  /** Outcomes that the table of Lua functions names, of those that are methods of the port. */
  missingOutcomes(board: Blackboard): string[] {
    return Object.entries(functionTable).flatMap(([name, entry]) => {
      if (!("outcomes" in entry) || !(name in board) || silent.has(name as FunctionName)) return [];
      const wanted = Object.keys(entry.outcomes).map((word) => `${name}: ${word}`);
      return wanted.filter((word) => !this.#words.has(word) && !impossible.has(word));
    });
  }
}
