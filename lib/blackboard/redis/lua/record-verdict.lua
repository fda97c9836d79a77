-- Stores the Review of an agent that is a person, and ends its grant with it; or the grant goes on
-- waiting, where others have to approve, too.
-- KEYS claim, grants, digests
-- ARGS review: artefact, attempt: number, grant, is_last: flag, approved: number, judged_digest,
--      actor, event_data
-- Result recorded | stale | refused (reason)
-- `grant` is the grant as JSON, as it is then; `is_last`: it ends. `approved`: how many have
-- approved before, as far as the caller knows. `judged_digest` names the content of the artefact
-- that the person judged.
local function record_verdict(keys, args)
  local review = args.review
  local same, taken = artefact_problem(review)
  if same then return { 'recorded' } end
  if taken then return refused(taken) end
  local id, agent = review.claim_id, review.produced_by_agent
  local claim, grant = read_claim_of_grant(keys.claim), read_grant(id, agent)
  local waiting = { claim = id, agent = agent, attempt = args.attempt, state = 'waiting' }
  local problem = grant_problem(waiting, claim, grant)
  if problem then return refused(problem) end
  if grant.waits_for.kind ~= 'approval' then
    return refused('Agent ' .. agent .. ' waits for an answer, not for an approval.')
  end
  local approvals = grant.quorum and grant.quorum.approvals or {}
  if #approvals ~= args.approved then return { 'stale' } end
  if redis.call('HGET', keys.digests, claim.artefact_id) ~= args.judged_digest then
    return refused('Artefact ' .. claim.artefact_id
      .. ' does not have the content that it was stored with: it was overwritten by hand.')
  end

  require_grant_keys(agent)
  store_artefact(review, args.actor)
  redis.call('HSET', keys.grants, agent, args.grant)
  if args.is_last then remove_work(id, agent) end
  local rev = redis.call('HINCRBY', keys.claim, 'rev', 1)
  log({
    type = args.is_last and 'grant_done' or 'grant_waiting',
    actor = args.actor, goal_id = claim.goal_id, claim_id = id,
    artefact_id = review.id, agent = agent,
    data = with_rev(args.event_data, rev),
  })
  return { 'recorded' }
end
