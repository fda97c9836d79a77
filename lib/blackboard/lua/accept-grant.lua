-- The gate to work: a queued grant of this attempt, of an open claim and a goal that was not ended, becomes a running one with a lease.
-- KEYS 1 events, 2 claim, 3 the claim's grants, 4 due, 5 orchestrator
-- ARGV 1 prefix, claim id, agent, attempt, phase, milliseconds of the lease, the running grant as JSON, actor
-- Result {'accepted'} | {'refused', reason}
local id, agent, attempt, phase, lease, text, actor = take(), take(), take_number(), take(), take_number(), take(), take()
local grant, stored = read_grant(id, agent)
if stored == text then return { 'accepted' } end
local claim = redis.call('HMGET', KEYS[2], 'status', 'goal_id', 'artefact_id')
local problem = grant_problem(id, claim, grant, agent, attempt, 'queued')
if problem then return refused(problem) end
if redis.call('HEXISTS', KEYS[5], 'paused_since') == 1 then return refused('The instance is paused.') end
redis.call('HSET', KEYS[3], agent, text)
note_not_queued(id, agent)
redis.call('HINCRBY', KEYS[2], 'rev', 1)
local data = '{"phase":"' .. phase .. '","attempt":' .. string.format('%d', attempt) .. '}'
log(actor, 'grant_started', claim[2], id, claim[3], agent, data)
redis.call('ZADD', KEYS[4], string.format('%.0f', now_ms() + lease), lease_member(id, agent, attempt))
return { 'accepted' }
