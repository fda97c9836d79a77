-- The gate to work: a queued grant of this attempt, of an open claim and a goal that was not ended, becomes a running one with a lease.
-- KEYS claim, grants, due, orchestrator
-- ARGS claim, agent, attempt: number, queued_at, grant, lease_ms: number, actor, event_data
-- Result accepted | refused (reason)
-- `grant` is the running grant as JSON.
local function accept_grant(keys, args)
  local grant, stored = read_grant(args.claim, args.agent)
  if stored == args.grant then return { 'accepted' } end
  local claim = read_claim_of_grant(keys.claim)
  local queued = { claim = args.claim, agent = args.agent, attempt = args.attempt, state = 'queued', queued_at = args.queued_at }
  local problem = grant_problem(queued, claim, grant)
  if problem then return refused(problem) end
  if redis.call('HEXISTS', keys.orchestrator, 'paused_since') == 1 then return refused('The instance is paused.') end

  redis.call('HSET', keys.grants, args.agent, args.grant)
  remove_queued(args.claim, args.agent)
  redis.call('HINCRBY', keys.claim, 'rev', 1)
  log({
    type = 'grant_started', actor = args.actor, goal_id = claim.goal_id, claim_id = args.claim, artefact_id = claim.artefact_id,
    agent = args.agent, data = args.event_data,
  })
  redis.call('ZADD', keys.due, digits(now_ms() + args.lease_ms), lease_member(args.claim, args.agent, args.attempt))
  return { 'accepted' }
end
