-- Bids, for the functions that record them. The record of a claim's bids is its `bid_order`, a JSON
-- array of [agent, word] pairs in the order of arrival. While the bidding is open, those that came
-- after the claim was opened are in a hash of their own: agent → place and word. So no bid rewrites
-- what others have bid, in Redis or in its append-only file. The public hash of bids is a copy.

-- RECORD bid agent, word

local function later_bids_key(claim)
  return bids_key(claim) .. ':later'
end

-- The agent's word on record; nil when it has not bid. The text is searched, and not decoded: a
-- clan may be large. That is safe, because agents are DNS labels and the words are fixed. A plain
-- search first: a pattern would be tried at every character.
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
    if place then
      bids[#bids + 1] = { agent = flat[index], word = word, place = tonumber(place) }
    end
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
  for _, bid in ipairs(later_bids(claim)) do
    pairs_of_bids[#pairs_of_bids + 1] = '["' .. bid.agent .. '","' .. bid.word .. '"]'
  end
  if #pairs_of_bids == 0 then return end
  local begun = order == '[]' and '[' or order:sub(1, -2) .. ','
  redis.call('HSET', claim_key(claim),
    'bid_order', begun .. table.concat(pairs_of_bids, ',') .. ']')
  redis.call('DEL', later_bids_key(claim))
end

local function is_elector(electorate, agent)
  return electorate:find('"' .. agent .. '"', 1, true) ~= nil
end
