-- A queued grant of this attempt, of an open claim and a goal that was not ended, becomes a running
-- one with a lease. One that was taken before a pause, of the instance or of the goal, is not held
-- back by it: its message was in the mail when the pause began.
-- KEYS claim, grants, due, orchestrator, taken
-- ARGS claim, agent, attempt: number, queued_at, run, grant, lease_ms: number, actor, event_data,
--      mail: applied_mail?
-- Result accepted | refused (reason)
-- `grant` is the running grant as JSON; `run` is the name of its run, '' where it has none.
local function accept_grant(keys, args)
  require_mail(args.agent)
  local grant, stored = read_grant(args.claim, args.agent)
  if stored == args.grant then
    end_mail(args.agent, args.mail)
    return { 'accepted' }
  end
  local order =
    { claim = args.claim, agent = args.agent, attempt = args.attempt, queued_at = args.queued_at,
      actor = args.actor }
  local claim = read_claim_of_grant(keys.claim)
  local problem, is_paused = start_problem(keys.orchestrator, order, claim, grant, args.mail)
  require_type('hash', keys.taken)
  require_grant_keys(args.agent)
  require_due(keys.due, 'lease')
  end_taken(keys.taken, order, args.run)
  if problem then return refused(problem) end

  local rev = redis.call('HINCRBY', keys.claim, 'rev', 1)
  begin_grant(order, claim, args.event_data, is_paused, rev)
  redis.call('HSET', keys.grants, args.agent, args.grant)
  redis.call('ZADD', keys.due .. ':lease', digits(now_ms() + args.lease_ms),
    lease_member(args.claim, args.agent, args.attempt))
  end_mail(args.agent, args.mail)
  return { 'accepted' }
end
