-- Renews the reservations of calls under way. One that the blackboard does not have (Redis has lost
-- its last writes, or it has lapsed) is made again, without a check: the call goes on. What it has
-- cost so far comes with each renewal, for the case that the gateway dies.
-- KEYS open_calls
-- ARGS calls: model_call*, lease_ms: number
-- Result the ids of calls whose grant has ended, or whose bid is placed
local function renew_calls(keys, args)
  local ended, lapses_at = {}, digits(now_ms() + args.lease_ms)
  require_type('zset', keys.open_calls)
  for _, call in ipairs(args.calls) do
    require_sums(call)
    require_type('hash', calls_key(call.goal), claim_key(call.claim), grants_key(call.claim),
      later_bids_key(call.claim))
  end
  for _, call in ipairs(args.calls) do
    local stored, text = read_call(call.goal, call.id)
    if is_goal_gone(call.goal) then
      ended[#ended + 1] = call.id
    elseif not is_final(stored) then
      if not stored or stored.outcome then
        take_back(call, stored)
        add_amounts(call, 'reserved', call.reserved, 1)
      end
      if text ~= call.json then redis.call('HSET', calls_key(call.goal), call.id, call.json) end
      redis.call('ZADD', keys.open_calls, lapses_at, call_member(call.goal, call.id))
      local grant = call.kind == 'grant' and read_grant(call.claim, call.agent) or nil
      if caller_problem(call, read_claim_of_caller(call.claim), grant) then
        ended[#ended + 1] = call.id
      end
    end
  end
  return ended
end
