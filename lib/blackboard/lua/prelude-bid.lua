-- Bids, for the scripts that record them. A claim's `bid_order`, a JSON array of [agent, word] pairs in the order of arrival, is
-- the record; the hash of bids is the public copy. Agents are DNS labels and words are fixed, so that searching text is safe.

local bid_words = { review = true, claim = true, exclusive = true, ignore = true }

-- The word that stands in the record, if any. A plain search first: in a large clan a pattern would be tried at every letter.
local function recorded_bid(order, agent)
  local _, last = order:find('["' .. agent .. '","', 1, true)
  return last and order:match('^%l+', last + 1)
end

local function with_bid(order, agent, word)
  local pair = '["' .. agent .. '","' .. word .. '"]'
  if order == '[]' then return '[' .. pair .. ']' end
  return order:sub(1, -2) .. ',' .. pair .. ']'
end

-- A claim's hash of bids by name, and the names in order.
local function bids_in(key)
  local words, names, flat = {}, {}, redis.call('HGETALL', key)
  for index = 1, #flat, 2 do
    names[#names + 1] = flat[index]
    words[flat[index]] = flat[index + 1]
  end
  table.sort(names)
  return words, names
end

-- An agent's name, as a person may have mistyped it.
local function is_agent_name(name)
  return #name <= 40 and name:match('^[a-z0-9][a-z0-9-]*$') ~= nil and name:sub(-1) ~= '-'
end

-- Takes a bid that was written by hand out of the claim's hash, or sets it back to the word on record, and logs why. `claim` has goal_id
-- and artefact_id.
local function refuse_bid(key, id, claim, name, word, recorded, reason)
  if recorded then
    redis.call('HSET', key, name, recorded)
    reason = 'its first bid counts, which was ' .. recorded
  else
    redis.call('HDEL', key, name)
  end
  local data = '{"name":' .. cjson.encode(name:sub(1, 100)) .. ',"word":' .. cjson.encode(word:sub(1, 100)) .. ',"reason":"' .. reason .. '"}'
  log('hand', 'bid_refused', claim.goal_id, id, claim.artefact_id, is_agent_name(name) and name or '', data)
end

-- Brings the hash of bids back to the record of a claim that takes none any more.
local function refuse_late_bids(key, id, claim, order)
  local words, names = bids_in(key)
  for _, name in ipairs(names) do
    local recorded = is_agent_name(name) and recorded_bid(order, name)
    if recorded ~= words[name] then refuse_bid(key, id, claim, name, words[name], recorded, 'the bidding is closed') end
  end
end

local function is_elector(electorate, agent)
  return electorate:find('"' .. agent .. '"', 1, true) ~= nil
end

-- How many have not bid, where the claim does not say so itself: counting takes long in a large clan. Every name in a JSON array of
-- names has two quotes; every pair of the record begins with one bracket and quote.
local function count_missing(electorate, order)
  local _, quotes = electorate:gsub('"', '')
  local _, pairs_ = order:gsub('%["', '')
  return quotes / 2 - pairs_
end
