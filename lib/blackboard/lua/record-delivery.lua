-- Remembers what a hook was told last of a subject.
-- KEYS 1 events, 2 orchestrator, 3 delivery:{subject}
-- ARGV 1 prefix, epoch, hook, told (JSON)
-- Result {'noted'} | {'fenced'}
if is_fenced(KEYS[2], take()) then return { 'fenced' } end
redis.call('HSET', KEYS[3], take(), take())
return { 'noted' }
