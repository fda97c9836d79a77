-- Checks the token, and reserves what a call may cost at most against the budgets of the goal and
-- of the agent's work on the claim.
-- KEYS open_calls
-- ARGS token: model_token, id, started_at, json, needed: amounts, goal_limits: limits,
--      grant_limits: limits, spending_limits: text?, lease_ms: number
-- Result reserved (call) |
--      exhausted (scope, whose, kind, allowed, limit, spent, reserved, needed) |
--      refused (reason, is_ended)
-- `json`: the call without its caller, whose members are put in front. `spending_limits`: JSON of
-- the limits of days and months. `whose`: the payer, where the scope is one of these. What people
-- have added to the limits is added here. A refusal for want of budget is kept in the goal's
-- budget, for what a question about it says and for what its answer adds.
local function reserve_call(keys, args)
  local token = args.token
  local claim, problem, is_ended = claim_of_token(token)
  if not claim then return { 'refused', problem, is_ended } end
  local goal = claim.goal_id
  local stored, text = read_call(goal, args.id)
  if stored and stored.outcome then
    return { 'refused', 'Call ' .. args.id .. ' has ended.', '1' }
  end
  if stored then return { 'reserved', text } end

  local owner = { goal = goal, claim = token.claim, agent = token.agent,
    started_at = args.started_at }
  require_sums(owner)
  require_type('zset', keys.open_calls)
  local scope, by, whose = exhausted_budget({
    token = args.token, started_at = args.started_at, needed = args.needed,
    goal_limits = args.goal_limits, grant_limits = args.grant_limits,
    spending_limits = args.spending_limits,
  }, goal)
  if by then
    keep_refusal(token, goal_budget_key(goal), args.id, scope, by, whose)
    local need = by.needed
    return { 'exhausted', scope, whose, by.kind, by.allowed, by.limit, by.spent, by.reserved, need }
  end

  local caller = object(
    'goal_id', goal, 'claim_id', token.claim, 'artefact_id', claim.artefact_id,
    'agent', token.agent, 'kind', token.kind,
    'attempt', token.attempt
  )
  local call = caller:sub(1, -2) .. ',' .. args.json:sub(2)
  forget_refusal(token, goal_budget_key(goal), args.id)
  add_amounts(owner, 'reserved', args.needed, 1)
  redis.call('HSET', calls_key(goal), args.id, call)
  redis.call('ZADD', keys.open_calls, digits(now_ms() + args.lease_ms), call_member(goal, args.id))
  return { 'reserved', call }
end
