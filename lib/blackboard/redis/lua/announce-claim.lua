-- Announces a claim whose bidding is open again, to the cubs whose bids are missing, and sets when
-- it is next due to be announced. Only the first time is logged. A silent call only sets when it is
-- due.
-- KEYS orchestrator, claim, due
-- ARGS epoch: number, claim, next_after_ms: number, is_silent: flag
-- Result announced | ended | fenced
local claim_fields = { 'status', 'bidding', 'goal_id', 'artefact_id', 'electorate', 'bid_order' }

local function announce_claim(keys, args)
  if is_fenced(keys.orchestrator, args.epoch) then return { 'fenced' } end
  local member = 'announce:' .. args.claim
  local claim = read_fields(keys.claim, claim_fields)
  if claim.bidding ~= 'open' or is_ended(claim.status) then
    redis.call('ZREM', keys.due .. ':announce', member)
    return { 'ended' }
  end
  require_type('stream', prefix .. 'claims')
  require_type('hash', artefact_key(claim.artefact_id), later_bids_key(args.claim))
  redis.call('ZADD', keys.due .. ':announce', digits(now_ms() + args.next_after_ms), member)
  if args.is_silent then return { 'announced' } end
  local missing, recorded = {}, recorded_bids(args.claim, claim.bid_order)
  for agent in each_quoted(claim.electorate) do
    if not recorded[agent] then missing[#missing + 1] = agent end
  end
  announce(args.claim, claim.artefact_id, read_target(claim.artefact_id), missing)
  if redis.call('HSETNX', keys.claim, 'announced_again', '1') == 1 then
    log({
      type = 'claim_announced', actor = orchestrator_of(args.epoch),
      goal_id = claim.goal_id, claim_id = args.claim, artefact_id = claim.artefact_id,
      data = object('missing', #missing),
    })
    publish_claim(args.claim)
  end
  return { 'announced' }
end
