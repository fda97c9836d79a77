-- Retires a goal that is over, so that it can be removed from the blackboard: nothing more is
-- stored, opened, queued or accepted for it. `changed`: it has other numbers of artefacts and
-- claims than these, or something is open.
-- KEYS goal, artefacts_of_goal, open_questions, goal_budget
-- ARGS artefacts: number, claims: number
-- Result retired | changed
local function retire_goal(keys, args)
  if redis.call('HEXISTS', keys.goal, 'retired') == 1 then return { 'retired' } end
  local ids = redis.call('ZRANGE', keys.artefacts_of_goal, 0, -1)
  if #ids ~= args.artefacts then return { 'changed' } end
  local count = 0
  for _, id in ipairs(ids) do
    if redis.call('ZSCORE', keys.open_questions, id) then return { 'changed' } end
    for _, claim in ipairs(redis.call('HVALS', causes_key(id))) do
      if not is_ended(redis.call('HGET', claim_key(claim), 'status')) then return { 'changed' } end
      count = count + 1
    end
  end
  -- A call of a language model is under way.
  if number_at(keys.goal_budget, 'reserved_calls') > 0 then return { 'changed' } end
  if count ~= args.claims then return { 'changed' } end
  redis.call('HSET', keys.goal, 'retired', '1')
  return { 'retired' }
end
