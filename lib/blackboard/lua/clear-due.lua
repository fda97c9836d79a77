-- Takes members out of what is due.
-- KEYS 1 events, 2 orchestrator, 3 due
-- ARGV 1 prefix, epoch, n, the n members
-- Result {'cleared'} | {'fenced'}
if is_fenced(KEYS[2], take()) then return { 'fenced' } end
for _ = 1, take_number() do redis.call('ZREM', KEYS[3], take()) end
return { 'cleared' }
