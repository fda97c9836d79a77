-- Moves the orchestrator's place in the log.
-- KEYS 1 events, 2 orchestrator
-- ARGV 1 prefix, epoch, cursor
-- Result {'moved'} | {'fenced'}
if is_fenced(KEYS[2], take()) then return { 'fenced' } end
redis.call('HSET', KEYS[2], 'cursor', take())
return { 'moved' }
