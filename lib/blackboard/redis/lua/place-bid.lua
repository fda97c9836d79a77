-- Records an agent's bid. The first word counts and never changes; `placed` names the word on
-- record.
-- KEYS claim, bids
-- ARGS claim, agent, word, actor, reason
-- Result placed (word) | refused (reason)
-- `reason` is '' where there is none.
local claim_fields =
  { 'status', 'bidding', 'electorate', 'bid_order', 'rev', 'goal_id', 'artefact_id',
    'missing_bids' }

local function place_bid(keys, args)
  local agent, word, actor = args.agent, args.word, args.actor
  local reason = args.reason ~= '' and args.reason
  local claim = read_fields(keys.claim, claim_fields)
  if not claim.status then return refused('There is no claim ' .. args.claim .. '.') end
  local is_open = claim.bidding == 'open' and not is_ended(claim.status)
  local recorded = recorded_bid(args.claim, claim.bid_order, agent)
  if recorded and (recorded == word or is_open) then return { 'placed', recorded } end
  if not is_open then return refused('The bidding on claim ' .. args.claim .. ' is closed.') end
  if not is_elector(claim.electorate, agent) then
    return refused('Agent ' .. agent .. ' is not among those who bid on claim ' .. args.claim
      .. '.')
  end

  require_type('hash', keys.bids)
  require_asked({ agent })
  redis.call('HSET', keys.bids, agent, word)
  local missing, rev = claim.missing_bids - 1, claim.rev + 1
  record_bid(args.claim, agent, word)
  redis.call('HSET', keys.claim, 'missing_bids', missing, 'rev', rev)
  remove_asked(args.claim, agent)
  log({
    type = 'bid_placed', actor = actor, goal_id = claim.goal_id, claim_id = args.claim,
    artefact_id = claim.artefact_id, agent = agent,
    data = object('word', word, 'missing', missing, 'reason', reason, 'rev', rev),
  })
  return { 'placed', word }
end
