-- Adopts an artefact that was written by hand, as it was read and judged, or records its refusal,
-- once for this content. One that names a claim and an agent is the result of that agent's grant,
-- and ends it. `changed`: read and judge it again.
-- KEYS orchestrator, artefact, refused_artefacts, digests
-- ARGS epoch: number, id, digest, as_read: head_bytes, payload_bytes: number, problem, judged:
--      judged_artefact?
-- Result adopted | known | changed | fenced | refused (reason)
-- RECORD judged_artefact last_of_thread, artefact: head, result: result_by_hand?
-- RECORD result_by_hand grant_as_read, problem, grant, started: event?, ended: event
-- `as_read` has '' for a missing field. `problem` is why it is refused; '' where it is `judged`
-- sound. A result's `grant` is the ended grant as JSON, its `problem` why it cannot end the grant,
-- '' where it can; `started` is there where the grant was only queued.

local function is_as_read(keys, args)
  local stored = read_fields(keys.artefact, head_fields)
  for _, name in ipairs(head_fields) do
    if (stored[name] or '') ~= args.as_read[name] then return false end
  end
  if args.judged and redis.call('HEXISTS', keys.artefact, 'payload') == 0 then return false end
  return redis.call('HSTRLEN', keys.artefact, 'payload') == args.payload_bytes
end

-- Why the artefact cannot belong to its goal; nil when it can.
local function goal_problem(artefact)
  local goal = artefact.goal_id
  if goal ~= artefact.id and redis.call('EXISTS', goal_key(goal) .. ':artefacts') == 0 then return 'There is no goal ' .. goal .. '.' end
  if is_goal_ended(goal) then return 'Goal ' .. goal .. ' was ended.' end
  return nil
end

-- Remembers the refusal by the content's digest, and logs it. `event` names what it is about.
local function refuse(keys, args, event, reason)
  redis.call('HSET', keys.refused_artefacts, args.id, args.digest .. ' ' .. reason)
  event.actor, event.artefact_id, event.data = 'hand', args.id, object('reason', reason)
  log(event)
  return refused(reason)
end

local function end_grant(claim, agent, attempt, result)
  redis.call('HSET', grants_key(claim), agent, result.grant)
  if result.ended.type == 'grant_done' then remove_work(claim, agent) end
  redis.call('ZREM', prefix .. 'due:lease', lease_member(claim, agent, attempt))
  redis.call('LREM', prefix .. 'agent:' .. agent .. ':grants', 0, claim)
  remove_queued(claim, agent)
  -- A queued grant is accepted and ended in one step.
  redis.call('HINCRBY', claim_key(claim), 'rev', result.started and 2 or 1)
  append_event(result.ended)
end

local function adopt_artefact(keys, args)
  if is_fenced(keys.orchestrator, args.epoch) then return { 'fenced' } end
  if not is_as_read(keys, args) then return { 'changed' } end
  if redis.call('HEXISTS', keys.digests, args.id) == 1 then return { 'known' } end
  local before = redis.call('HGET', keys.refused_artefacts, args.id)
  if before and before:sub(1, #args.digest) == args.digest then return refused(before:sub(#args.digest + 2)) end
  if not args.judged then return refuse(keys, args, { type = 'artefact_refused' }, args.problem) end

  local artefact, result = args.judged.artefact, args.judged.result
  if last_of_thread(artefact.logical_id) ~= args.judged.last_of_thread then return { 'changed' } end
  local problem = goal_problem(artefact)
  if problem then return refuse(keys, args, { type = 'artefact_refused' }, problem) end
  local id, agent, grant = artefact.claim_id, artefact.produced_by_agent, nil
  if result then
    local claim, text = read_claim_of_grant(claim_key(id)), nil
    grant, text = read_grant(id, agent)
    -- A person who works by hand need not accept the grant first.
    local state = grant and grant.state == 'queued' and 'queued' or 'running'
    problem = grant_problem({ claim = id, agent = agent, attempt = grant and grant.attempt, state = state }, claim, grant)
    if not problem and text ~= result.grant_as_read then return { 'changed' } end
    if not problem and result.problem ~= '' then problem = result.problem end
    -- An agent without a grant may be any text.
    local about = { type = 'result_refused', goal_id = claim.goal_id, claim_id = id, agent = grant and agent }
    if problem then return refuse(keys, args, about, problem) end
  end

  -- The log shows what every grant goes through.
  if result and result.started then append_event(result.started) end
  for _, name in ipairs(head_fields) do redis.call('HSET', keys.artefact, name, artefact[name]) end
  write_beginning(keys.artefact, redis.call('HGET', keys.artefact, 'payload'))
  redis.call('HDEL', keys.refused_artefacts, args.id)
  index_artefact(artefact, 'hand', digest_of(keys.artefact))
  if result then end_grant(id, agent, grant.attempt, result) end
  return { 'adopted' }
end
