-- Raises the limits of a goal, or those of one agent's work in the goal.
-- KEYS goal_budget
-- ARGS goal, agent, add: amounts, cause, event: event
-- Result raised | already | refused (reason)
-- `agent` is '' for the limits of the goal itself. `cause` is what a repeat is known by.
local function raise_budget(keys, args)
  if redis.call('HEXISTS', keys.goal_budget, 'cause:' .. args.cause) == 1 then
    return { 'already' }
  end
  if is_goal_gone(args.goal) then return refused('There is no goal ' .. args.goal .. '.') end
  if is_goal_ended(args.goal) then return refused('Goal ' .. args.goal .. ' was ended.') end
  local start = args.agent == '' and 'added_' or 'added:' .. args.agent .. ':'
  local add = args.add
  for _, kind in ipairs(amount_kinds) do
    if add[kind] > 0 then
      redis.call('HINCRBY', keys.goal_budget, start .. kind, digits(add[kind]))
    end
  end
  redis.call('HSET', keys.goal_budget, 'cause:' .. args.cause, '1')
  append_event(args.event)
  return { 'raised' }
end
