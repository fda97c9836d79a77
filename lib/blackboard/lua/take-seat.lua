-- Takes or renews the orchestrator's seat. Nobody but its holder gets a seat whose lease runs.
-- KEYS 1 events, 2 orchestrator
-- ARGV 1 prefix, holder, milliseconds of the lease, fresh (1: the holder has started anew and needs a new epoch)
-- Result {'held', epoch, cursor} | {'taken', holder, milliseconds until it lapses}
local holder, lease, fresh = take(), take_number(), take() == '1'
local now = now_ms()
local seat = redis.call('HMGET', KEYS[2], 'holder', 'epoch', 'expires_at', 'cursor')
local epoch, expires, cursor = tonumber(seat[2] or 0), tonumber(seat[3] or 0), seat[4] or '0'
if seat[1] ~= holder and expires > now then return { 'taken', seat[1], string.format('%.0f', math.ceil(expires - now)) } end
local is_new = seat[1] ~= holder or fresh
if is_new then epoch = epoch + 1 end
local epoch_text = string.format('%d', epoch)
redis.call('HSET', KEYS[2], 'holder', holder, 'epoch', epoch_text, 'expires_at', string.format('%.0f', now + lease), 'cursor', cursor)
if is_new then
  local data = '{"holder":' .. cjson.encode(holder) .. ',"epoch":' .. epoch_text .. '}'
  log('orchestrator:' .. epoch_text, 'orchestrator_started', '', '', '', '', data)
end
return { 'held', epoch_text, cursor }
