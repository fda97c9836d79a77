-- Stores the result of a running grant together with the grant that it becomes: an ended one, or
-- one that waits for an answer. What is refused is remembered by the artefact's id, so that a
-- repeat is answered alike and logged once. What comes before its start (Redis has lost that, and a
-- pause holds it back now) is not: it may come again. A result whose id is on record, as another
-- one's, is not looked at: a refusal that names an artefact on record would say of it that it is
-- none. In the same step the grant may be started before, and what the result decides be committed
-- after: each as by itself.
-- KEYS claim, grants, due, refused_artefacts, orchestrator, taken, bids, open_claims, lanes
-- ARGS claim, agent, attempt: number, queued_at, grant, artefact: artefact, actor, event_type,
--      event_data, mail: applied_mail?, start: started?, commit: commit?, is_unlogged: flag,
--      output: text?, pieces: artefact*, lane: lane_move?
-- Result finished (commit, rev) | not_started (reason) | id_taken (reason) | refused (reason)
-- RECORD started run, grant, lease_ms: number, event_data
-- RECORD lane_move name, onto, commit
-- `is_unlogged`: a refusal of what came too late is neither remembered nor logged. `grant` is JSON,
-- written whole; the event is grant_done, grant_failed or grant_waiting. `commit` is the outcome of
-- the commit, '' where there is none. `output`: what the command has printed, by digest, as JSON.
-- `pieces`: of a list, all of them or none; each names the list as its source.
-- `lane`: the result moves this lane, from the tip `onto` ('' where it has not begun) alone.
local claim_fields = { 'status', 'goal_id', 'artefact_id', 'rev', 'commit_id', 'bid_order',
  'bidding', 'missing_bids' }

-- The start is on record, although the result is refused.
local function write_start(keys, args)
  redis.call('HSET', keys.grants, args.agent, args.start.grant)
  redis.call('HINCRBY', keys.claim, 'rev', 1)
  redis.call('ZADD', keys.due .. ':lease', digits(now_ms() + args.start.lease_ms),
    lease_member(args.claim, args.agent, args.attempt))
end

-- The first refusal of this artefact is remembered, and logged.
local function refuse_result(keys, args, event, problem, lost)
  local before = redis.call('HGET', keys.refused_artefacts, args.artefact.id)
  if before then return refused(before) end
  if args.is_unlogged and not lost then return refused(problem) end
  redis.call('HSET', keys.refused_artefacts, args.artefact.id, problem)
  event.type, event.data = 'result_refused',
    object('reason', problem, 'attempt', args.attempt, 'source', lost)
  log(event)
  return refused(problem)
end

-- Commits what the result decides, as commit-claim does by itself, or says why not. `claim.rev` is
-- the one with the result, which is not written yet: the commit writes a later one.
local function finish_claim(keys, args, claim, rev_steps)
  local commit = args.commit
  claim.rev = (tonumber(claim.rev) or 0) + rev_steps
  local its_keys = {
    orchestrator = keys.orchestrator, claim = keys.claim, bids = keys.bids, grants = keys.grants,
    open_claims = keys.open_claims, due = keys.due,
  }
  local reply, has_written = { '' }, false
  if commit then
    reply, has_written = functions.commit_to(its_keys, commit, claim)
  end
  if not has_written then redis.call('HINCRBY', keys.claim, 'rev', rev_steps) end
  return { 'finished', reply[1], reply[2] or '' }
end

-- Why the pieces cannot be stored with their list; nil when they can.
local function problem_of_pieces(pieces, list)
  local seen = {}
  for _, piece in ipairs(pieces) do
    local same, taken = id_problem(piece, 'created_at')
    if same or taken or seen[piece.id] then
      return taken or 'Piece ' .. piece.id .. ' is there already.'
    end
    seen[piece.id] = true
    local problem = thread_problem(piece, list)
    if problem then return problem end
  end
  return nil
end

local function store_result(args)
  local artefact, pieces = args.artefact, args.pieces
  store_artefact(artefact, args.actor, nil, #pieces > 0 and #pieces)
  if args.output then redis.call('HSET', artefact_key(artefact.id), 'output', args.output) end
  for _, piece in ipairs(pieces) do store_artefact(piece, args.actor, artefact.id) end
end

-- As a source that is lost: the orchestrator has the attempt made again, from the tip of now.
local function lane_problem(keys, args)
  local lane = args.lane
  if not lane then return nil end
  local tip = redis.call('HGET', keys.lanes, lane.name) or ''
  if tip == lane.onto then return nil end
  return 'The lane ' .. lane.name .. ' has moved since the merge was made.', args.artefact.id
end

local function require_result_keys(keys, args, claim)
  require_type('hash', keys.claim, keys.orchestrator, keys.refused_artefacts, keys.taken,
    keys.lanes)
  require_due(keys.due, 'lease')
  require_grant_keys(args.agent)
  require_artefact_keys(args.artefact)
  require_type('hash', artefact_key(last_of_thread(args.artefact.logical_id)))
  for source in each_quoted(args.artefact.source_artefacts) do
    require_type('hash', artefact_key(source))
  end
  for _, piece in ipairs(args.pieces) do require_artefact_keys(piece, args.artefact.id) end
  if args.commit then functions.require_commit_keys(keys, args.commit, claim) end
end

local function finish_grant(keys, args)
  local artefact, start = args.artefact, args.start
  require_mail(args.agent)
  local running = { claim = args.claim, agent = args.agent, attempt = args.attempt,
    state = 'running', queued_at = args.queued_at }
  -- A message by hand names no attempt: read again, it would be about the one that has been queued
  -- since.
  local before = redis.call('HGET', keys.refused_artefacts, artefact.id)
  if before and redis.call('EXISTS', artefact_key(artefact.id)) == 0 then return refused(before) end
  local claim = read_fields(keys.claim, claim_fields)
  local grant, stored = read_grant(args.claim, args.agent)
  -- Its id was chosen before the first try: the first try stored it, and the grant may have changed
  -- since. A message that names no time gets one each time that it is read.
  local same, taken = id_problem(artefact, 'created_at')
  if same and grant_problem(running, claim, grant) then
    end_mail(args.agent, args.mail)
    return { 'finished', '', '' }
  end
  if same or taken then
    return { 'id_taken', taken or 'The artefact ' .. artefact.id .. ' is stored already.' }
  end
  require_result_keys(keys, args, claim)
  local is_starting = start and stored ~= start.grant
  if is_starting then
    local problem, is_paused = start_problem(keys.orchestrator, args, claim, grant)
    end_taken(keys.taken, args, start.run)
    if problem then return { 'not_started', problem } end
    begin_grant(args, claim, start.event_data, is_paused, (tonumber(claim.rev) or 0) + 1)
  end
  -- A grant that begins in this step has no problem.
  local problem = not is_starting and grant_problem(running, claim, grant) or nil
  if problem and grant and grant.state == 'queued' then
    running.state = 'queued'
    if not grant_problem(running, claim, grant) then return refused(problem) end
  end
  problem = problem or thread_problem(artefact) or problem_of_pieces(args.pieces, artefact.id)
  -- The orchestrator has this attempt made again.
  local lost
  if not problem then problem, lost = source_problem(artefact) end
  if not problem then problem, lost = lane_problem(keys, args) end
  local event = {
    actor = args.actor, goal_id = claim.goal_id, claim_id = args.claim, artefact_id = artefact.id,
    agent = args.agent,
  }
  if problem then
    if is_starting then write_start(keys, args) end
    return refuse_result(keys, args, event, problem, lost)
  end

  if args.lane then redis.call('HSET', keys.lanes, args.lane.name, args.lane.commit) end
  store_result(args)
  redis.call('HSET', keys.grants, args.agent, args.grant)
  if args.event_type == 'grant_done' then remove_work(args.claim, args.agent) end
  if not is_starting then
    redis.call('ZREM', keys.due .. ':lease', lease_member(args.claim, args.agent, args.attempt))
  end
  local rev_steps = is_starting and 2 or 1
  event.type = args.event_type
  event.data = with_rev(args.event_data, (tonumber(claim.rev) or 0) + rev_steps)
  log(event)
  end_mail(args.agent, args.mail)
  return finish_claim(keys, args, claim, rev_steps)
end
