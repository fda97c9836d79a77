-- Renews the lease of a running grant. No decision depends on it: it changes no rev, and brings no
-- event and no hint.
-- KEYS claim, due
-- ARGS claim, agent, attempt: number, lease_ms: number
-- Result renewed | refused (reason)
local function renew_lease(keys, args)
  local running = { claim = args.claim, agent = args.agent, attempt = args.attempt,
    state = 'running' }
  local problem = grant_problem(running, read_claim_of_grant(keys.claim),
    (read_grant(args.claim, args.agent)))
  if problem then return refused(problem) end
  redis.call('ZADD', keys.due .. ':lease', digits(now_ms() + args.lease_ms),
    lease_member(args.claim, args.agent, args.attempt))
  return { 'renewed' }
end
