-- Writes one decision about one claim, whole or not at all.
-- KEYS orchestrator, claim, bids, grants, open_claims, due
-- ARGS epoch: number, claim, expected_rev: number, commit_id, status, bidding, fields: fields,
--      bids: bid*, grants: grant*, artefacts: artefact*, new_claims: new_claim*, clear_due: text*,
--      set_due: due_item*, events: event*
-- Result committed (rev) | stale | fenced | gone | refused (reason)
-- RECORD commit the arguments of commit-claim
-- RECORD due_item member, after_ms: number
-- `fields` are all fields that change; `status` and `bidding` are '' where they do not.
local claim_fields = { 'rev', 'commit_id', 'goal_id', 'bid_order', 'bidding', 'missing_bids',
  'artefact_id' }

-- The artefacts that are not stored yet; nil and the reason where one cannot be.
local function new_artefacts(artefacts)
  local new = {}
  for _, artefact in ipairs(artefacts) do
    local same, problem = artefact_problem(artefact)
    if problem then return nil, problem end
    if not same then new[#new + 1] = artefact end
  end
  return new
end

-- Records imposed bids, and returns all words on record by agent. An imposed bid is one that was
-- missing.
local function add_bids(keys, args, claim)
  local recorded, missing = recorded_bids(args.claim, claim.bid_order), claim.missing_bids
  for _, bid in ipairs(args.bids) do
    if not recorded[bid.agent] then
      recorded[bid.agent], missing = bid.word, missing - 1
      record_bid(args.claim, bid.agent, bid.word)
      redis.call('HSET', keys.bids, bid.agent, bid.word)
      remove_asked(args.claim, bid.agent)
    end
  end
  if #args.bids > 0 then redis.call('HSET', keys.claim, 'missing_bids', missing) end
  return recorded
end

-- No agent is asked to bid any more.
local function end_asking(id, electorate, recorded)
  for agent in each_quoted(electorate) do
    if not recorded[agent] then remove_asked(id, agent) end
  end
end

-- The due members of a terminated claim's grants, which are no work any more. Only the latest
-- attempt can have one. (All grants of a complete claim are done, and lost their leases with their
-- results.)
local function end_grants(claim, grants_of_claim)
  local members, flat = {}, redis.call('HGETALL', grants_of_claim)
  for index = 1, #flat, 2 do
    local agent, grant = flat[index], cjson.decode(flat[index + 1])
    if grant.state ~= 'done' then
      remove_work(claim, agent)
      members[#members + 1] = lease_member(claim, agent, grant.attempt)
      members[#members + 1] = attempt_member(claim, agent, grant.attempt)
    end
  end
  return members
end

-- The keys that `commit_to` writes.
function functions.require_commit_keys(keys, args, claim)
  if not claim.rev then return end
  require_type('hash', keys.claim, keys.bids, keys.grants, later_bids_key(args.claim),
    goal_key(claim.goal_id))
  require_type('zset', keys.open_claims, prefix .. 'questions:open')
  require_due(keys.due, unpack(due_kinds))
  for _, bid in ipairs(args.bids) do require_type('zset', asked_key(bid.agent)) end
  if claim.bidding == 'open' and (args.bidding == 'closed' or is_ended(args.status)) then
    for agent in each_quoted(redis.call('HGET', keys.claim, 'electorate') or '') do
      require_type('zset', asked_key(agent))
    end
  end
  for _, grant in ipairs(args.grants) do require_grant_keys(grant.agent) end
  if args.status == 'terminated' then
    for _, agent in ipairs(redis.call('HKEYS', keys.grants)) do require_grant_keys(agent) end
  end
  for _, artefact in ipairs(args.artefacts) do
    require_artefact_keys(artefact)
    require_type('hash', artefact_key(last_of_thread(artefact.logical_id)))
  end
  for _, new_claim in ipairs(args.new_claims) do require_claim_keys(new_claim) end
  if is_ended(args.status) then require_end_of_work(claim.artefact_id) end
end

-- Writes it, after all is checked.
local function write_commit(keys, args, claim, artefacts, rev)
  local id = args.claim
  redis.call('HSET', keys.claim, 'rev', rev, 'commit_id', args.commit_id,
    names_and_values(args.fields))
  local has_closed, has_ended = args.bidding == 'closed', is_ended(args.status)
  local recorded = (#args.bids > 0 or has_closed or has_ended) and add_bids(keys, args, claim)
  for _, artefact in ipairs(artefacts) do store_artefact(artefact, orchestrator_of(args.epoch)) end
  for _, new_claim in ipairs(args.new_claims) do
    if not claim_of_cause(new_claim) and not is_goal_ended(new_claim.goal_id) then
      write_claim(new_claim, #new_claim.asked > 0 and read_target(new_claim.artefact_id))
    end
  end

  local not_due = { unpack(args.clear_due) }
  if claim.bidding == 'open' and (has_closed or has_ended) then
    not_due[#not_due + 1] = 'bids:' .. id
    not_due[#not_due + 1] = 'announce:' .. id
    end_asking(id, redis.call('HGET', keys.claim, 'electorate'), recorded)
    close_record(id, claim.bid_order)
  end
  for _, event in ipairs(args.events) do append_event(event) end
  local score = #args.grants > 1 and redis.call('ZSCORE', keys.open_claims, id) or nil
  for _, grant in ipairs(args.grants) do write_grant(id, claim.goal_id, grant, score) end
  if has_ended then redis.call('ZREM', keys.open_claims, id) end
  if args.status == 'terminated' then
    for _, member in ipairs(end_grants(id, keys.grants)) do not_due[#not_due + 1] = member end
  end
  for _, member in ipairs(not_due) do redis.call('ZREM', due_key(keys.due, member), member) end
  if not has_ended then
    for _, item in ipairs(args.set_due) do
      redis.call('ZADD', due_key(keys.due, item.member), digits(now_ms() + item.after_ms),
        item.member)
    end
  end
  publish_claim(id)
  if has_ended then end_work(claim.artefact_id, claim.goal_id, orchestrator_of(args.epoch)) end
end

-- The reply, and whether anything was written. `claim` has the fields above as they are.
function functions.commit_to(keys, args, claim)
  if is_fenced(keys.orchestrator, args.epoch) then return { 'fenced' } end
  if not claim.rev then return { 'gone' } end
  local rev = digits(args.expected_rev + 1)
  if claim.commit_id == args.commit_id then return { 'committed', rev } end
  if tonumber(claim.rev) ~= args.expected_rev then return { 'stale' } end
  local artefacts, problem = new_artefacts(args.artefacts)
  if problem then return refused(problem) end
  write_commit(keys, args, claim, artefacts, rev)
  return { 'committed', rev }, true
end

local function commit_claim(keys, args)
  local claim = read_fields(keys.claim, claim_fields)
  functions.require_commit_keys(keys, args, claim)
  return (functions.commit_to(keys, args, claim))
end
