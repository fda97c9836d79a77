-- Opening and announcing claims. Both functions that open one get the record `new_claim`: what they
-- read of it, the agents that are asked to bid, all fields of its hash, the bids that it begins
-- with, its grants, and the events of its opening, of which the first is `claim_opened`. It may
-- have ended with its opening.

-- RECORD new_claim id, artefact_id, goal_id, cause, status, bidding, asked: text*, fields: fields,
--      bids, grants: grant*, events: event*

-- The id of the claim that this cause has opened before, if it has.
local function claim_of_cause(new_claim)
  return redis.call('HGET', causes_key(new_claim.artefact_id), new_claim.cause)
end

local target_fields = { 'type', 'produced_by_role' }

-- Bidding rules read these of an artefact; both fields are false where there is no such artefact.
local function read_target(artefact)
  return read_fields(artefact_key(artefact), target_fields)
end

-- `missing`: the names of the agents that are asked to bid.
local function announce(claim, artefact, target, missing)
  local text = '{"artefact_id":' .. cjson.encode(artefact)
    .. ',"type":' .. cjson.encode(target.type or '')
    .. ',"produced_by_role":' .. cjson.encode(target.produced_by_role or '')
    .. ',"missing":[' .. (#missing > 0 and '"' .. table.concat(missing, '","') .. '"' or '') .. ']'
  add_and_ring(prefix .. 'claims', '10000', 'claim', claim, 'about', text .. '}')
end

-- A call takes so many words.
local words_at_once = 2000
-- Redis 7.0 compares each new field of a small hash with all before it. One with a long value is
-- not stored as small.
local small_bids, long_value = 256, ('x'):rep(65)

-- `text`: a JSON array of names and words. As words of the call they would cost both sides more.
local function write_bids(key, text)
  local flat = cjson.decode(text)
  local is_large = #flat > 2 * small_bids
  if is_large then redis.call('HSET', key, '', long_value) end
  for from = 1, #flat, words_at_once do
    redis.call('HSET', key, unpack(flat, from, math.min(from + words_at_once - 1, #flat)))
  end
  if is_large then redis.call('HDEL', key, '') end
end

-- What people have said to the goal before is among the inputs of its later work (tell.lua).
local function add_remarks(claim, goal)
  local remarks = redis.call('HGET', goal_key(goal), 'remarks')
  if not remarks then return end
  local list = redis.call('HGET', claim_key(claim), 'additional_context_ids')
  for id in each_quoted(remarks) do
    -- A rework may have it from the work before.
    if not list:find(id, 1, true) then
      list = list:sub(1, -2) .. (list:find('"') and ',' or '') .. '"' .. id .. '"]'
    end
  end
  redis.call('HSET', claim_key(claim), 'additional_context_ids', list)
end

-- The keys that `write_claim` writes.
local function require_claim_keys(new_claim)
  local id = new_claim.id
  require_type('hash', claim_key(id), bids_key(id), grants_key(id),
    causes_key(new_claim.artefact_id), goal_key(new_claim.goal_id))
  require_type('zset', prefix .. 'claims:open', prefix .. 'questions:open')
  require_due(prefix .. 'due', 'lease', 'attempt')
  require_asked(new_claim.asked)
  if #new_claim.asked > 0 then
    require_type('stream', prefix .. 'claims')
    require_type('hash', artefact_key(new_claim.artefact_id))
  end
  for _, grant in ipairs(new_claim.grants) do require_grant_keys(grant.agent) end
end

-- `target` is needed for a claim whose bids are asked for.
local function write_claim(new_claim, target)
  local id = new_claim.id
  redis.call('HSET', claim_key(id), names_and_values(new_claim.fields))
  add_remarks(id, new_claim.goal_id)
  redis.call('HSET', causes_key(new_claim.artefact_id), new_claim.cause, id)
  write_bids(bids_key(id), new_claim.bids)
  local score
  for index, event in ipairs(new_claim.events) do
    local event_id = append_event(event)
    if index == 1 and not is_ended(new_claim.status) then
      score = score_of(event_id)
      redis.call('ZADD', prefix .. 'claims:open', score, id)
      add_asked(id, new_claim.asked, score)
    end
  end
  for _, grant in ipairs(new_claim.grants) do write_grant(id, new_claim.goal_id, grant, score) end
  if #new_claim.asked > 0 then announce(id, new_claim.artefact_id, target, new_claim.asked) end
  publish_claim(id)
end
