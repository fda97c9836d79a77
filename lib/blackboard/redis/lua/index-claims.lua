-- Indexes claims that a version without these indexes has opened, a page at a time: from the
-- newest, so that claims that are opened or end meanwhile move no other out of its page. `left`:
-- how many are still to be looked at.
-- KEYS orchestrator, open_claims
-- ARGS epoch: number, limit: number
-- Result indexed (left) | fenced
local claim_fields = { 'status', 'bidding', 'electorate', 'bid_order', 'goal_id' }

local function index_grants(id, goal)
  -- No agent is woken for a goal that was ended.
  local is_queue_open = not (goal and is_goal_ended(goal))
  local flat = redis.call('HGETALL', grants_key(id))
  for index = 1, #flat, 2 do
    -- A grant that was damaged by hand is no work, and does not keep others from being indexed.
    local is_read, grant = pcall(cjson.decode, flat[index + 1])
    if is_read and type(grant) == 'table' then
      index_work(id, flat[index], grant.state)
      if grant.state == 'queued' and is_queue_open and not is_queued(id, flat[index]) then add_queued(id, flat[index]) end
    end
  end
end

local function index_claim(id, score)
  local claim = read_fields(claim_key(id), claim_fields)
  if not claim.electorate or not claim.bid_order then return end
  if claim.bidding == 'open' then
    local asked, recorded = {}, recorded_bids(id, claim.bid_order)
    for agent in each_quoted(claim.electorate) do
      if not recorded[agent] then asked[#asked + 1] = agent end
    end
    redis.call('HSET', claim_key(id), 'missing_bids', #asked)
    add_asked(id, asked, score)
  end
  index_grants(id, claim.goal_id)
end

local function index_claims(keys, args)
  if is_fenced(keys.orchestrator, args.epoch) then return { 'fenced' } end
  local stored = redis.call('HGET', keys.orchestrator, 'unindexed')
  if stored == '0' then return { 'indexed', stored } end
  local left = tonumber(stored or redis.call('ZCARD', keys.open_claims))
  local from = math.max(0, left - args.limit)
  if left > 0 then
    local flat = redis.call('ZRANGE', keys.open_claims, from, left - 1, 'WITHSCORES')
    for index = 1, #flat, 2 do index_claim(flat[index], flat[index + 1]) end
  end
  redis.call('HSET', keys.orchestrator, 'unindexed', digits(from))
  return { 'indexed', digits(from) }
end
