-- Finds claims whose bidding is open and whose hash has more or fewer bids than are on record, so
-- that a person has written there. Looks at `limit` of the oldest `left` claims: from the newest,
-- so that claims that open or close meanwhile move no other past it. The result begins with how
-- many are left to be looked at. Changes nothing.
-- KEYS bidding
-- ARGS left: number, limit: number
-- Result the number, then the claims
-- `left` is -1 for all.
local claim_fields = { 'electors', 'missing_bids' }

local function find_bids_by_hand(keys, args)
  local left = args.left < 0 and redis.call('ZCARD', keys.bidding) or args.left
  local from = math.max(0, left - args.limit)
  local found = { digits(from) }
  if left == 0 then return found end
  for _, id in ipairs(redis.call('ZRANGE', keys.bidding, from, left - 1)) do
    local claim = read_fields(claim_key(id), claim_fields)
    local electors, missing = tonumber(claim.electors or nil), tonumber(claim.missing_bids or nil)
    if not electors or not missing or redis.call('HLEN', bids_key(id)) ~= electors - missing then found[#found + 1] = id end
  end
  return found
end
