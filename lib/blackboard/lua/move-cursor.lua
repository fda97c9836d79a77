-- Moves the orchestrator's place in the log: the one that it works from, or the one that it tells people from.
-- KEYS 1 events, 2 orchestrator
-- ARGV 1 prefix, epoch, field (cursor, notice_cursor), cursor (empty: forgotten)
-- Result {'moved'} | {'fenced'}
if is_fenced(KEYS[2], take()) then return { 'fenced' } end
local field, cursor = take(), take()
if cursor == '' then redis.call('HDEL', KEYS[2], field) else redis.call('HSET', KEYS[2], field, cursor) end
return { 'moved' }
