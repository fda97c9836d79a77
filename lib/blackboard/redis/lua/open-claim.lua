-- Opens a claim, with all that is decided at once. One whose bids are asked for is announced to
-- their agents and gets its bid deadline. `exists` names the claim that this cause has opened
-- before. The claim of a list of pieces waits for all work on the pieces: `waits` names an
-- artefact on which it goes on.
-- KEYS orchestrator, due
-- ARGS epoch: number, bid_deadline_ms: number, announce_after_ms: number, new_claim: new_claim
-- Result opened | exists (claim) | waits (artefact) | fenced | refused (reason)
local function open_claim(keys, args)
  if is_fenced(keys.orchestrator, args.epoch) then return { 'fenced' } end
  local claim = args.new_claim
  local known = claim_of_cause(claim)
  if known then return { 'exists', known } end
  -- One written by hand can be there whose adoption was lost with the last writes of Redis.
  if redis.call('HEXISTS', prefix .. 'artefacts:digests', claim.artefact_id) == 0 then
    return refused('There is no artefact ' .. claim.artefact_id .. ' on record.')
  end
  if is_goal_ended(claim.goal_id) then return refused('Goal ' .. claim.goal_id .. ' was ended.') end
  local is_list = is_waiting_list(claim.artefact_id)
  local unfinished = is_list and unfinished_of(claim.artefact_id)
  if unfinished then return { 'waits', unfinished } end
  require_claim_keys(claim)
  require_due(keys.due, 'bids', 'announce')
  if is_ended(claim.status) then require_end_of_work(claim.artefact_id) end
  if is_list then redis.call('HDEL', artefact_key(claim.artefact_id), 'waits') end
  write_claim(claim, #claim.asked > 0 and read_target(claim.artefact_id))
  if is_ended(claim.status) then
    end_work(claim.artefact_id, claim.goal_id, orchestrator_of(args.epoch))
  end
  if #claim.asked > 0 then
    redis.call('ZADD', keys.due .. ':bids', digits(now_ms() + args.bid_deadline_ms),
      'bids:' .. claim.id)
    redis.call('ZADD', keys.due .. ':announce', digits(now_ms() + args.announce_after_ms),
      'announce:' .. claim.id)
  end
  return { 'opened' }
end
