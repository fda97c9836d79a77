-- Removes the newest artefacts of a retired goal with their claims and all that belongs to these,
-- and with the last one the goal itself. `left`: how many artefacts the goal still has.
-- KEYS goal, artefacts_of_goal
-- ARGS goal, limit: number
-- Result left (count)
-- The subjects of deliveries are named as `keyOf` in lib/core/notice.ts names them.

local function remove_claim(id)
  redis.call('ZREM', prefix .. 'claims:open', id)
  for _, agent in ipairs(redis.call('HKEYS', grants_key(id))) do
    redis.call('UNLINK', prefix .. 'delivery:approval-' .. id .. '-' .. agent)
    remove_work(id, agent)
  end
  redis.call('UNLINK', claim_key(id), bids_key(id), later_bids_key(id), grants_key(id),
    claim_budget_key(id), bid_tokens_key(id))
end

local function remove_artefact(id)
  local key = artefact_key(id)
  for _, claim in ipairs(redis.call('HVALS', causes_key(id))) do remove_claim(claim) end
  local thread = redis.call('HGET', key, 'logical_id')
  if thread then redis.call('ZREM', thread_key(thread), id) end
  redis.call('UNLINK', key, causes_key(id), list_key(id), prefix .. 'question:' .. id,
    prefix .. 'delivery:question-' .. id)
  redis.call('HDEL', prefix .. 'artefacts:digests', id)
  redis.call('HDEL', prefix .. 'artefacts:refused', id)
  for _, index in ipairs({ 'artefacts', 'artefacts:with_commit', 'questions:open' }) do
    redis.call('ZREM', prefix .. index, id)
  end
end

local function remove_of_goal(keys, args)
  if redis.call('HEXISTS', keys.goal, 'retired') == 1 then
    for _, id in ipairs(redis.call('ZRANGE', keys.artefacts_of_goal, -args.limit, -1)) do
      remove_artefact(id)
      redis.call('ZREM', keys.artefacts_of_goal, id)
    end
    if redis.call('ZCARD', keys.artefacts_of_goal) == 0 then
      redis.call('ZREM', prefix .. 'goals', args.goal)
      redis.call('HDEL', prefix .. 'goals:paused', args.goal)
      for _, call in ipairs(redis.call('HKEYS', calls_key(args.goal))) do
        redis.call('ZREM', prefix .. 'model_calls', call_member(args.goal, call))
      end
      redis.call('UNLINK', keys.goal, goal_budget_key(args.goal), calls_key(args.goal),
        asked_calls_key(args.goal), tool_charges_key(args.goal), goal_key(args.goal) .. ':facts',
        prefix .. 'delivery:goal-' .. args.goal)
    end
  end
  return { 'left', digits(redis.call('ZCARD', keys.artefacts_of_goal)) }
end
