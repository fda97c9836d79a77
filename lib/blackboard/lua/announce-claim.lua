-- Announces a claim that still takes bids to the cubs again, and sets when the next announcement is due.
-- KEYS 1 events, 2 orchestrator, 3 claim, 4 due
-- ARGV 1 prefix, epoch, claim id, milliseconds until the next announcement
-- Result {'announced'} | {'ended'} | {'fenced'}
local epoch = take()
if is_fenced(KEYS[2], epoch) then return { 'fenced' } end
local id, again = take(), take_number()
local claim = redis.call('HMGET', KEYS[3], 'status', 'bidding', 'goal_id', 'artefact_id')
if claim[2] ~= 'open' or is_ended(claim[1]) then return { 'ended' } end
announce(id, claim[4], subject_of(claim[4]))
redis.call('ZADD', KEYS[4], string.format('%.0f', now_ms() + again), 'announce:' .. id)
log('orchestrator:' .. epoch, 'claim_announced', claim[3], id, claim[4], '', '')
hint_claim(id)
return { 'announced' }
