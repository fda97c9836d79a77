-- Bids, for the functions that record them. A claim's `bid_order`, a JSON array of [agent, word] pairs in the order of arrival, is
-- the record; the hash of bids is the public copy. In a large clan it would take long to decode the record for every bid, so it is
-- searched as text. That is safe: agents are DNS labels, and the words are fixed.

-- RECORD bid agent, word

local bid_words = { review = true, claim = true, exclusive = true, ignore = true }

-- The agent's word on record; nil when it has not bid. A plain search first: a pattern would be tried at every letter.
local function recorded_bid(order, agent)
  local _, last = order:find('["' .. agent .. '","', 1, true)
  return last and order:match('^%l+', last + 1)
end

local function with_bid(order, agent, word)
  local pair = '["' .. agent .. '","' .. word .. '"]'
  if order == '[]' then return '[' .. pair .. ']' end
  return order:sub(1, -2) .. ',' .. pair .. ']'
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

-- Removes a bid that was written by hand from the claim's hash, or sets it back to the word on record, and logs why. `claim` has the
-- fields goal_id and artefact_id; `bid` has name, word, and recorded where the agent has bid before.
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

-- Brings the hash of bids back to the record of a claim whose bidding is closed.
local function refuse_late_bids(key, id, claim, order)
  local word_of, names = read_bids(key)
  for _, name in ipairs(names) do
    local word, recorded = word_of[name], is_agent_name(name) and recorded_bid(order, name)
    if recorded ~= word then
      refuse_bid(key, id, claim, { name = name, word = word, recorded = recorded }, 'the bidding is closed')
    end
  end
end

local function is_elector(electorate, agent)
  return electorate:find('"' .. agent .. '"', 1, true) ~= nil
end

-- How many of the electorate have not bid. A claim that an older version has opened does not say so itself: there they are counted.
local function missing_bids(claim)
  if claim.missing_bids then return tonumber(claim.missing_bids) end
  local missing = 0
  for agent in each_quoted(claim.electorate) do
    if not recorded_bid(claim.bid_order, agent) then missing = missing + 1 end
  end
  return missing
end
