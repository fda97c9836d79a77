// Mistakes about questions, answers, goals, artefacts and what people request.
import type { EventType } from "../../../lib/model/event.ts";
import type { Defect } from "../planting.ts";
import { unlogged } from "./unlogged.ts";

const withoutEvent = (type: EventType): Defect => ({
  name: `${type} is not logged`,
  plant: (planting) => unlogged(planting, type),
});

export const peopleDefects: readonly Defect[] = [
  {
    name: "an answered question stays open",
    plant: (planting) => {
      planting.lua("redis.call('ZREM', prefix .. 'questions:open', question)", "");
      planting.lua(
        "redis.call('ZREM', prefix .. 'questions:open', before.waits_for.question_id)",
        "",
      );
    },
  },
  {
    name: "people are asked twice",
    plant: (planting) =>
      planting.lua(
        "if redis.call('ZSCORE', keys.open_questions, args.question) then return { 'already' } end",
        "",
      ),
  },
  {
    name: "people are asked what is answered",
    plant: (planting) =>
      planting.lua(
        "if redis.call('HEXISTS', keys.question, 'answer') == 1\n    or question_problem(args.question, question)",
        "if question_problem(args.question, question)",
      ),
  },
  {
    name: "the end of a goal is logged and not marked",
    needs: "cancel",
    plant: (planting) => planting.lua("redis.call('HSET', keys.goal, 'ended', args.ending)", ""),
  },
  {
    name: "a pause is logged and not kept",
    needs: "pause instance",
    plant: (planting) =>
      planting.lua(
        "redis.call('HSET', keys.orchestrator, 'paused_since', args.since, 'paused_by', args.by)\n    redis.call('SET', keys.paused, args.since)",
        "",
      ),
  },
  {
    name: "a verdict is recorded, and its grant still waits",
    plant: (planting) =>
      planting.lua(
        "redis.call('HSET', keys.grants, agent, args.grant)\n  if args.is_last then remove_work(id, agent) end",
        "",
      ),
  },
  {
    name: "an artefact is adopted that is known",
    plant: (planting) =>
      planting.lua(
        "if digest_of(keys.artefact) == digest then return { 'known' } end",
        "if digest_of(keys.artefact) == digest then\n" +
          "  index_artefact(read_fields(keys.artefact, artefact_fields), 'hand', digest)\n" +
          "  return { 'adopted' }\nend",
      ),
  },
  {
    name: "a goal counts its artefacts wrong",
    plant: (planting) =>
      planting.lua(
        "redis.call('ZCARD', artefacts_of_goal) + 1",
        "redis.call('ZCARD', artefacts_of_goal)",
      ),
  },
  {
    name: "a request is logged by no person",
    plant: (planting) =>
      planting.call("logEvent", (original, draft, actor) =>
        original(draft, draft.type === "retry_requested" ? "agent:worker" : actor),
      ),
  },
  withoutEvent("artefact_created"),
  withoutEvent("grant_waiting"),
  withoutEvent("goal_ended"),
  withoutEvent("question_asked"),
  withoutEvent("orchestrator_started"),
];
