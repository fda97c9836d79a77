-- Renews the lease of a running grant. Not a change that anybody decides on: no rev, no event, no hint.
-- KEYS 1 events, 2 claim, 3 due
-- ARGV 1 prefix, claim id, agent, attempt, milliseconds of the lease
-- Result {'renewed'} | {'refused', reason}
local id, agent, attempt, lease = take(), take(), take_number(), take_number()
local grant = read_grant(id, agent)
local problem = grant_problem(id, redis.call('HMGET', KEYS[2], 'status', 'goal_id'), grant, agent, attempt, 'running')
if problem then return refused(problem) end
redis.call('ZADD', KEYS[3], string.format('%.0f', now_ms() + lease), lease_member(id, agent, attempt))
return { 'renewed' }
