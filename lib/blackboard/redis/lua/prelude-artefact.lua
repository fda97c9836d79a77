-- Artefacts, for the functions that store them.

local artefact_fields = {
  'id', 'logical_id', 'version', 'structural_type', 'type', 'payload', 'source_artefacts',
  'produced_by_role', 'produced_by_agent', 'created_at', 'goal_id', 'claim_id', 'metadata',
}

-- RECORD artefact `artefact_fields`, then digest, salt, sha256
-- RECORD head `head_fields`
-- RECORD head_bytes `head_fields`, as bytes

-- An artefact without its payload. (While a library is loaded there is no ipairs.)
local head_fields = {}
for index = 1, #artefact_fields do
  if artefact_fields[index] ~= 'payload' then
    head_fields[#head_fields + 1] = artefact_fields[index]
  end
end

-- A payload of so many bytes is read together with the other fields. The beginning of a larger
-- one is a field of its own, written with the artefact, so that a listing copies no payload.
local small_payload, beginning_bytes = 4096, 1000

-- `payload`: the one that is stored under the key.
local function write_beginning(key, payload)
  if #payload > small_payload then
    redis.call('HSET', key, 'beginning', payload:sub(1, beginning_bytes))
  end
end

-- These are read of an artefact with a large payload.
local large_artefact_fields = { 'beginning' }
for index = 1, #head_fields do large_artefact_fields[index + 1] = head_fields[index] end

-- The digest of a content: its fields in the order above, '' where one is missing.
-- `digestOfContent` makes the same of what our programs store: to hash a large payload here would
-- block every other caller.
local function digest_of(key)
  local values = redis.call('HMGET', key, unpack(artefact_fields))
  for index = 1, #artefact_fields do values[index] = values[index] or '' end
  return redis.sha1hex(table.concat(values, '\0'))
end

-- The id of the newest version in a thread; '' where there is none.
local function last_of_thread(thread)
  return redis.call('ZRANGE', thread_key(thread), -1, -1)[1] or ''
end

-- The keys that `index_artefact` writes beside the artefact itself.
local function require_artefact_keys(artefact, list)
  list = list or list_of(artefact)
  require_type('hash', prefix .. 'artefacts:digests', artefact_key(artefact.id),
    causes_key(artefact.id), goal_key(artefact.goal_id))
  require_type('zset', thread_key(artefact.logical_id), goal_key(artefact.goal_id) .. ':artefacts',
    prefix .. 'artefacts', prefix .. 'artefacts:with_commit')
  if list then require_type('zset', list_key(list)) end
  if artefact.id == artefact.goal_id then require_type('zset', prefix .. 'goals') end
  local answered = artefact.structural_type == 'Answer' and each_quoted(artefact.source_artefacts)()
  if answered then
    require_type('hash', artefact_key(answered), prefix .. 'question:' .. answered)
    require_type('zset', prefix .. 'questions:open')
  end
end

-- Why the artefact cannot come next in its thread; nil when it can. `threadProblem` says the same.
-- `list`: given for a piece.
local function thread_problem(artefact, list)
  local thread = artefact.logical_id
  require_artefact_keys(artefact, list)
  -- A thread is named after its first artefact, and no other artefact has used that id before.
  if thread == artefact.id then return nil end
  local last = read_fields(artefact_key(last_of_thread(thread)),
    { 'goal_id', 'structural_type', 'type', 'version' })
  if not last.goal_id then return 'There is no thread ' .. thread .. '.' end
  if last.goal_id ~= artefact.goal_id then
    return 'Thread ' .. thread .. ' is of goal ' .. last.goal_id .. '.'
  end
  if last.structural_type ~= artefact.structural_type or last.type ~= artefact.type then
    return 'Thread ' .. thread .. ' is of the ' .. last.structural_type .. ' type ' .. last.type
      .. ', and keeps it.'
  end
  local next_version = digits((tonumber(last.version) or 0) + 1)
  if artefact.version == next_version then return nil end
  return 'The next version of thread ' .. thread .. ' is ' .. next_version .. ', not '
    .. artefact.version .. '.'
end

-- nil where the artefact's id is free; 'same' where this artefact has it; otherwise nil and the
-- reason. `but`: a field that may differ.
local function id_problem(artefact, but)
  local key = artefact_key(artefact.id)
  if redis.call('EXISTS', key) == 0 then return nil end
  local stored = read_fields(key, artefact_fields)
  for _, name in ipairs(artefact_fields) do
    if stored[name] ~= artefact[name] and name ~= but then
      return nil, 'The id ' .. artefact.id .. ' belongs to another artefact.'
    end
  end
  return 'same'
end

-- nil when the artefact can be stored; 'same' when exactly this one is stored already; otherwise
-- nil and the reason.
local function artefact_problem(artefact)
  local same, problem = id_problem(artefact)
  if same or problem then return same, problem end
  return nil, thread_problem(artefact)
end

-- The first answer to a question counts, whether a person or an agent gave it.
local function record_answer(answer)
  local question = each_quoted(answer.source_artefacts)()
  if not question
    or redis.call('HGET', artefact_key(question), 'structural_type') ~= 'Question' then
    return
  end
  redis.call('HSETNX', prefix .. 'question:' .. question, 'answer', answer.id)
  redis.call('ZREM', prefix .. 'questions:open', question)
end

-- Whose budget of a day and of a month a goal's calls count in, beside the instance's:
-- `person:ada@example.org`, `trigger:nightly`; nil for a goal that was written by hand. An
-- assistant states its own name: it counts as the person for whom it acts (lib/core/is-person.ts).
local function payer_of_actor(actor)
  if actor:find('^trigger:') then return actor end
  local name = actor:match('^person:(.+)$')
  if not name then return nil end
  local one = name:match('<([^<>]+)>%s*$') or name:match('^(.-), by [^<>]*$') or ''
  return 'person:' .. (one ~= '' and one or name):lower()
end

-- Writes thread, goal, list, digest, event and hint of an artefact whose hash is written. `sha256`:
-- of its record, which our programs compute (docs/reference/proof.md). `list`: given for a piece.
-- `pieces`: how many a list has.
local function index_artefact(artefact, actor, digest, sha256, list, pieces)
  list = list or list_of(artefact)
  redis.call('HSET', prefix .. 'artefacts:digests', artefact.id, digest)
  redis.call('ZADD', thread_key(artefact.logical_id), artefact.version, artefact.id)
  local artefacts_of_goal = goal_key(artefact.goal_id) .. ':artefacts'
  local event_id = log({
    type = 'artefact_created', actor = actor,
    goal_id = artefact.goal_id, claim_id = artefact.claim_id, artefact_id = artefact.id,
    data = object(
      'structural_type', artefact.structural_type, 'type', artefact.type,
      'version', tonumber(artefact.version),
      'role', artefact.produced_by_role,
      'goal_artefacts', redis.call('ZCARD', artefacts_of_goal) + 1,
      'agent', artefact.produced_by_agent ~= '' and artefact.produced_by_agent,
      'list', list,
      'pieces', pieces,
      'sha256', sha256
    ),
  })
  local score = score_of(event_id)
  if list then
    redis.call('HSET', artefact_key(artefact.id), 'list', list)
    redis.call('ZADD', list_key(list), score, artefact.id)
  end
  if pieces then redis.call('HSET', artefact_key(artefact.id), 'waits', '1') end
  redis.call('ZADD', artefacts_of_goal, score, artefact.id)
  -- Perhaps a commit: the caller reads the metadata and decides.
  if artefact.metadata:find('"commit"', 1, true) then
    redis.call('ZADD', prefix .. 'artefacts:with_commit', score, artefact.id)
  end
  redis.call('ZADD', prefix .. 'artefacts', score, artefact.id)
  if artefact.id == artefact.goal_id then
    redis.call('ZADD', prefix .. 'goals', score, artefact.id)
    local payer = payer_of_actor(actor)
    if payer then redis.call('HSETNX', goal_key(artefact.goal_id), 'payer', payer) end
  end
  if artefact.structural_type == 'Answer' then record_answer(artefact) end
  redis.call('PUBLISH', prefix .. 'artefact_events', artefact.id)
end

-- `artefact` is the record of this name: its fields, its digests and its salt. `list` and `pieces`:
-- as above.
local function store_artefact(artefact, actor, list, pieces)
  redis.call('HSET', artefact_key(artefact.id),
    'id', artefact.id, 'logical_id', artefact.logical_id, 'version', artefact.version,
    'structural_type', artefact.structural_type, 'type', artefact.type, 'payload', artefact.payload,
    'source_artefacts', artefact.source_artefacts, 'produced_by_role', artefact.produced_by_role,
    'produced_by_agent', artefact.produced_by_agent, 'created_at', artefact.created_at,
    'goal_id', artefact.goal_id,
    'claim_id', artefact.claim_id, 'metadata', artefact.metadata, 'salt', artefact.salt)
  write_beginning(artefact_key(artefact.id), artefact.payload)
  index_artefact(artefact, actor, artefact.digest, artefact.sha256, list, pieces)
end

-- Why the artefact cannot be made from its sources, and a source that Redis has lost; nil when all
-- of them are there, and of its goal: what is based on it would otherwise take artefacts of other
-- goals into its context. A goal itself may come from those of another.
local function source_problem(artefact)
  for source in each_quoted(artefact.source_artefacts) do
    local goal = redis.call('HGET', artefact_key(source), 'goal_id')
    if not goal and redis.call('EXISTS', artefact_key(source)) == 0 then
      return 'Its source ' .. source .. ' is not on the blackboard.', source
    end
    local is_foreign = goal and goal ~= artefact.goal_id and artefact.id ~= artefact.goal_id
    if is_foreign then return 'Its source ' .. source .. ' is of goal ' .. goal .. '.' end
  end
  return nil
end

-- For an artefact that comes from no grant: as `artefact_problem`.
local function post_problem(artefact)
  local same, problem = artefact_problem(artefact)
  if same or problem then return same, problem end
  -- An artefact that begins a goal is the first of it, so that the goal cannot have ended.
  if artefact.id ~= artefact.goal_id and is_goal_ended(artefact.goal_id) then
    return nil, 'Goal ' .. artefact.goal_id .. ' was ended.'
  end
  return nil, (source_problem(artefact))
end
