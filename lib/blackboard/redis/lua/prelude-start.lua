-- The start of grants: an agent takes one, and the orchestrator puts its start on record.

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

-- Why the grant cannot begin; nil when it can, and then whether the instance is paused: it must be
-- queued, and in a pause `mail`, which says that it was taken, must have been sent before.
local function start_problem(orchestrator, order, claim, grant, mail)
  local queued =
    { claim = order.claim, agent = order.agent, attempt = order.attempt, state = 'queued',
      queued_at = order.queued_at }
  local problem = grant_problem(queued, claim, grant)
  if problem then return problem end
  local is_paused = redis.call('HEXISTS', orchestrator, 'paused_since') == 1
  if is_paused and not came_before_pause(order.agent, mail) then
    return 'The instance is paused.'
  end
  return nil, is_paused
end

-- Logs that it has begun, and takes it from the queue. The caller writes the grant, its lease and
-- the claim's `rev`.
local function begin_grant(order, claim, event_data, is_paused)
  remove_queued(order.claim, order.agent)
  log({
    type = 'grant_started', actor = order.actor, goal_id = claim.goal_id, claim_id = order.claim,
    artefact_id = claim.artefact_id,
    agent = order.agent,
    data = is_paused and event_data:gsub('}$', ',"taken_before_pause":true}') or event_data,
  })
end
