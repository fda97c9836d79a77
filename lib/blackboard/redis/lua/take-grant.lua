-- An agent takes a queued grant, and says in its mail that it has started: the gate to work, for
-- which no one needs to be asked. It writes nothing but what is the agent's own. The orchestrator
-- puts the start on record, and then removes it here.
-- KEYS taken, mail
-- ARGS claim, agent, attempt: number, queued_at, run, id, text
-- Result taken | refused (reason)
-- `run` names the run; the message has this id and text.
local function take_grant(keys, args)
  local grant = read_grant(args.claim, args.agent)
  -- A repeat, and the start is on record already.
  if grant and grant.state == 'running' and grant.attempt == args.attempt
    and grant.run_id == args.run then
    return { 'taken' }
  end
  local queued = { claim = args.claim, agent = args.agent, attempt = args.attempt, state = 'queued',
    queued_at = args.queued_at }
  local problem = grant_problem(queued, read_claim_of_grant(claim_key(args.claim)), grant)
    or note_taken({ taken = keys.taken, mail = keys.mail }, queued, args.run, args.id, args.text)
  if problem then return refused(problem) end
  return { 'taken' }
end
