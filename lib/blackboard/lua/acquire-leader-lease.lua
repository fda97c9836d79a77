-- Takes or renews the orchestrator's leader lease. Nobody but the process that holds it gets a leader lease that runs, and a restart of it, which has
-- its name and another nonce. Asked every second or two, it is also where a clock that was set back is noticed.
-- KEYS 1 events, 2 orchestrator, 3 due
-- ARGV 1 prefix, holder, milliseconds of the lease, restarted (1: the holder has started anew and needs a new epoch)
-- Result {'held', epoch, cursor} | {'taken', holder, milliseconds until it lapses}
local holder, lease, restarted = take(), take_number(), take() == '1'
local now = now_ms()
local leader = redis.call('HMGET', KEYS[2], 'holder', 'epoch', 'expires_at', 'cursor', 'nonce', 'seen_at')
local epoch, expires, cursor, seen = tonumber(leader[2] or 0), tonumber(leader[3] or 0), leader[4] or '0', tonumber(leader[6] or 0)
if now < seen then
  turn_back(KEYS[3], seen, now)
  expires = expires - (seen - now)
  redis.call('HSET', KEYS[2], 'expires_at', string.format('%.0f', expires), 'seen_at', string.format('%.0f', now))
end
local is_namesake = leader[1] == holder
local is_own = is_namesake and leader[5] == nonce
if not is_own and not (is_namesake and restarted) and expires > now then
  return { 'taken', leader[1], string.format('%.0f', math.ceil(expires - now)) }
end
local is_new = not is_own or restarted
if is_new then epoch = epoch + 1 end
local epoch_text, until_ms = string.format('%d', epoch), string.format('%.0f', now + lease)
redis.call('HSET', KEYS[2], 'holder', holder, 'epoch', epoch_text, 'nonce', nonce, 'expires_at', until_ms, 'cursor', cursor,
  'seen_at', string.format('%.0f', now))
if is_new then
  local data = '{"holder":' .. cjson.encode(holder) .. ',"epoch":' .. epoch_text .. '}'
  log('orchestrator:' .. epoch_text, 'orchestrator_started', '', '', '', '', data)
end
return { 'held', epoch_text, cursor }
