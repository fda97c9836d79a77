// A bid by a model through the real gateway: its token, its budget and its record.
import { describe, expect, test } from "bun:test";
import { modelAsker } from "../../../apps/cub/bid/ask-model.ts";
import { systemClock } from "../../../lib/async/clock.ts";
import type { Budget } from "../../../lib/model/budget.ts";
import { createJsonLog } from "../../../lib/service/json-log.ts";
import { openClaim } from "../../support/blackboard/scene.ts";
import { key, startGateway } from "../../support/gateway/gateway-scene.ts";
import { type Format, scriptedModel } from "../../support/models/scripted-model.ts";
import { agentName } from "../../support/records/sample.ts";

const coder = agentName("coder");

async function ask(provider: Format, grant?: Budget) {
  await using model = scriptedModel(provider, [
    { call: [["bid", { word: "claim", reason: "It is code." }]] },
  ]);
  const { ANTHROPIC_BASE_URL, OPENAI_BASE_URL } = model.environment as Record<string, string>;
  const { origin } = new URL(ANTHROPIC_BASE_URL ?? OPENAI_BASE_URL ?? "");
  await using gateway = await startGateway({
    base_url: `${origin}/v1`,
    provider,
    ...(grant && { grant }),
  });
  const { claim } = await openClaim(gateway.board, ["coder"]);
  const lines: string[] = [];
  const log = createJsonLog((line) => lines.push(line), systemClock.now);
  const access = { gatewayUrl: gateway.url, model: "provider-model", provider, name: "strong" };
  const limits = { tries: 3, tryMs: 20_000, firstPauseMs: 1, heldPauseMs: 20 };
  const asker = modelAsker({
    board: gateway.board,
    model: access,
    prompt: "You take code.",
    limits,
  });
  const { signal } = new AbortController();
  const order = {
    claim: claim.id,
    artefact: claim.artefact_id,
    agent: { name: coder, role: "coder" },
  };
  const bid = await asker({ ...order, stop: signal, log, markProgress: () => undefined });
  const { ended } = await gateway.board.readCalls(claim.goal_id);
  return { bid, ended, sent: model.requests, claim, lines: [...lines, ...gateway.log].join("\n") };
}

describe.each<Format>(["anthropic", "openai"])("a bid by a model that has %s's API", (provider) => {
  test("is a call on record, of this claim and of no attempt", async () => {
    const { bid, ended, sent, claim, lines } = await ask(provider);
    expect(bid).toEqual({ word: "claim", reason: "It is code.", isAsked: true });
    expect(ended).toMatchObject([
      { kind: "bid", agent: coder, claim_id: claim.id, attempt: 0, model: "strong", outcome: "ok" },
    ]);
    // What it may cost is reserved: the answer is short.
    expect(ended[0]?.reserved.tokens).toBeLessThan(20_000);
    expect(sent).toHaveLength(1);
    expect(lines).not.toContain(key);
  });

  test("is `ignore` without a try where the budget is spent, with the gateway's sentence", async () => {
    const { bid, sent, lines } = await ask(provider, { calls: 0 });
    expect(bid).toMatchObject({
      word: "ignore",
      isAsked: false,
      reason: expect.stringMatching(/^Its model gave no bid: .*budget/i),
    });
    expect(sent).toEqual([]);
    expect(lines.match(/The model gave no bid/g)).toHaveLength(1);
  });
});
