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

-- The id of the newest version in the artefact's thread; '' where there is none.
local function last_of_thread(artefact)
  return redis.call('ZRANGE', prefix .. 'thread:' .. artefact.logical_id, -1, -1)[1] or ''
end

-- Why it cannot come next in its thread, if it cannot. `threadProblem` says the same.
local function thread_problem(artefact)
  local thread = artefact.logical_id
  -- A thread is named after its first artefact, and nobody has used that id before.
  if thread == artefact.id then return nil end
  local last = redis.call('HMGET', prefix .. 'artifact:' .. last_of_thread(artefact), 'goal_id', 'structural_type', 'type', 'version')
  if not last[1] then return 'There is no thread ' .. thread .. '.' end
  if last[1] ~= artefact.goal_id then return 'Thread ' .. thread .. ' is of goal ' .. last[1] .. '.' end
  if last[2] ~= artefact.structural_type or last[3] ~= artefact.type then
    return 'Thread ' .. thread .. ' is of the ' .. last[2] .. ' type ' .. last[3] .. ', and keeps it.'
  end
  local next_version = string.format('%d', (tonumber(last[4]) or 0) + 1)
  if artefact.version == next_version then return nil end
  return 'The next version of thread ' .. thread .. ' is ' .. next_version .. ', not ' .. artefact.version .. '.'
end

-- nil when the artefact can be stored; 'same' when exactly this one stands already; otherwise nil and the reason.
local function artefact_problem(artefact)
  local key = prefix .. 'artifact:' .. artefact.id
  if redis.call('EXISTS', key) == 0 then return nil, thread_problem(artefact) end
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
  redis.call('ZADD', prefix .. 'artefacts', score, artefact.id)
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
