-- Stores the result of a running grant together with the grant that it becomes: an ended one, or one that waits for an answer. What is
-- refused is remembered by the artefact's id, so that a repeat is answered alike and logged once. What comes before its start (Redis has
-- lost that, and a pause holds it back now) is not: it may come again. In the same step the grant may be started
-- before, and what the result decides be committed after: each as by itself.
-- KEYS claim, grants, due, refused_artefacts, orchestrator, taken, bids, open_claims
-- ARGS claim, agent, attempt: number, queued_at, grant, artefact: artefact, actor, event_type, event_data, mail: applied_mail?,
--      start: started?, commit: commit?
-- Result finished (commit, rev) | not_started (reason) | refused (reason)
-- RECORD started run, grant, lease_ms: number, event_data, mail: applied_mail?
-- `grant` is JSON, written whole; the event is grant_done, grant_failed or grant_waiting. `commit` is the outcome of the commit, '' where
-- there is none.

local function start_grant(keys, args)
  local start = args.start
  local its_keys = {
    claim = keys.claim, grants = keys.grants, due = keys.due, orchestrator = keys.orchestrator, taken = keys.taken,
  }
  return functions.accept_grant(its_keys, {
    claim = args.claim, agent = args.agent, attempt = args.attempt, queued_at = args.queued_at, actor = args.actor,
    run = start.run, grant = start.grant, lease_ms = start.lease_ms, event_data = start.event_data, mail = start.mail,
  })
end

local function finish_grant(keys, args)
  if args.start then
    local started = start_grant(keys, args)
    if started[1] ~= 'accepted' then return { 'not_started', started[2] } end
  end
  local artefact = args.artefact
  local claim = read_claim_of_grant(keys.claim)
  local expected = { claim = args.claim, agent = args.agent, attempt = args.attempt, state = 'running', queued_at = args.queued_at }
  local grant = read_grant(args.claim, args.agent)
  local problem = grant_problem(expected, claim, grant)
  local same, taken = artefact_problem(artefact)
  -- Its id was chosen before the first try: the first try stored it, and the grant may have changed since.
  if same and problem then
    end_mail(args.agent, args.mail)
    return { 'finished', '', '' }
  end
  if problem and grant and grant.state == 'queued' then
    expected.state = 'queued'
    if not grant_problem(expected, claim, grant) then return refused(problem) end
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
  if not args.commit then return { 'finished', '', '' } end
  local its_keys = {
    orchestrator = keys.orchestrator, claim = keys.claim, bids = keys.bids, grants = keys.grants,
    open_claims = keys.open_claims, due = keys.due,
  }
  local committed = functions.commit_claim(its_keys, args.commit)
  return { 'finished', committed[1], committed[2] or '' }
end
