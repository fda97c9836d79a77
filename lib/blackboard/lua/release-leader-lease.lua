-- Gives the leader lease up, if it is still this epoch's. Epoch and cursor stay for the next holder.
-- KEYS 1 events, 2 orchestrator
-- ARGV 1 prefix, epoch
-- Result {'left'} | {'fenced'}
if is_fenced(KEYS[2], take()) then return { 'fenced' } end
redis.call('HSET', KEYS[2], 'holder', '', 'expires_at', '0')
return { 'left' }
