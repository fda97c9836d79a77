-- Stores the Review of an agent that is a person, and ends its grant with it.
-- KEYS 1 events, 2 claim, 3 the claim's grants, 4 artefacts:digests
-- ARGV 1 prefix, actor, the digest of what was judged, attempt, phase, the ended grant as JSON, the Review (take_artefact)
-- Result {'given'} | {'refused', reason}
local actor, judged, attempt, phase, text = take(), take(), take_number(), take(), take()
local review, digest = take_artefact()
local same, taken = artefact_problem(review)
if same then return { 'given' } end
if taken then return refused(taken) end
local id, agent = review.claim_id, review.produced_by_agent
local claim = redis.call('HMGET', KEYS[2], 'status', 'goal_id', 'artefact_id')
local grant = read_grant(id, agent)
local problem = grant_problem(id, claim, grant, agent, attempt, 'waiting')
if problem then return refused(problem) end
if grant.waits_for.kind ~= 'approval' then return refused('Agent ' .. agent .. ' waits for an answer, not for an approval.') end
if redis.call('HGET', KEYS[4], claim[3]) ~= judged then
  return refused('Artefact ' .. claim[3] .. ' does not hold what it was stored with: somebody has written over it by hand.')
end
store_artefact(review, digest, actor)
redis.call('HSET', KEYS[3], agent, text)
redis.call('HINCRBY', KEYS[2], 'rev', 1)
local data = '{"phase":"' .. phase .. '","attempt":' .. string.format('%d', attempt) .. '}'
log(actor, 'grant_done', claim[2], id, review.id, agent, data)
return { 'given' }
