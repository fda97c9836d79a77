-- Checks the token, and charges a call of a tool that has a price, before it is made.
-- KEYS tool_charges
-- ARGS token: model_token, id, started_at, server, needed: amounts, goal_limits: limits,
--      grant_limits: limits, spending_limits: text?
-- Result charged |
--      exhausted (scope, whose, kind, allowed, limit, spent, reserved, needed) |
--      refused (reason, is_ended)
-- The budgets are those of calls of models. A repeat with the same id is `charged` again.
local function charge_tool(keys, args)
  local token = args.token
  local claim, problem, is_ended = claim_of_token(token)
  if not claim then return { 'refused', problem, is_ended } end
  if redis.call('HEXISTS', keys.tool_charges, args.id) == 1 then return { 'charged' } end
  local goal = claim.goal_id
  local owner = { goal = goal, claim = token.claim, agent = token.agent,
    started_at = args.started_at }
  require_sums(owner)
  local scope, by, whose = exhausted_budget({
    token = args.token, started_at = args.started_at, needed = args.needed,
    goal_limits = args.goal_limits, grant_limits = args.grant_limits,
    spending_limits = args.spending_limits,
  }, goal)
  if by then
    local need = by.needed
    return { 'exhausted', scope, whose, by.kind, by.allowed, by.limit, by.spent, by.reserved, need }
  end
  add_amounts(owner, 'spent', args.needed, 1)
  redis.call('HSET', keys.tool_charges, args.id, object(
    'claim_id', token.claim, 'agent', token.agent, 'server', args.server,
    'nanousd', args.needed.nanousd, 'started_at', args.started_at
  ))
  return { 'charged' }
end
