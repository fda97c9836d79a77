-- Takes in an artefact written by hand, as it was read and judged, or records its refusal, once for this content.
-- KEYS 1 events, 2 orchestrator, 3 the artefact's hash, 4 artefacts:refused (id -> digest and reason), 5 artefacts:digests
-- ARGV 1 prefix, epoch, id, digest of the content, reason ('' when sound), the 12 fields but the payload as they were read ('' when
--      missing), the payload's size, then, when sound, the 12 fields as they shall stand
-- Result {'adopted'} | {'known'} | {'changed'} (read again) | {'fenced'} | {'refused', reason}
if is_fenced(KEYS[2], take()) then return { 'fenced' } end
local id, digest, reason = take(), take(), take()

local names = {}
for _, name in ipairs(artefact_fields) do
  if name ~= 'payload' then names[#names + 1] = name end
end
local stored = redis.call('HMGET', KEYS[3], unpack(names))
for index = 1, #names do
  if (stored[index] or '') ~= take() then return { 'changed' } end
end
if redis.call('HEXISTS', KEYS[3], 'payload') == 0 then return { 'changed' } end
if redis.call('HSTRLEN', KEYS[3], 'payload') ~= take_number() then return { 'changed' } end
if redis.call('HEXISTS', KEYS[5], id) == 1 then return { 'known' } end

local before = redis.call('HGET', KEYS[4], id)
if before and before:sub(1, #digest) == digest then return refused(before:sub(#digest + 2)) end

local artefact = {}
if reason == '' then
  for _, name in ipairs(names) do artefact[name] = take() end
  local goal = prefix .. 'goal:' .. artefact.goal_id
  if artefact.goal_id ~= id and redis.call('EXISTS', goal .. ':artefacts') == 0 then
    reason = 'There is no goal ' .. artefact.goal_id .. '.'
  elseif is_goal_ended(artefact.goal_id) then
    reason = 'Goal ' .. artefact.goal_id .. ' was ended.'
  else
    reason = taken_version_problem(artefact) or ''
  end
end
if reason ~= '' then
  redis.call('HSET', KEYS[4], id, digest .. ' ' .. reason)
  log('hand', 'artefact_refused', '', '', id, '', '{"reason":' .. cjson.encode(reason) .. '}')
  return refused(reason)
end

for _, name in ipairs(names) do redis.call('HSET', KEYS[3], name, artefact[name]) end
redis.call('HDEL', KEYS[4], id)
index_artefact(artefact, 'hand', digest_of(redis.call('HMGET', KEYS[3], unpack(artefact_fields))))
return { 'adopted' }
