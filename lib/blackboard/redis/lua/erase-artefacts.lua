-- Takes the content of artefacts of a goal away. All their other fields stay, with what says who
-- has erased it, when and why. `open`: work on the goal goes on, or a question or a call of it
-- waits.
-- KEYS goal, artefacts_of_goal, digests, with_commit, refused_artefacts, open_questions
-- ARGS goal, ids: text*, metadata: text*, events: event*
-- Result erased (count) | open | retired
-- `metadata` takes the place of each artefact's own. What is erased already, or is not of the goal,
-- is left as it is.

local function is_at_work(goal, artefacts_of_goal, open_questions)
  if number_at(goal_budget_key(goal), 'reserved_calls') > 0 then return true end
  for _, id in ipairs(redis.call('ZRANGE', artefacts_of_goal, 0, -1)) do
    if redis.call('ZSCORE', open_questions, id) then return true end
    for _, claim in ipairs(redis.call('HVALS', causes_key(id))) do
      if not is_ended(redis.call('HGET', claim_key(claim), 'status')) then return true end
    end
  end
  return false
end

-- What an approval says is that it approves.
local function payload_after(artefact)
  local is_approval = artefact.structural_type == 'Review' and artefact.payload == '{}'
  return is_approval and '{}' or ''
end

local function erase_artefacts(keys, args)
  if redis.call('HEXISTS', keys.goal, 'retired') == 1 then return { 'retired' } end
  if is_at_work(args.goal, keys.artefacts_of_goal, keys.open_questions) then return { 'open' } end
  require_type('hash', keys.digests, keys.refused_artefacts)
  require_type('zset', keys.with_commit)
  local left = {}
  for place, id in ipairs(args.ids) do
    local artefact = read_fields(artefact_key(id),
      { 'goal_id', 'erased', 'structural_type', 'payload' })
    left[place] = artefact.goal_id == args.goal and not artefact.erased and payload_after(artefact)
  end

  local count = 0
  for place, id in ipairs(args.ids) do
    if left[place] then
      local key = artefact_key(id)
      redis.call('HSET', key, 'payload', left[place], 'metadata', args.metadata[place],
        'erased', '1')
      redis.call('HDEL', key, 'salt', 'beginning')
      redis.call('HSET', keys.digests, id, digest_of(key))
      redis.call('ZREM', keys.with_commit, id)
      redis.call('HDEL', keys.refused_artefacts, id)
      -- What the arguments of calls were for which a person was asked.
      if id == args.goal then redis.call('UNLINK', asked_calls_key(id)) end
      append_event(args.events[place])
      count = count + 1
    end
  end
  return { 'erased', digits(count) }
end
