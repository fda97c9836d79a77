-- Takes in an artefact written by hand, as it was read and judged, or records its refusal, once for this content. One that names a claim and
-- the agent that made it is the result of that agent's grant, and ends it.
-- KEYS 1 events, 2 orchestrator, 3 the artefact's hash, 4 artefacts:refused (id -> digest and reason), 5 artefacts:digests
-- ARGV 1 prefix, epoch, id, digest of the content, reason ('' when sound), the 12 fields but the payload as they were read ('' when
--      missing), the payload's size, then, when sound, the id of the last artefact in its thread that it was judged by ('' for none), the 12
--      fields as they shall stand, and for a grant that it ends: the JSON members of one that has begun, event (grant_done or
--      grant_failed), the JSON members that take the place of "state":…, the reason as JSON ('' when done)
-- Result {'adopted'} | {'known'} | {'changed'} (read again) | {'fenced'} | {'refused', reason}
if is_fenced(KEYS[2], take()) then return { 'fenced' } end
local id, digest, reason = take(), take(), take()

-- Why it cannot be what this grant ends with, if it cannot. `resultProblem` says the same.
local function result_problem(artefact, claim, grant)
  if artefact.goal_id ~= claim[2] then
    return 'The claim is of goal ' .. claim[2] .. ': name its artefact ' .. claim[3] .. ' first in source_artefacts.'
  end
  local kind = artefact.structural_type
  if kind == 'Question' or kind == 'Answer' then return 'A grant ends with a result, not with a Question or an Answer.' end
  if grant.phase == 'review' and kind ~= 'Review' and kind ~= 'Failure' then return 'A review ends with a Review, or with a Failure.' end
  local thread = claim[4] == 'rework' and redis.call('HGET', prefix .. 'artifact:' .. claim[3], 'logical_id')
  if claim[4] == 'rework' and kind ~= 'Failure' and artefact.logical_id ~= thread then
    return 'A rework ends with a Failure, or with the next version of thread ' .. tostring(thread) .. '.'
  end
  if grant.phase ~= 'review' and kind == 'Review' then
    local word = grant.phase == 'parallel' and 'claim' or 'exclusive'
    return 'A Review ends a review, and this grant is for a bid of ' .. word .. ': bid review on what is to be judged.'
  end
end

local names = {}
for _, name in ipairs(artefact_fields) do
  if name ~= 'payload' then names[#names + 1] = name end
end
local stored = redis.call('HMGET', KEYS[3], unpack(names))
for index = 1, #names do
  if (stored[index] or '') ~= take() then return { 'changed' } end
end
if reason == '' and redis.call('HEXISTS', KEYS[3], 'payload') == 0 then return { 'changed' } end
if redis.call('HSTRLEN', KEYS[3], 'payload') ~= take_number() then return { 'changed' } end
if redis.call('HEXISTS', KEYS[5], id) == 1 then return { 'known' } end

local before = redis.call('HGET', KEYS[4], id)
if before and before:sub(1, #digest) == digest then return refused(before:sub(#digest + 2)) end

local artefact, claim, grant, text = {}, nil, nil, nil
if reason == '' then
  local last = take()
  for _, name in ipairs(names) do artefact[name] = take() end
  if last_of_thread(artefact) ~= last then return { 'changed' } end
  local goal = prefix .. 'goal:' .. artefact.goal_id
  if artefact.goal_id ~= id and redis.call('EXISTS', goal .. ':artefacts') == 0 then
    reason = 'There is no goal ' .. artefact.goal_id .. '.'
  elseif is_goal_ended(artefact.goal_id) then
    reason = 'Goal ' .. artefact.goal_id .. ' was ended.'
  end
end
local claim_id, agent, event = artefact.claim_id, artefact.produced_by_agent, 'artefact_refused'
if reason == '' and claim_id ~= '' and agent ~= '' then
  claim = redis.call('HMGET', prefix .. 'claim:' .. claim_id, 'status', 'goal_id', 'artefact_id', 'kind')
  grant, text = read_grant(claim_id, agent)
  -- Somebody who works by hand need not accept first.
  local wanted = grant and grant.state == 'queued' and 'queued' or 'running'
  reason = grant_problem(claim_id, claim, grant, agent, grant and grant.attempt, wanted) or result_problem(artefact, claim, grant) or ''
  event = 'result_refused'
end
if reason ~= '' then
  redis.call('HSET', KEYS[4], id, digest .. ' ' .. reason)
  -- Whom there is no grant for may be any text.
  log('hand', event, claim and claim[2], claim and claim_id, id, grant and agent, '{"reason":' .. cjson.encode(reason) .. '}')
  return refused(reason)
end

local data, is_queued
if grant then
  data, is_queued = '{"phase":"' .. grant.phase .. '","attempt":' .. string.format('%d', grant.attempt), grant.state == 'queued'
  -- Whoever reads the log finds what every grant goes through.
  if is_queued then log('hand', 'grant_started', claim[2], claim_id, claim[3], agent, data .. '}') end
end
for _, name in ipairs(names) do redis.call('HSET', KEYS[3], name, artefact[name]) end
redis.call('HDEL', KEYS[4], id)
index_artefact(artefact, 'hand', digest_of(redis.call('HMGET', KEYS[3], unpack(artefact_fields))))
if grant then
  local begun, ended, ending, why = take(), take(), take(), take()
  local from, to = text:find('"state":"' .. grant.state .. '"', 1, true)
  if is_queued then ending = begun .. ',' .. ending end
  redis.call('HSET', prefix .. 'grants:' .. claim_id, agent, text:sub(1, from - 1) .. ending .. text:sub(to + 1))
  redis.call('ZREM', prefix .. 'due', lease_member(claim_id, agent, grant.attempt))
  redis.call('LREM', prefix .. 'agent:' .. agent .. ':grants', 0, claim_id)
  note_not_queued(claim_id, agent)
  redis.call('HINCRBY', prefix .. 'claim:' .. claim_id, 'rev', is_queued and 2 or 1)
  if why ~= '' then data = data .. ',"reason":' .. why end
  log('hand', ended, claim[2], claim_id, id, agent, data .. '}')
end
return { 'adopted' }
