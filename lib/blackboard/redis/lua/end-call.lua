-- Ends a call: what it has cost replaces what was reserved for it, and its record is stored.
-- KEYS open_calls, calls
-- ARGS goal, claim, agent, id, started_at, record, cost: amounts, event: event, only
-- Result ended | known
-- `known`: it has ended before. `only`: '' always, `open` where it is under way, `lapsed` where its
-- reservation has lapsed, too.
local function end_call(keys, args)
  local owner = { goal = args.goal, claim = args.claim, agent = args.agent,
    started_at = args.started_at }
  local member = call_member(args.goal, args.id)
  local stored = read_call(args.goal, args.id)
  require_type('zset', keys.open_calls)
  local is_open = stored and not stored.outcome
  if is_goal_gone(args.goal) or is_final(stored) or (args.only ~= '' and not is_open) then
    redis.call('ZREM', keys.open_calls, member)
    return { 'known' }
  end
  if args.only == 'lapsed'
    and tonumber(redis.call('ZSCORE', keys.open_calls, member) or 0) > now_ms() then
    return { 'known' }
  end

  require_sums(owner)
  if is_open then add_amounts(owner, 'reserved', stored.reserved, -1) end
  take_back(owner, stored)
  add_amounts(owner, 'spent', args.cost, 1)
  redis.call('HSET', keys.calls, args.id, args.record)
  redis.call('ZREM', keys.open_calls, member)
  append_event(args.event)
  return { 'ended' }
end
