-- The start of grants: an agent takes one, and the orchestrator puts its start on record.

-- Wakes the registered agents that have queued grants, because none was accepted for a while.
local queued_page = 500

local function require_wakeable(agents)
  for _, agent in ipairs(redis.call('HKEYS', agents)) do require_grant_keys(agent) end
end

local function wake_queued(agents)
  for _, agent in ipairs(redis.call('HKEYS', agents)) do
    local from, claims = 0, nil
    repeat
      local to = from + queued_page - 1
      claims = redis.call('ZRANGE', prefix .. 'agent:' .. agent .. ':queued', from, to)
      if #claims > 0 then
        redis.call('RPUSH', prefix .. 'agent:' .. agent .. ':grants', unpack(claims))
      end
      from = from + queued_page
    until #claims < queued_page
  end
end

-- Reads what is noted at `key` of requests to pause and to resume: the answer to one that was dealt
-- with before, or after which a later one was, and else nil. With `answer` that is noted now.
local function former_answer(key, request, answer)
  if not request then return nil end
  if answer then return redis.call('HSET', key, 'pause_request', answer .. ' ' .. request) end
  local stored = redis.call('HGET', key, 'pause_request')
  if not stored then return nil end
  local outcome, last = stored:match('^(%l+) (.+)$')
  if last == request then return outcome end
  if is_later(last, request) then return 'superseded' end
  return nil
end

-- True of a goal that counts in a budget of a day or of a month which is used up.
local function is_held(goal)
  local holds = prefix .. 'holds'
  if redis.call('HEXISTS', holds, 'instance') == 1 then return true end
  local payer = goal and redis.call('HGET', goal_key(goal), 'payer')
  return payer and redis.call('HEXISTS', holds, payer) == 1 or false
end

-- Has the agent take the grant, and say so in its mail; nil where it has, and otherwise the reason.
-- `order`: as for `grant_problem`. A repeat of the same run changes nothing.
local function note_taken(keys, order, run, id, text)
  local taken = read_taken(keys.taken, order.claim)
  if taken and taken.attempt == order.attempt and taken.queued_at == order.queued_at then
    if taken.run == run then return nil end
    -- Where the orchestrator has dealt with the message and the grant is still queued, it has
    -- refused that run.
    if #redis.call('XRANGE', keys.mail, taken.place, taken.place) > 0 then
      return 'Another run has taken the grant.'
    end
  end
  if redis.call('GET', prefix .. 'paused') then return 'The instance is paused.' end
  local goal = redis.call('HGET', claim_key(order.claim), 'goal_id')
  if goal and redis.call('HEXISTS', prefix .. 'goals:paused', goal) == 1 then
    return 'The goal is paused.'
  end
  if is_held(goal) then return 'The budget that its goal counts in is used up.' end
  local place = redis.call('XADD', keys.mail, '*', 'id', id, 'text', text)
  -- HSET could also write a million fields at once, and its caller needs the right to it.
  if taken then redis.call('HDEL', keys.taken, order.claim) end
  redis.call('HSETNX', keys.taken, order.claim,
    table.concat({ digits(order.attempt), order.queued_at, place, run }, ' '))
  return nil
end

-- The note that this run has taken this attempt goes.
local function end_taken(key, order, run)
  local taken = read_taken(key, order.claim)
  local is_it = taken and taken.attempt == order.attempt and taken.queued_at == order.queued_at
    and taken.run == run
  if is_it then redis.call('HDEL', key, order.claim) end
end

-- Why the grant cannot begin; nil when it can, and then whether the instance or the goal is paused:
-- it must be queued, and in a pause `mail`, which says that it was taken, must have come before.
local function start_problem(orchestrator, order, claim, grant, mail)
  local queued =
    { claim = order.claim, agent = order.agent, attempt = order.attempt, state = 'queued',
      queued_at = order.queued_at }
  local problem = grant_problem(queued, claim, grant)
  if problem then return problem end
  local is_paused = redis.call('HEXISTS', orchestrator, 'paused_since') == 1
  local last = is_paused and redis.call('HGET', prefix .. 'paused:mail', order.agent)
  if is_paused and not came_before(last, mail) then return 'The instance is paused.' end
  local stored = redis.call('HGET', prefix .. 'goals:paused', claim.goal_id)
  if not stored then return nil, is_paused end
  local is_read, pause = pcall(cjson.decode, stored)
  local places = is_read and type(pause) == 'table' and pause.mail
  last = type(places) == 'table' and places[order.agent]
  if not came_before(last, mail) then return 'The goal is paused.' end
  return nil, true
end

-- Logs that it has begun, and takes it from the queue. The caller writes the grant, its lease and
-- the claim's `rev`, which is this one then.
local function begin_grant(order, claim, event_data, is_paused, rev)
  remove_queued(order.claim, order.agent)
  local data = with_rev(event_data, rev)
  if is_paused then data = data:sub(1, -2) .. ',"taken_before_pause":true}' end
  log({
    type = 'grant_started', actor = order.actor, goal_id = claim.goal_id, claim_id = order.claim,
    artefact_id = claim.artefact_id,
    agent = order.agent,
    data = data,
  })
end
