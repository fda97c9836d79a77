// Mistakes about who leads, how far the log is followed, and what is due.

import type { FoundDue } from "../../../lib/blackboard/port/leader.ts";
import type { Defect } from "../planting.ts";

/** The caller is taken for the leader. `begun`: how the function begins. */
const unfenced = (name: string, begun: string, more: Pick<Defect, "isRare"> = {}): Defect => ({
  name,
  ...more,
  plant: (planting) =>
    planting.lua(
      `${begun}\n  if is_fenced(keys.orchestrator, args.epoch) then return { 'fenced' } end`,
      begun,
    ),
});

const without = (kind: FoundDue["kind"], more: Pick<Defect, "needs" | "isRare"> = {}): Defect => ({
  name: `what is due of the kind ${kind} is never found`,
  ...more,
  plant: (planting) =>
    planting.call("listDue", async (original, limit, kinds) =>
      (await original(limit, kinds)).filter((item) => item.kind !== kind),
    ),
});

export const leaderDefects: readonly Defect[] = [
  unfenced("a commit is not fenced", "function functions.commit_to(keys, args, claim)"),
  unfenced("the opening of a claim is not fenced", "local function open_claim(keys, args)"),
  unfenced("asking people is not fenced", "local function ask_people(keys, args)", {
    isRare: true,
  }),
  unfenced("the end of a goal is not fenced", "local function end_goal(keys, args)", {
    isRare: true,
  }),
  unfenced("announcing is not fenced", "local function announce_claim(keys, args)", {
    isRare: true,
  }),
  {
    name: "a new leader keeps the epoch",
    plant: (planting) =>
      planting.lua(
        "if is_new then epoch = epoch + 1 end",
        "if is_new and epoch == 0 then epoch = 1 end",
      ),
  },
  {
    name: "the lease is given to a newcomer while another holds it",
    plant: (planting) =>
      planting.lua(
        "if not is_own and not (is_namesake and args.restarted) and expires > now then",
        "if redis.call('HSETNX', prefix .. 'newcomers', nonce, '1') == 1 then expires = 0 end\n  if not is_own and not (is_namesake and args.restarted) and expires > now then",
      ),
  },
  {
    name: "the cursor moves ahead of what was handled",
    isRare: true,
    plant: (planting) =>
      planting.lua(
        "redis.call('HSET', keys.orchestrator, args.field, args.cursor)",
        "local last = redis.call('XREVRANGE', events_key, '+', '-', 'COUNT', 1)[1]\n    redis.call('HSET', keys.orchestrator, args.field, args.field == 'cursor' and last and last[1] or args.cursor)",
      ),
  },
  {
    name: "the cursor never moves",
    plant: (planting) =>
      planting.lua(
        "local function move_cursor(keys, args)",
        "local function move_cursor(keys, args)\n  if args.field == 'cursor' then return { 'moved' } end",
      ),
  },
  {
    name: "what was given up is forgotten",
    needs: "refuse a function",
    plant: (planting) => planting.call("listOwed", async () => ({ count: 0, owed: [] })),
  },
  {
    name: "an event is given up without a record of it",
    needs: "refuse a function",
    plant: (planting) => planting.call("oweEvent", async () => ({ outcome: "owed" as const })),
  },
  without("bids", { isRare: true }),
  without("lease", { needs: "crash", isRare: true }),
  without("attempt"),
  {
    name: "an ended claim keeps its deadlines",
    plant: (planting) =>
      planting.lua(
        "for _, member in ipairs(not_due) do redis.call('ZREM', due_key(keys.due, member), member) end",
        "if not has_ended then\n    for _, member in ipairs(not_due) do redis.call('ZREM', due_key(keys.due, member), member) end\n  end",
      ),
  },
];
