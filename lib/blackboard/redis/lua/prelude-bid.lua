-- Bids, for the functions that record them. The record of a claim's bids is its `bid_order`, a JSON
-- array of [agent, word] pairs in the order of arrival. While the bidding is open, those that came
-- after the claim was opened are in a hash of their own: agent → place and word. So no bid rewrites
-- what others have bid, in Redis or in its append-only file. The public hash of bids is a copy.

-- RECORD bid agent, word

local bid_words = { review = true, claim = true, exclusive = true, ignore = true }

local function later_bids_key(claim)
  return bids_key(claim) .. ':later'
end

-- The agent's word on record; nil when it has not bid. The text is searched, and not decoded: a
-- clan may be large. That is safe, because agents are DNS labels and the words are fixed. A plain
-- search first: a pattern would be tried at every letter.
local function recorded_bid(claim, order, agent)
  local later = redis.call('HGET', later_bids_key(claim), agent)
  if later then return later:match('%l+$') end
  local _, last = order:find('["' .. agent .. '","', 1, true)
  return last and order:match('^%l+', last + 1)
end

-- The bids that came after the opening, in their order: lists of agent and word.
local function later_bids(claim)
  local bids, flat = {}, redis.call('HGETALL', later_bids_key(claim))
  for index = 1, #flat, 2 do
    local place, word = flat[index + 1]:match('^(%d+) (%l+)$')
    if place then bids[#bids + 1] = { agent = flat[index], word = word, place = tonumber(place) } end
  end
  table.sort(bids, function(one, other) return one.place < other.place end)
  return bids
end

-- All words on record, by agent.
local function recorded_bids(claim, order)
  local word_of = {}
  for agent, word in order:gmatch('%["([^"]+)","(%l+)"%]') do word_of[agent] = word end
  for _, bid in ipairs(later_bids(claim)) do word_of[bid.agent] = bid.word end
  return word_of
end

local function record_bid(claim, agent, word)
  local key = later_bids_key(claim)
  redis.call('HSET', key, agent, digits(redis.call('HLEN', key) + 1) .. ' ' .. word)
end

-- Makes the claim's `bid_order` the whole record: the bidding is over.
local function close_record(claim, order)
  local pairs_of_bids = {}
  for _, bid in ipairs(later_bids(claim)) do pairs_of_bids[#pairs_of_bids + 1] = '["' .. bid.agent .. '","' .. bid.word .. '"]' end
  if #pairs_of_bids == 0 then return end
  local begun = order == '[]' and '[' or order:sub(1, -2) .. ','
  redis.call('HSET', claim_key(claim), 'bid_order', begun .. table.concat(pairs_of_bids, ',') .. ']')
  redis.call('DEL', later_bids_key(claim))
end

-- A claim's hash of bids by name, and the names in alphabetical order.
local function read_bids(key)
  local word_of, names, flat = {}, {}, redis.call('HGETALL', key)
  for index = 1, #flat, 2 do
    names[#names + 1] = flat[index]
    word_of[flat[index]] = flat[index + 1]
  end
  table.sort(names)
  return word_of, names
end

-- False for a name that cannot be an agent's: a person may have typed anything.
local function is_agent_name(name)
  return #name <= 40 and name:match('^[a-z0-9][a-z0-9-]*$') ~= nil and name:sub(-1) ~= '-'
end

-- Removes a bid that was written by hand from the claim's hash, or sets it back to the word on
-- record, and logs why. `claim` has the fields goal_id and artefact_id; `bid` has name, word, and
-- recorded where the agent has bid before.
local function refuse_bid(key, id, claim, bid, reason)
  if bid.recorded then
    redis.call('HSET', key, bid.name, bid.recorded)
    reason = 'its first bid counts, which was ' .. bid.recorded
  else
    redis.call('HDEL', key, bid.name)
  end
  log({
    type = 'bid_refused', actor = 'hand',
    goal_id = claim.goal_id, claim_id = id, artefact_id = claim.artefact_id, agent = is_agent_name(bid.name) and bid.name,
    data = object('name', bid.name:sub(1, 100), 'word', bid.word:sub(1, 100), 'reason', reason),
  })
end

-- Brings the hash of bids back to the record of a claim whose bidding is closed. `recorded`: all
-- words on record, by agent.
local function refuse_late_bids(key, id, claim, recorded)
  local late, flat = {}, redis.call('HGETALL', key)
  for index = 1, #flat, 2 do
    local name, word = flat[index], flat[index + 1]
    if recorded[name] ~= word then late[#late + 1] = { name = name, word = word, recorded = recorded[name] } end
  end
  table.sort(late, function(one, other) return one.name < other.name end)
  for _, bid in ipairs(late) do refuse_bid(key, id, claim, bid, 'the bidding is closed') end
end

local function is_elector(electorate, agent)
  return electorate:find('"' .. agent .. '"', 1, true) ~= nil
end

-- How many of the electorate have not bid. A claim that an older version has opened does not say so
-- itself: there they are counted.
local function missing_bids(id, claim)
  if claim.missing_bids then return tonumber(claim.missing_bids) end
  local missing, recorded = 0, recorded_bids(id, claim.bid_order)
  for agent in each_quoted(claim.electorate) do
    if not recorded[agent] then missing = missing + 1 end
  end
  return missing
end
