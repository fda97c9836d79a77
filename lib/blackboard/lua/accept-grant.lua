-- A queued grant of this attempt, of an open claim and a goal that was not ended, becomes a running one with a lease. One that was taken
-- before a pause is not held back by it: its message was in the mail when the pause began.
-- KEYS claim, grants, due, orchestrator, taken
-- ARGS claim, agent, attempt: number, queued_at, run, grant, lease_ms: number, actor, event_data, mail: applied_mail?
-- Result accepted | refused (reason)
-- `grant` is the running grant as JSON; `run` is the name of its run, '' where it has none.
local function accept_grant(keys, args)
  local grant, stored = read_grant(args.claim, args.agent)
  if stored == args.grant then
    end_mail(args.agent, args.mail)
    return { 'accepted' }
  end
  local taken = read_taken(keys.taken, args.claim)
  local is_taken = taken and taken.attempt == args.attempt and taken.queued_at == args.queued_at and taken.run == args.run
  if is_taken then redis.call('HDEL', keys.taken, args.claim) end
  local claim = read_claim_of_grant(keys.claim)
  local queued = { claim = args.claim, agent = args.agent, attempt = args.attempt, state = 'queued', queued_at = args.queued_at }
  local problem = grant_problem(queued, claim, grant)
  if problem then return refused(problem) end
  local is_paused = redis.call('HEXISTS', keys.orchestrator, 'paused_since') == 1
  if is_paused and not came_before_pause(args.agent, args.mail) then return refused('The instance is paused.') end

  redis.call('HSET', keys.grants, args.agent, args.grant)
  remove_queued(args.claim, args.agent)
  redis.call('HINCRBY', keys.claim, 'rev', 1)
  log({
    type = 'grant_started', actor = args.actor, goal_id = claim.goal_id, claim_id = args.claim, artefact_id = claim.artefact_id,
    agent = args.agent, data = is_paused and args.event_data:gsub('}$', ',"taken_before_pause":true}') or args.event_data,
  })
  redis.call('ZADD', keys.due, digits(now_ms() + args.lease_ms), lease_member(args.claim, args.agent, args.attempt))
  end_mail(args.agent, args.mail)
  return { 'accepted' }
end
