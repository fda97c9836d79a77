-- Stores the result of a running grant together with its end. What is refused is remembered by the artefact's id, so that a repeat
-- is answered alike and logged once.
-- KEYS 1 events, 2 claim, 3 the claim's grants, 4 due, 5 artefacts:refused
-- ARGV 1 prefix, claim id, agent, attempt, actor, event (grant_done, grant_failed or grant_waiting), the grant that it becomes as JSON, the
--      reason as JSON ('' unless failed), the artefact (take_artefact)
-- Result {'finished'} | {'refused', reason}
local id, agent, attempt, actor, event, ended, reason = take(), take(), take_number(), take(), take(), take(), take()
local artefact, digest = take_artefact()
local grant = read_grant(id, agent)
local claim = redis.call('HMGET', KEYS[2], 'status', 'goal_id', 'artefact_id')
local attempt_text = string.format('%d', attempt)
local problem = grant_problem(id, claim, grant, agent, attempt, 'running')
local same, taken = artefact_problem(artefact)
-- Its id was chosen before the first try: that one stored it, whatever has become of the grant since.
if same and problem then return { 'finished' } end
if same then taken = 'The artefact ' .. artefact.id .. ' stands already.' end
problem = problem or taken
if problem then
  local before = redis.call('HGET', KEYS[5], artefact.id)
  if before then return refused(before:match('^%x* (.*)$') or before) end
  redis.call('HSET', KEYS[5], artefact.id, ' ' .. problem)
  local data = '{"reason":' .. cjson.encode(problem) .. ',"attempt":' .. attempt_text .. '}'
  log(actor, 'result_refused', claim[2], id, artefact.id, agent, data)
  return refused(problem)
end

store_artefact(artefact, digest, actor)
redis.call('HSET', KEYS[3], agent, ended)
redis.call('ZREM', KEYS[4], lease_member(id, agent, attempt))
redis.call('HINCRBY', KEYS[2], 'rev', 1)
local data = '{"phase":"' .. grant.phase .. '","attempt":' .. attempt_text
if reason ~= '' then data = data .. ',"reason":' .. reason end
log(actor, event, claim[2], id, artefact.id, agent, data .. '}')
return { 'finished' }
