// GET /v1/instance: what the instance is, and how it is.
import { json, readProblems } from "../../../lib/api/common.ts";
import { Instance } from "../../../lib/api/instance.ts";
import { maySpeak } from "../../../lib/client/actions/judge.ts";
import { signingOf } from "../../../lib/client/actions/sign.ts";
import { hasOrchestrator } from "../../../lib/client/facts/blocked-reason.ts";
import { readSituation } from "../../../lib/client/facts/goal.ts";
import type { RegisteredAgent } from "../../../lib/model/agent.ts";
import { isForApproval } from "../../../lib/model/claim.ts";
import type { Caller } from "../access/caller.ts";
import type { Api } from "../env.ts";
import type { Parts } from "../parts.ts";
import { readRoute } from "../route.ts";

const readInstance = readRoute("/v1/instance", {
  tags: ["Instance"],
  summary: "What the instance is, and how it is",
  responses: { 200: json(Instance, "The instance."), ...readProblems },
});

export function addInstanceRoutes(api: Api, { board, deps }: Parts): void {
  api.openapi(readInstance, async (context) => {
    const { caller } = context.var;
    const [situation, agents, goals, artefacts, questions, gateway, head] = await Promise.all([
      readSituation(board, deps.suggest),
      board.listAgents(),
      board.countGoals(),
      board.countArtefacts(),
      board.listOpenQuestions(),
      board.readGateway(),
      deps.repository?.head(),
    ]);
    const { leader, pause, open, store, nowMs, noticeProblems = [] } = situation;
    return context.json(
      {
        instance: board.instance,
        version: deps.version,
        me: {
          name: caller.name,
          actor: caller.actor,
          rights: [...caller.rights],
          judges_for: judgesFor(caller, agents),
        },
        paused: pause ?? null,
        notice_problems: noticeProblems.map(({ hook: _, ...problem }) => problem),
        orchestrator:
          leader === undefined
            ? null
            : { holder: leader.holder, epoch: leader.epoch, alive: hasOrchestrator(situation) },
        redis: {
          used_bytes: store?.usedBytes ?? 0,
          limit_bytes: store?.limitBytes ?? null,
          problem: store?.problem ?? null,
        },
        gateway: gateway !== undefined,
        repository: deps.repository === undefined ? null : { head: head ?? null },
        signatures_required: signingOf(agents)?.required === true,
        counts: {
          goals,
          artefacts,
          open_questions: questions.length,
          open_approvals: open.reduce(
            (sum, { grants }) => sum + grants.filter(isForApproval).length,
            0,
          ),
          open_claims: open.length,
        },
        now: new Date(nowMs).toISOString(),
      },
      200,
    );
  });
}

function judgesFor({ actor, rights }: Caller, agents: readonly RegisteredAgent[]): string[] {
  if (!rights.has("approve")) return [];
  return agents.flatMap(({ name, human }) =>
    human && maySpeak(actor, name, agents) ? [name] : [],
  );
}
