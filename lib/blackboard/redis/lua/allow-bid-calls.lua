-- Stores the digest of the token with which an agent may ask its model how to bid. A later one
-- replaces an earlier one.
-- KEYS bid_tokens
-- ARGS claim, agent, digest
-- Result allowed | refused (reason)
local function allow_bid_calls(keys, args)
  local problem = missing_bid_problem(args.claim, args.agent, read_claim_of_caller(args.claim))
  if problem then return refused(problem) end
  redis.call('HSET', keys.bid_tokens, args.agent, args.digest)
  return { 'allowed' }
end
