-- Opening a claim, for the scripts that do. Needs prelude-grant.

-- Reads a claim that is to be opened from ARGV: id, artefact id, goal id, cause, kind, bidding, number of missing bids, what its grants'
-- events tell beside phase and attempt (JSON members behind a comma, or nothing), its hash (n, then n names and values), the bids it begins with (n, then n times agent, word), its grants (n, then n times agent, state, attempt,
-- phase, JSON text).
local function take_new_claim()
  local claim = {
    id = take(), artefact_id = take(), goal_id = take(), cause = take(), kind = take(), bidding = take(), missing = take(),
    told = take(),
    fields = {}, bids = {}, grants = {},
  }
  for index = 1, take_number() * 2 do claim.fields[index] = take() end
  for index = 1, take_number() do claim.bids[index] = { take(), take() } end
  for index = 1, take_number() do
    claim.grants[index] = { agent = take(), state = take(), attempt = take_number(), phase = take(), text = take() }
  end
  return claim
end

-- The claim that this cause has had, if any.
local function claim_of_cause(claim)
  return redis.call('HGET', prefix .. 'artifact:' .. claim.artefact_id .. ':claims', claim.cause)
end

-- What bidding rules look at: the artefact's type and its producer's role; false where there is no such artefact.
local function subject_of(artefact)
  return redis.call('HMGET', prefix .. 'artifact:' .. artefact, 'type', 'produced_by_role')
end

-- `missing`: names of those who are asked; all who bid on the claim where there is no such list.
local function announce(claim, artefact, subject, missing)
  local text = '{"artefact_id":' .. cjson.encode(artefact) .. ',"type":' .. cjson.encode(subject[1] or '')
    .. ',"produced_by_role":' .. cjson.encode(subject[2] or '')
  if missing then text = text .. ',"missing":[' .. (#missing > 0 and '"' .. table.concat(missing, '","') .. '"' or '') .. ']' end
  text = text .. '}'
  redis.call('XADD', prefix .. 'claims', 'MAXLEN', '~', '10000', '*', 'claim', claim, 'about', text)
end

-- `subject` is needed of a claim that takes bids.
local function open_claim(claim, actor, subject)
  redis.call('HSET', prefix .. 'claim:' .. claim.id, unpack(claim.fields))
  redis.call('HSET', prefix .. 'artifact:' .. claim.artefact_id .. ':claims', claim.cause, claim.id)
  local data = '{"kind":"' .. claim.kind .. '","cause":' .. cjson.encode(claim.cause) .. ',"missing":' .. claim.missing .. '}'
  local event = log(actor, 'claim_opened', claim.goal_id, claim.id, claim.artefact_id, '', data)
  redis.call('ZADD', prefix .. 'claims:open', score_of(event), claim.id)
  for index, bid in ipairs(claim.bids) do
    redis.call('HSET', prefix .. 'claim:' .. claim.id .. ':bids', bid[1], bid[2])
    -- Where the bidding is closed, these are another claim's, which told of them.
    if claim.bidding == 'open' then
      data = '{"word":"' .. bid[2] .. '","missing":' .. string.format('%d', claim.missing + #claim.bids - index) .. ',"by_rule":true}'
      log(actor, 'bid_placed', claim.goal_id, claim.id, claim.artefact_id, bid[1], data)
    end
  end
  for _, grant in ipairs(claim.grants) do
    write_grant(claim.id, claim.goal_id, grant.agent, grant.state, grant.attempt, grant.text)
    data = '{"phase":"' .. grant.phase .. '","attempt":' .. string.format('%d', grant.attempt) .. claim.told .. '}'
    -- What is done already is another claim's.
    local event = grant.state == 'queued' and 'grant_queued' or grant.state == 'waiting' and 'grant_waiting'
    if event then log(actor, event, claim.goal_id, claim.id, claim.artefact_id, grant.agent, data) end
  end
  if claim.bidding == 'open' then announce(claim.id, claim.artefact_id, subject) end
  hint_claim(claim.id)
end
