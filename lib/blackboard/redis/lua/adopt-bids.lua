-- Records the bids that were written by hand into a claim's hash. A word that its writer may not
-- bid is removed, and one that was changed after it was recorded is set back; both are logged.
-- KEYS orchestrator, claim, bids
-- ARGS epoch: number, claim
-- Result adopted (count) | fenced
local claim_fields =
  { 'status', 'bidding', 'electorate', 'bid_order', 'rev', 'goal_id', 'artefact_id', 'missing_bids' }

local function bid_problem(claim, is_open, name)
  if not is_open then return 'the bidding is closed' end
  if not (is_agent_name(name) and is_elector(claim.electorate, name)) then return 'not among those who bid' end
  return 'not a bid word'
end

local function adopt_bids(keys, args)
  if is_fenced(keys.orchestrator, args.epoch) then return { 'fenced' } end
  local claim = read_fields(keys.claim, claim_fields)
  if not claim.status then return { 'adopted', '0' } end
  local is_open = claim.bidding == 'open' and not is_ended(claim.status)
  local all_recorded, missing = recorded_bids(args.claim, claim.bid_order), missing_bids(args.claim, claim)
  local word_of, names = read_bids(keys.bids)
  for agent, word in pairs(all_recorded) do
    if not word_of[agent] then redis.call('HSET', keys.bids, agent, word) end
  end

  local count = 0
  for _, name in ipairs(names) do
    local word, is_name = word_of[name], is_agent_name(name)
    local recorded = all_recorded[name]
    if not recorded and is_open and is_name and bid_words[word] and is_elector(claim.electorate, name) then
      record_bid(args.claim, name, word)
      count, missing = count + 1, missing - 1
      redis.call('HSET', keys.claim, 'missing_bids', missing, 'rev', claim.rev + count)
      remove_asked(args.claim, name)
      log({
        type = 'bid_placed', actor = 'hand', goal_id = claim.goal_id, claim_id = args.claim, artefact_id = claim.artefact_id,
        agent = name, data = object('word', word, 'missing', missing, 'by_hand', true),
      })
    elseif recorded ~= word then
      local bid = { name = name, word = word, recorded = recorded }
      refuse_bid(keys.bids, args.claim, claim, bid, bid_problem(claim, is_open, name))
    end
  end
  if count > 0 then publish_claim(args.claim) end
  return { 'adopted', digits(count) }
end
