-- Stores a person's words to the work in a goal, and gives them to it: to all open claims of the
-- goal and to those that are opened later (write_claim), or to one claim. A grant that begins then
-- has them among its inputs. A repeat changes nothing.
-- KEYS goal
-- ARGS words: artefact, claim, actor, max: number
-- Result stored (claims) | refused (reason)

-- The JSON list of ids with one more, which has no quotes.
local function list_with(list, id)
  return list:sub(1, -2) .. (list:find('"') and ',' or '') .. '"' .. id .. '"]'
end

local function give(claim, id)
  local list = redis.call('HGET', claim_key(claim), 'additional_context_ids')
  -- A person has broken the record of this claim by hand.
  if not list or not list:find('^%[.*%]$') then return false end
  redis.call('HSET', claim_key(claim), 'additional_context_ids', list_with(list, id))
  return true
end

local function is_open(claim, goal)
  local fields = redis.call('HMGET', claim_key(claim), 'status', 'goal_id')
  return fields[1] and fields[2] == goal and not is_ended(fields[1])
end

local function open_claims_of(goal)
  local open = {}
  for _, artefact in ipairs(redis.call('ZRANGE', goal_key(goal) .. ':artefacts', 0, -1)) do
    for _, claim in ipairs(redis.call('HVALS', causes_key(artefact))) do
      if is_open(claim, goal) then open[#open + 1] = claim end
    end
  end
  return open
end

local function tell(keys, args)
  local goal = args.words.goal_id
  local same, problem = post_problem(args.words)
  if same then return { 'stored', '0' } end
  if problem then return refused(problem) end
  local count = tonumber(redis.call('HGET', keys.goal, 'remark_count') or '0')
  if count >= args.max then
    return refused('Goal ' .. goal .. ' has ' .. digits(count) .. ' remarks, which is the limit.')
  end
  local claims
  if args.claim == '' then
    claims = open_claims_of(goal)
    local remarks = redis.call('HGET', keys.goal, 'remarks') or '[]'
    redis.call('HSET', keys.goal, 'remarks', list_with(remarks, args.words.id))
  elseif is_open(args.claim, goal) then
    claims = { args.claim }
  else
    return refused('Claim ' .. args.claim .. ' has ended.')
  end
  redis.call('HSET', keys.goal, 'remark_count', digits(count + 1))
  store_artefact(args.words, args.actor)
  local given = 0
  for _, claim in ipairs(claims) do
    if give(claim, args.words.id) then given = given + 1 end
  end
  return { 'stored', digits(given) }
end
