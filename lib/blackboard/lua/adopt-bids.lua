-- Records the bids that were written into a claim's hash by hand; words that nobody may bid are removed, and one that was changed after the
-- fact is set back: both are logged.
-- KEYS 1 events, 2 orchestrator, 3 claim, 4 the claim's bids
-- ARGV 1 prefix, epoch, claim id
-- Result {'adopted', number of bids} | {'fenced'}
if is_fenced(KEYS[2], take()) then return { 'fenced' } end
local id = take()
local claim = redis.call('HMGET', KEYS[3], 'status', 'bidding', 'electorate', 'bid_order', 'rev', 'goal_id', 'artefact_id', 'missing_bids')
if not claim[1] then return { 'adopted', '0' } end
local is_open = claim[2] == 'open' and not is_ended(claim[1])
local order, missing = claim[4], claim[8] or count_missing(claim[3], claim[4])
local about = { goal_id = claim[6], artefact_id = claim[7] }
local words, names = bids_in(KEYS[4])
for agent, word in order:gmatch('%["([^"]+)","(%l+)"%]') do
  if not words[agent] then redis.call('HSET', KEYS[4], agent, word) end
end

local count = 0
for _, name in ipairs(names) do
  local word, is_name = words[name], is_agent_name(name)
  local recorded = is_name and recorded_bid(order, name)
  if not recorded and is_open and is_name and bid_words[word] and is_elector(claim[3], name) then
    order = with_bid(order, name, word)
    count, missing = count + 1, missing - 1
    redis.call('HSET', KEYS[3], 'bid_order', order, 'missing_bids', missing, 'rev', claim[5] + count)
    local data = '{"word":"' .. word .. '","missing":' .. missing .. ',"by_hand":true}'
    log('hand', 'bid_placed', claim[6], id, claim[7], name, data)
  elseif recorded ~= word then
    local reason = 'not a bid word'
    if not is_open then
      reason = 'the bidding is closed'
    elseif not (is_name and is_elector(claim[3], name)) then
      reason = 'not among those who bid'
    end
    refuse_bid(KEYS[4], id, about, name, word, recorded, reason)
  end
end
if count > 0 then hint_claim(id) end
return { 'adopted', tostring(count) }
