-- Writes one decision about one claim, whole or not at all.
-- KEYS 1 events, 2 orchestrator, 3 claim, 4 the claim's bids, 5 the claim's grants, 6 claims:open, 7 due
-- ARGV 1 prefix, epoch, claim id, the rev that was read, commit id, then lists, each led by its length: fields of the claim (name,
--      value), bids (agent, word), grants (agent, state, attempt, JSON), artefacts (take_artefact), claims (take_new_claim), due to clear
--      (member), due to set (member, milliseconds from now), events (type, goal, claim, artefact, agent, data)
-- Result {'committed', rev} | {'stale'} | {'fenced'} | {'gone'} | {'refused', reason}
local epoch = take()
if is_fenced(KEYS[2], epoch) then return { 'fenced' } end
local id, expected_rev, commit_id = take(), take(), take()
local claim = redis.call('HMGET', KEYS[3], 'rev', 'commit_id', 'goal_id', 'bid_order', 'bidding', 'missing_bids', 'artefact_id')
if not claim[1] then return { 'gone' } end
local rev = string.format('%d', expected_rev + 1)
if claim[2] == commit_id then return { 'committed', rev } end
if claim[1] ~= expected_rev then return { 'stale' } end

local actor, goal, order, missing = 'orchestrator:' .. epoch, claim[3], claim[4], claim[6]
local fields, status, bidding = { 'HSET', KEYS[3], 'rev', rev, 'commit_id', commit_id }, nil, nil
for _ = 1, take_number() do
  local name, value = take(), take()
  fields[#fields + 1] = name
  fields[#fields + 1] = value
  if name == 'status' then status = value elseif name == 'bidding' then bidding = value end
end
local bids, grants, artefacts, claims = {}, {}, {}, {}
for index = 1, take_number() do bids[index] = { take(), take() } end
for index = 1, take_number() do grants[index] = { take(), take(), take_number(), take() } end
for _ = 1, take_number() do
  local artefact, digest = take_artefact()
  local same, problem = artefact_problem(artefact)
  if problem then return refused(problem) end
  if not same then artefacts[#artefacts + 1] = { artefact, digest } end
end
for index = 1, take_number() do claims[index] = take_new_claim() end
-- All is checked: from here on things are written.

for _, bid in ipairs(bids) do
  if not recorded_bid(order, bid[1]) then
    order, missing = with_bid(order, bid[1], bid[2]), missing and missing - 1
    redis.call('HSET', KEYS[4], bid[1], bid[2])
  end
end
if #bids > 0 then
  fields[#fields + 1] = 'bid_order'
  fields[#fields + 1] = order
end
-- An imposed bid is one that was missing. A claim that does not say how many are stays like that.
if missing then
  fields[#fields + 1] = 'missing_bids'
  fields[#fields + 1] = missing
end
redis.call(unpack(fields))
for _, grant in ipairs(grants) do write_grant(id, goal, grant[1], grant[2], grant[3], grant[4]) end
for _, artefact in ipairs(artefacts) do store_artefact(artefact[1], artefact[2], actor) end
for _, open in ipairs(claims) do
  if not claim_of_cause(open) and not is_goal_ended(open.goal_id) then
    open_claim(open, actor, open.bidding == 'open' and subject_of(open.artefact_id))
  end
end

local gone = { 'ZREM', KEYS[7] }
local function no_longer_due(member) gone[#gone + 1] = member end
if claim[5] == 'open' and (bidding == 'closed' or is_ended(status)) then
  no_longer_due('bids:' .. id)
  no_longer_due('announce:' .. id)
end
for _ = 1, take_number() do no_longer_due(take()) end
if is_ended(status) then redis.call('ZREM', KEYS[6], id) end
-- What was bid too late by hand is said when the bidding closes, and once more when the claim ends.
if bidding == 'closed' or is_ended(status) then
  refuse_late_bids(KEYS[4], id, { goal_id = goal, artefact_id = claim[7] }, order)
end
-- All grants of a complete claim are done, and gave up their leases with their results.
if status == 'terminated' then
  local flat = redis.call('HGETALL', KEYS[5])
  for index = 1, #flat, 2 do
    -- None but the latest attempt can have something due.
    local grant = cjson.decode(flat[index + 1])
    if grant.state ~= 'done' then
      no_longer_due(lease_member(id, flat[index], grant.attempt))
      no_longer_due('attempt:' .. id .. ':' .. flat[index] .. ':' .. string.format('%d', grant.attempt))
    end
  end
end
if #gone > 2 then redis.call(unpack(gone)) end
for _ = 1, take_number() do
  local member = take()
  local at = string.format('%.0f', now_ms() + take_number())
  if not is_ended(status) then redis.call('ZADD', KEYS[7], at, member) end
end
for _ = 1, take_number() do log(actor, take(), take(), take(), take(), take(), take()) end
hint_claim(id)
return { 'committed', rev }
