// A clan whose orchestrators send webhooks, and a worker that does with a goal what the goal says.
import { expect } from "bun:test";
import type { Deps } from "../../../apps/orchestrator/leader/deps.ts";
import type { Clock } from "../../../lib/async/clock.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { type Hook, NoticeKind } from "../../../lib/model/notify.ts";
import { sampleArtefact } from "../records/sample.ts";
import { waitFor } from "../wait-for.ts";
import { Clan } from "./clan.ts";
import type { HookReceiver } from "./hook-receiver.ts";
import type { Place } from "./place.ts";
import type { Behaviour } from "./played-agent.ts";

export const secret = "a secret that no log shows";

export function hookOf(receiver: HookReceiver, over: Partial<Hook> = {}): Hook {
  return {
    url: receiver.url,
    secret,
    on: [...NoticeKind.options],
    remind_every_ms: 3_600_000,
    ...over,
  };
}

/** What the worker does with a goal is what the goal says. */
export const worker: Behaviour = {
  bid: (artefact) =>
    artefact.type === "GoalDefined" && artefact.payload !== "unwanted" ? "exclusive" : "ignore",
  work: ({ payload }) => {
    if (payload === "fail")
      return { structural_type: "Failure", type: "ToolExecutionFailure", payload: "exit 1" };
    if (payload === "draft") return { type: "Draft", payload: "A first draft" };
    if (payload === "settle") return { type: "Report" };
    if (payload === "ask")
      return { structural_type: "Question", type: "Question", payload: "Which colour?" };
    return { structural_type: "Terminal", type: "Released", payload: "1.2.0" };
  },
};

/** A clan with the worker and without an orchestrator. */
export async function webhookClan(place: Place): Promise<WebhookClan> {
  const clan = new WebhookClan(place, await place.open());
  await clan.join({ worker: { behaviour: worker } });
  return clan;
}

class WebhookClan extends Clan {
  /** Starts an orchestrator that sends to these webhooks. */
  start(
    hooks: Hook[],
    { timeoutMs, ...over }: { holder?: string; timeoutMs?: number; clock?: Clock } = {},
  ) {
    const notify: Deps["notify"] = { hooks, ...(timeoutMs !== undefined && { timeoutMs }) };
    return this.startOrchestrator({ ...over, notify });
  }

  async completed(goal: Artefact): Promise<void> {
    await waitFor(
      "the claim to end",
      async () => (await this.claimOn(goal)).claim.status === "complete",
    );
  }

  async answer(question: string, goal: Artefact): Promise<void> {
    const [source] = (await this.board.listOpenQuestions()).filter((id) => id === question);
    if (source === undefined) throw new Error("no such question");
    const answer = sampleArtefact({
      structural_type: "Answer",
      type: "Answer",
      payload: "Green",
      source_artefacts: [source],
      goal_id: goal.goal_id,
    });
    expect(await this.board.answerQuestion(answer, "person:Ada")).toEqual({ outcome: "answered" });
  }
}

/** The messages that the receiver has got about a goal, once there are so many. */
export const messagesAbout = (receiver: HookReceiver, goal: Artefact, count = 1) =>
  waitFor(`${count} messages about the goal "${goal.payload}"`, () => {
    const found = receiver.received.filter(({ body }) => body.goal.id === goal.id);
    return found.length >= count && found;
  });
