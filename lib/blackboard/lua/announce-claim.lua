-- Announces a claim that still takes bids again, to the cubs whose bids are missing, and sets when it is due to be looked at next. The log tells of
-- the first time alone.
-- KEYS 1 events, 2 orchestrator, 3 claim, 4 due
-- ARGV 1 prefix, epoch, claim id, milliseconds until the next look, silent (1: nothing is announced)
-- Result {'announced'} | {'ended'} | {'fenced'}
local epoch = take()
if is_fenced(KEYS[2], epoch) then return { 'fenced' } end
local id, again, is_silent = take(), take_number(), take() == '1'
local claim = redis.call('HMGET', KEYS[3], 'status', 'bidding', 'goal_id', 'artefact_id', 'electorate', 'bid_order')
if claim[2] ~= 'open' or is_ended(claim[1]) then
  redis.call('ZREM', KEYS[4], 'announce:' .. id)
  return { 'ended' }
end
redis.call('ZADD', KEYS[4], string.format('%.0f', now_ms() + again), 'announce:' .. id)
if is_silent then return { 'announced' } end
local missing = {}
for agent in claim[5]:gmatch('"([^"]+)"') do
  if not recorded_bid(claim[6], agent) then missing[#missing + 1] = agent end
end
announce(id, claim[4], subject_of(claim[4]), missing)
if redis.call('HSETNX', KEYS[3], 'announced_again', '1') == 1 then
  log('orchestrator:' .. epoch, 'claim_announced', claim[3], id, claim[4], '', '{"missing":' .. #missing .. '}')
  hint_claim(id)
end
return { 'announced' }
