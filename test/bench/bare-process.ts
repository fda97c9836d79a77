// One process of the bare protocol: the orchestrator, or the agent that SETT_AGENTS names with the
// word that it always bids.
import process from "node:process";
import { type Client, newClient } from "../../lib/blackboard/redis/client.ts";
import { readAfter } from "../../lib/blackboard/redis/streams.ts";
import type { BidWord } from "../../lib/model/bid.ts";
import { now } from "./figures.ts";

const { REDIS_URL = "", BARE_ROLE = "", BARE_BIDS = "{}" } = process.env;
/** agent → its word */
const words: Record<string, BidWord> = JSON.parse(BARE_BIDS);

async function connect(): Promise<Client> {
  const client = newClient(REDIS_URL, 3_000, 0);
  await client.connect();
  return client;
}

const commands = await connect();
const call = (name: string, ...args: string[]) =>
  commands.sendCommand(["FCALL", `bare_${name}`, "0", ...args]);

async function follow(
  key: string,
  handle: (message: Record<string, string>) => void,
): Promise<never> {
  const reader = await connect();
  for (let last = "0"; ; ) {
    for (const { id, message } of await readAfter(reader, key, last)) {
      last = id;
      handle(message);
    }
  }
}

function bid(agent: string): Promise<never> {
  const word = words[agent] ?? "ignore";
  return follow("claims", ({ claim = "" }) => void call("bid", claim, agent, word));
}

async function work(agent: string): Promise<never> {
  const reader = await connect();
  for (;;) {
    const popped = await reader.blmPop(1, `agent:${agent}:grants`, "LEFT", { COUNT: 500 });
    const [, claims = []] = (popped ?? []) as [string?, string[]?];
    for (const claim of claims) {
      const artefact = String(await call("accept", claim, agent, String(Date.now() + 15_000)));
      const target = await commands.hGetAll(`artifact:${artefact}`);
      // Its end travels together with the next one's beginning.
      void call("finish", claim, agent, crypto.randomUUID(), target.goal_id ?? "", String(now()));
    }
  }
}

type OpenClaim = { bids: [agent: string, word: string][]; phases: string[][]; running: number };
const phaseNames = ["review", "claim", "exclusive"];

function runOrchestrator(): Promise<never> {
  const claims = new Map<string, OpenClaim>();
  const advance = (id: string, claim: OpenClaim) => {
    const phase = claim.phases.findIndex((agents) => agents.length > 0);
    const agents = claim.phases[phase] ?? [];
    claim.phases[phase] = [];
    claim.running = agents.length;
    if (agents.length > 0) return void call("grant", id, phaseNames[phase] ?? "", ...agents);
    claims.delete(id);
    void call("complete", id);
  };
  return follow("events", ({ type, event = "{}" }) => {
    const { claim_id, artefact_id, goal_id, agent, word } = JSON.parse(event);
    if (type === "artefact_created" && artefact_id === goal_id) {
      const id = crypto.randomUUID();
      claims.set(id, { bids: [], phases: [], running: 0 });
      void call("open", id, artefact_id);
    }
    const claim = claims.get(claim_id);
    if (claim === undefined) return;
    if (type === "bid_placed") {
      claim.bids.push([agent, word]);
      if (claim.bids.length < Object.keys(words).length) return;
      claim.phases = phaseNames.map((name) =>
        claim.bids.filter(([, one]) => one === name).map(([name]) => name),
      );
      claim.phases[2]?.splice(1);
      advance(claim_id, claim);
    }
    if (type === "grant_done") {
      claim.running -= 1;
      if (claim.running === 0) advance(claim_id, claim);
    }
  });
}

await (BARE_ROLE === "orchestrator"
  ? runOrchestrator()
  : Promise.all([bid(BARE_ROLE), work(BARE_ROLE)]));
