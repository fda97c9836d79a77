-- Lets members that are due come due again later. One that was moved further meanwhile stays there, one that is no longer due stays out.
-- KEYS 1 events, 2 orchestrator, 3 due
-- ARGV 1 prefix, epoch, milliseconds from now, n, the n members
-- Result {'deferred'} | {'fenced'}
if is_fenced(KEYS[2], take()) then return { 'fenced' } end
local at = string.format('%.0f', now_ms() + take_number())
for _ = 1, take_number() do redis.call('ZADD', KEYS[3], 'XX', 'GT', at, take()) end
return { 'deferred' }
