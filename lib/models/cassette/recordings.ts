// Which recorded exchange answers a request: the agent's, with the same digest, in the order of the
// recording.
import { type AskedModel, digestOf, type Exchange, fileOf } from "./exchange.ts";
import { firstDifference, likeness } from "./first-difference.ts";
import { hideSecretsIn } from "./hide-secrets.ts";
import { normaliseRequest } from "./normalise.ts";

/** `problem`: a sentence for the person whose workflow asks for what was not recorded. */
export type Found = { exchange: Exchange } | { problem: string };

/** Equal requests of one agent. */
type Recorded = { exchanges: Exchange[]; used: number; work: string | undefined };

const remedy = "Record it with `sett up --record`.";
const otherTools =
  "The model may call other tools now than it could then, as with another version of Sett or of the agent's image.";

/**
 * Equal requests get the recorded answers one after another, whatever other requests come between
 * them: calls that run side by side are found in any order. When all are used, other work (another
 * claim, or another attempt) begins with the first again; the same work gets a problem, since it
 * asks more often than it did in the recording.
 */
export class Recordings {
  readonly #agents = new Map<string, Map<string, Recorded>>();

  constructor(exchanges: readonly Exchange[]) {
    for (const exchange of exchanges.toSorted((a, b) => a.order - b.order)) {
      const requests = this.#agents.get(exchange.agent) ?? new Map<string, Recorded>();
      this.#agents.set(exchange.agent, requests);
      // Not the digest in the file: an exchange that a person has edited, or that an earlier
      // version has recorded, is found, too.
      const digest = digestOf(exchange);
      const recorded = requests.get(digest) ?? { exchanges: [], used: 0, work: undefined };
      requests.set(digest, recorded);
      recorded.exchanges.push(exchange);
    }
  }

  /** @param work names the claim and the attempt */
  find(asked: AskedModel, work: string): Found {
    const requests = this.#agents.get(asked.agent);
    if (requests === undefined) return { problem: this.#withoutAgent(asked.agent) };
    const recorded = requests.get(digestOf(asked));
    if (recorded === undefined) return { problem: notRecorded(asked, [...requests.values()]) };
    if (recorded.used === recorded.exchanges.length) {
      if (recorded.work === work) return { problem: usedUp(asked, recorded.exchanges) };
      recorded.used = 0;
    }
    const exchange = recorded.exchanges[recorded.used];
    if (exchange === undefined) return { problem: notRecorded(asked, [...requests.values()]) };
    recorded.used += 1;
    recorded.work = work;
    return { exchange };
  }

  #withoutAgent(agent: string): string {
    const agents = [...this.#agents.keys()].sort();
    const others =
      agents.length === 0
        ? "the folder has none"
        : `the folder has exchanges of ${agents.join(", ")}`;
    return `No exchange of the agent ${agent} was recorded: ${others}. ${remedy}`;
  }
}

function usedUp({ agent }: AskedModel, exchanges: readonly Exchange[]): string {
  const files = exchanges.map(fileOf).join(", ");
  const times = exchanges.length === 1 ? "once" : `${exchanges.length} times`;
  return `The agent ${agent} makes a request again that was recorded ${times} (${files}), and each recorded answer is used. ${remedy}`;
}

function notRecorded(asked: AskedModel, recorded: readonly Recorded[]): string {
  const request = normaliseRequest(hideSecretsIn(asked.request, []));
  const problem = `No recorded exchange answers this request of the agent ${asked.agent}.`;
  const [nearest] = recorded
    .flatMap(({ exchanges: [exchange] }) => exchange ?? [])
    .map((exchange) => ({ exchange, recordedRequest: normaliseRequest(exchange.request) }))
    .map((entry) => ({
      ...entry,
      near: likeness(entry.recordedRequest, request) - (entry.exchange.api === asked.api ? 0 : 1),
    }))
    .toSorted((a, b) => b.near - a.near || a.exchange.order - b.exchange.order);
  if (nearest === undefined) return `${problem} ${remedy}`;
  const difference = firstDifference(nearest.recordedRequest, request);
  const where =
    difference === undefined
      ? `it was recorded for another API (${nearest.exchange.api}, not ${asked.api})`
      : `it differs first at ${difference.place}: recorded \`${difference.left}\`, now \`${difference.right}\``;
  const why = difference?.place.startsWith("tools") ? ` ${otherTools}` : "";
  return `${problem} The nearest is ${fileOf(nearest.exchange)}; ${where}.${why} ${remedy}`;
}
