-- Artefacts, for the scripts that store them.

local artefact_fields = {
  'id', 'logical_id', 'version', 'structural_type', 'type', 'payload', 'source_artefacts',
  'produced_by_role', 'produced_by_agent', 'created_at', 'goal_id', 'claim_id', 'metadata',
}

-- Reads an artefact from ARGV: its 13 fields in the order above, then its digest.
local function take_artefact()
  local artefact = {}
  for _, name in ipairs(artefact_fields) do artefact[name] = take() end
  return artefact, take()
end

-- Names a content, given as the 13 fields in the order above, as `digestOfContent` does for what our programs make: hashing a large
-- payload here would hold up everybody.
local function digest_of(values)
  return redis.sha1hex(table.concat(values, '\0'))
end

local function taken_version_problem(artefact)
  local thread = prefix .. 'thread:' .. artefact.logical_id
  local holder = redis.call('ZRANGEBYSCORE', thread, artefact.version, artefact.version)[1]
  if not holder or holder == artefact.id then return nil end
  return 'Version ' .. artefact.version .. ' of thread ' .. artefact.logical_id .. ' is taken by ' .. holder .. '.'
end

local function version_problem(artefact)
  -- A thread named after its first artefact begins with it: of those that our own programs make, none has used the id before.
  if artefact.logical_id == artefact.id then return nil end
  return taken_version_problem(artefact)
end

-- nil when the artefact can be stored; 'same' when exactly this one stands already; otherwise nil and the reason.
local function artefact_problem(artefact)
  local key = prefix .. 'artifact:' .. artefact.id
  if redis.call('EXISTS', key) == 0 then return nil, version_problem(artefact) end
  local stored = redis.call('HMGET', key, unpack(artefact_fields))
  for index, name in ipairs(artefact_fields) do
    if stored[index] ~= artefact[name] then return nil, 'The id ' .. artefact.id .. ' is taken by another artefact.' end
  end
  return 'same'
end

-- The first answer to a question counts, whoever gave it.
local function note_answer(answer)
  local question = answer.source_artefacts:match('"([^"]+)"')
  if not question or redis.call('HGET', prefix .. 'artifact:' .. question, 'structural_type') ~= 'Question' then return end
  redis.call('HSETNX', prefix .. 'question:' .. question, 'answer', answer.id)
  redis.call('ZREM', prefix .. 'questions:open', question)
end

-- Thread, goal, digest, event and hint of an artefact whose hash stands.
local function index_artefact(artefact, actor, digest)
  redis.call('HSET', prefix .. 'artefacts:digests', artefact.id, digest)
  redis.call('ZADD', prefix .. 'thread:' .. artefact.logical_id, artefact.version, artefact.id)
  local goal = prefix .. 'goal:' .. artefact.goal_id
  local count = redis.call('ZCARD', goal .. ':artefacts') + 1
  local data = '{"structural_type":"' .. artefact.structural_type .. '","type":' .. cjson.encode(artefact.type)
    .. ',"version":' .. artefact.version .. ',"role":' .. cjson.encode(artefact.produced_by_role)
    .. ',"goal_artefacts":' .. count
  if artefact.produced_by_agent ~= '' then data = data .. ',"agent":' .. cjson.encode(artefact.produced_by_agent) end
  local score = score_of(log(actor, 'artefact_created', artefact.goal_id, artefact.claim_id, artefact.id, '', data .. '}'))
  redis.call('ZADD', goal .. ':artefacts', score, artefact.id)
  -- Perhaps a commit: whoever reads the metadata knows.
  if artefact.metadata:find('"commit"', 1, true) then redis.call('ZADD', prefix .. 'artefacts:with_commit', score, artefact.id) end
  if artefact.id == artefact.goal_id then redis.call('ZADD', prefix .. 'goals', score, artefact.id) end
  if artefact.structural_type == 'Answer' then note_answer(artefact) end
  redis.call('PUBLISH', prefix .. 'artefact_events', artefact.id)
end

local function store_artefact(artefact, digest, actor)
  local hash = { 'HSET', prefix .. 'artifact:' .. artefact.id }
  for index, name in ipairs(artefact_fields) do
    hash[index * 2 + 1] = name
    hash[index * 2 + 2] = artefact[name]
  end
  redis.call(unpack(hash))
  index_artefact(artefact, actor, digest)
end
