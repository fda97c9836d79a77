-- Records the bids that were written into a claim's hash by hand; words that nobody may bid are logged and removed, and a word
-- that was changed after the fact is set back.
-- KEYS 1 events, 2 orchestrator, 3 claim, 4 the claim's bids
-- ARGV 1 prefix, epoch, claim id
-- Result {'adopted', number of bids} | {'fenced'}
if is_fenced(KEYS[2], take()) then return { 'fenced' } end
local id = take()
local claim = redis.call('HMGET', KEYS[3], 'status', 'bidding', 'electorate', 'bid_order', 'rev', 'goal_id', 'artefact_id', 'missing_bids')
if not claim[1] then return { 'adopted', '0' } end
local is_open = claim[2] == 'open' and not is_ended(claim[1])
local order, missing = claim[4], claim[8] or count_missing(claim[3], claim[4])
for agent, word in order:gmatch('%["([^"]+)","(%l+)"%]') do
  if redis.call('HGET', KEYS[4], agent) ~= word then redis.call('HSET', KEYS[4], agent, word) end
end

local words, names = {}, {}
local flat = redis.call('HGETALL', KEYS[4])
for index = 1, #flat, 2 do
  names[#names + 1] = flat[index]
  words[flat[index]] = flat[index + 1]
end
table.sort(names)
local count = 0
for _, name in ipairs(names) do
  local word = words[name]
  local is_name = #name <= 40 and name:match('^[a-z0-9][a-z0-9-]*$') ~= nil and name:sub(-1) ~= '-'
  if not (is_name and recorded_bid(order, name)) then
    if is_open and is_name and bid_words[word] and is_elector(claim[3], name) then
      order = with_bid(order, name, word)
      count, missing = count + 1, missing - 1
      redis.call('HSET', KEYS[3], 'bid_order', order, 'missing_bids', missing, 'rev', claim[5] + count)
      local data = '{"word":"' .. word .. '","missing":' .. missing .. ',"by_hand":true}'
      log('hand', 'bid_placed', claim[6], id, claim[7], name, data)
    else
      local reason = 'not a bid word'
      if not is_open then
        reason = 'the bidding is closed'
      elseif not (is_name and is_elector(claim[3], name)) then
        reason = 'not among those who bid'
      end
      redis.call('HDEL', KEYS[4], name)
      local data = '{"name":' .. cjson.encode(name:sub(1, 100)) .. ',"word":' .. cjson.encode(word:sub(1, 100)) .. ',"reason":"' .. reason .. '"}'
      log('hand', 'bid_refused', claim[6], id, claim[7], is_name and name or '', data)
    end
  end
end
if count > 0 then hint_claim(id) end
return { 'adopted', tostring(count) }
