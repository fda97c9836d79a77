-- Stores the result of a running grant together with the grant that it becomes: an ended one, or one that waits for an answer. What is
-- refused is remembered by the artefact's id, so that a repeat is answered alike and logged once.
-- KEYS claim, grants, due, refused_artefacts
-- ARGS claim, agent, attempt: number, queued_at, grant, artefact: artefact, actor, event_type, event_data, mail: applied_mail?
-- Result finished | refused (reason)
-- `grant` is JSON, written whole; the event is grant_done, grant_failed or grant_waiting.
local function finish_grant(keys, args)
  local artefact = args.artefact
  local claim = read_claim_of_grant(keys.claim)
  local running = { claim = args.claim, agent = args.agent, attempt = args.attempt, state = 'running', queued_at = args.queued_at }
  local problem = grant_problem(running, claim, (read_grant(args.claim, args.agent)))
  local same, taken = artefact_problem(artefact)
  -- Its id was chosen before the first try: the first try stored it, and the grant may have changed since.
  if same and problem then
    end_mail(args.agent, args.mail)
    return { 'finished' }
  end
  if same then taken = 'The artefact ' .. artefact.id .. ' is stored already.' end
  problem = problem or taken
  -- The orchestrator has this attempt made again.
  local lost
  if not problem then problem, lost = source_problem(artefact) end
  local event = {
    actor = args.actor, goal_id = claim.goal_id, claim_id = args.claim, artefact_id = artefact.id, agent = args.agent,
  }
  if problem then
    local before = redis.call('HGET', keys.refused_artefacts, artefact.id)
    if before then return refused(before:match('^%x* (.*)$') or before) end
    redis.call('HSET', keys.refused_artefacts, artefact.id, ' ' .. problem)
    event.type, event.data = 'result_refused', object('reason', problem, 'attempt', args.attempt, 'source', lost)
    log(event)
    return refused(problem)
  end

  store_artefact(artefact, args.actor)
  redis.call('HSET', keys.grants, args.agent, args.grant)
  if args.event_type == 'grant_done' then remove_work(args.claim, args.agent) end
  redis.call('ZREM', keys.due, lease_member(args.claim, args.agent, args.attempt))
  redis.call('HINCRBY', keys.claim, 'rev', 1)
  event.type, event.data = args.event_type, args.event_data
  log(event)
  end_mail(args.agent, args.mail)
  return { 'finished' }
end
