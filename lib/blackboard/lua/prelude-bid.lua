-- Bids, for the scripts that record them. A claim's `bid_order`, a JSON array of [agent, word] pairs in the order of arrival, is
-- the record; the hash of bids is the public copy. Agents are DNS labels and words are fixed, so that searching text is safe.

local bid_words = { review = true, claim = true, exclusive = true, ignore = true }

-- The word that stands in the record, if any.
local function recorded_bid(order, agent)
  return order:match('%["' .. agent:gsub('%-', '%%-') .. '","(%l+)"%]')
end

local function with_bid(order, agent, word)
  local pair = '["' .. agent .. '","' .. word .. '"]'
  if order == '[]' then return '[' .. pair .. ']' end
  return order:sub(1, -2) .. ',' .. pair .. ']'
end

local function is_elector(electorate, agent)
  return electorate:find('"' .. agent .. '"', 1, true) ~= nil
end

-- Every name in a JSON array of names has two quotes; every pair of the record begins with one bracket and quote.
local function missing_bids(electorate, order)
  local _, quotes = electorate:gsub('"', '')
  local _, pairs_ = order:gsub('%["', '')
  return quotes / 2 - pairs_
end
