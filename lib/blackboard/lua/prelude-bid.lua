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
