// Mistakes of grants: their start, their leases and their results.
import type { Defect } from "../planting.ts";
import { unlogged } from "./unlogged.ts";

export const grantDefects: readonly Defect[] = [
  {
    name: "a grant is accepted during a pause",
    needs: "pause instance",
    plant: (planting) =>
      planting.lua(
        "local is_paused = redis.call('HEXISTS', orchestrator, 'paused_since') == 1",
        "local is_paused = false",
      ),
  },
  {
    name: "a grant is accepted in another attempt",
    needs: "pause",
    isRare: true,
    plant: (planting) =>
      planting.lua(
        "local problem, is_paused = start_problem(keys.orchestrator, order, claim, grant, args.mail)",
        "if grant then grant.attempt, grant.queued_at, grant.state = order.attempt, order.queued_at, 'queued' end\n  local problem, is_paused = start_problem(keys.orchestrator, order, claim, grant, args.mail)",
      ),
  },
  {
    name: "an accepted grant has no lease",
    needs: "crash",
    isRare: true,
    plant: (planting) =>
      planting.lua(
        "redis.call('HSET', keys.grants, args.agent, args.grant)\n  redis.call('ZADD', keys.due .. ':lease', digits(now_ms() + args.lease_ms),\n    lease_member(args.claim, args.agent, args.attempt))",
        "redis.call('HSET', keys.grants, args.agent, args.grant)",
      ),
  },
  {
    name: "the start of a grant is not logged",
    plant: (planting) => unlogged(planting, "grant_started"),
  },
  {
    name: "the lease of an attempt that is over is renewed",
    plant: (planting) =>
      planting.lua(
        "if problem then return refused(problem) end\n  redis.call('ZADD', keys.due .. ':lease'",
        "redis.call('ZADD', keys.due .. ':lease'",
      ),
  },
  {
    name: "a finished grant keeps its lease",
    plant: (planting) =>
      planting.lua(
        "if not is_starting then\n    redis.call('ZREM', keys.due .. ':lease', lease_member(args.claim, args.agent, args.attempt))\n  end",
        "redis.call('ZADD', keys.due .. ':lease', digits(now_ms() + 60000), lease_member(args.claim, args.agent, args.attempt))",
      ),
  },
  {
    name: "the result of an attempt that is over is taken",
    isRare: true,
    plant: (planting) =>
      planting.lua(
        "local claim = read_fields(keys.claim, claim_fields)\n  local grant, stored = read_grant(args.claim, args.agent)\n  -- Its id was chosen",
        "local claim = read_fields(keys.claim, claim_fields)\n  local grant, stored = read_grant(args.claim, args.agent)\n  if grant and not args.start then grant.state, grant.attempt, grant.queued_at = 'running', args.attempt, args.queued_at end\n  -- Its id was chosen",
      ),
  },
  {
    name: "a result is taken after the end of its claim",
    isRare: true,
    plant: (planting) =>
      planting.lua(
        "local claim = read_fields(keys.claim, claim_fields)\n  local grant, stored = read_grant(args.claim, args.agent)\n  -- Its id was chosen",
        "local claim = read_fields(keys.claim, claim_fields)\n  local grant, stored = read_grant(args.claim, args.agent)\n  if grant and is_ended(claim.status) then claim.status = 'pending_parallel'; grant.state, grant.attempt, grant.queued_at = 'running', args.attempt, args.queued_at end\n  -- Its id was chosen",
      ),
  },
  {
    name: "a result is taken after the end of its goal",
    needs: "cancel",
    isRare: true,
    plant: (planting) =>
      planting.lua(
        "local claim = read_fields(keys.claim, claim_fields)\n  local grant, stored = read_grant(args.claim, args.agent)\n  -- Its id was chosen",
        "local claim = read_fields(keys.claim, claim_fields)\n  local grant, stored = read_grant(args.claim, args.agent)\n  if claim.goal_id then open_goals[claim.goal_id] = true end\n  -- Its id was chosen",
      ),
  },
  {
    name: "what a result decides is not fenced",
    isRare: true,
    plant: (planting) =>
      planting.lua(
        "reply, has_written = functions.commit_to(its_keys, commit, claim)",
        "local leader = redis.call('HMGET', keys.orchestrator, 'epoch', 'nonce')\n    commit.epoch, nonce = tonumber(leader[1]), leader[2]\n    reply, has_written = functions.commit_to(its_keys, commit, claim)",
      ),
  },
  {
    name: "a result is stored, and its grant still runs",
    plant: (planting) =>
      planting.lua(
        "store_result(args)\n  redis.call('HSET', keys.grants, args.agent, args.grant)",
        "store_result(args)",
      ),
  },
  {
    name: "a grant is done, and its result is nowhere",
    plant: (planting) =>
      planting.lua(
        "store_result(args)\n  redis.call('HSET', keys.grants, args.agent, args.grant)",
        "store_result(args)\n  redis.call('HDEL', prefix .. 'artefacts:digests', artefact.id)\n  redis.call('HSET', keys.grants, args.agent, args.grant)",
      ),
  },
  {
    name: "a queued grant wakes no agent",
    plant: (planting) => planting.lua("    wake(claim, agent)\n", ""),
  },
  {
    name: "the lease of a grant that has lapsed is never cleared",
    plant: (planting) => {
      planting.lua(
        "redis.call('ZREM', prefix .. 'due:lease', lease_member(claim, agent, before.attempt))",
        "",
      );
      planting.lua(
        "if at and at <= now then redis.call('ZREM', key, member) end",
        "if at and at <= now and not member:find('^lease') then redis.call('ZREM', key, member) end",
      );
      planting.lua(
        "for _, member in ipairs(not_due) do redis.call('ZREM', due_key(keys.due, member), member) end",
        "for _, member in ipairs(not_due) do\n    if not member:find('^lease') then redis.call('ZREM', due_key(keys.due, member), member) end\n  end",
      );
    },
  },
];
