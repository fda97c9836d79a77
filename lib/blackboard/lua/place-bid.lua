-- Records an agent's bid. The first word counts for ever; one that somebody wrote into the hash by hand came first.
-- KEYS 1 events, 2 claim, 3 the claim's bids
-- ARGV 1 prefix, claim id, agent, word, actor
-- Result {'placed', the word on record} | {'refused', reason}
local id, agent, word, actor = take(), take(), take(), take()
local claim = redis.call('HMGET', KEYS[2], 'status', 'bidding', 'electorate', 'bid_order', 'rev', 'goal_id', 'artefact_id', 'missing_bids')
if not claim[1] then return refused('There is no claim ' .. id .. '.') end
local is_open = claim[2] == 'open' and not is_ended(claim[1])
local recorded = recorded_bid(claim[4], agent)
if recorded and (recorded == word or is_open) then return { 'placed', recorded } end
if not is_open then return refused('The bidding on claim ' .. id .. ' is closed.') end
if not is_elector(claim[3], agent) then return refused('Agent ' .. agent .. ' is not among those who bid on claim ' .. id .. '.') end

local mark = ''
if redis.call('HSETNX', KEYS[3], agent, word) == 0 then
  local by_hand = redis.call('HGET', KEYS[3], agent)
  if bid_words[by_hand] then
    word, actor, mark = by_hand, 'hand', ',"by_hand":true'
  else
    redis.call('HSET', KEYS[3], agent, word)
  end
end
local missing = (claim[8] or count_missing(claim[3], claim[4])) - 1
redis.call('HSET', KEYS[2], 'bid_order', with_bid(claim[4], agent, word), 'missing_bids', missing, 'rev', claim[5] + 1)
local data = '{"word":"' .. word .. '","missing":' .. missing .. mark .. '}'
log(actor, 'bid_placed', claim[6], id, claim[7], agent, data)
return { 'placed', word }
