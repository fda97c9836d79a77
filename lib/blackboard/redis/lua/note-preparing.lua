-- Notes how far the workspace of a grant is, for people, or that it is prepared. What it shares
-- with others may be made before the grant runs. It is a hint: no rev changes, and no event comes.
-- KEYS claim, preparing
-- ARGS claim, agent, attempt: number, files: number, of: number, is_over: flag
-- Result noted | refused (reason)
-- The notes of runs that were killed are left over. When there are so many, all of them go: a run
-- that still prepares its workspace says it again within seconds.
local most_notes_of_preparing = 1000

local function note_preparing(keys, args)
  local claim, agent, attempt = args.claim, args.agent, args.attempt
  local grant = read_grant(claim, agent)
  local state = grant and grant.state == 'queued' and 'queued' or 'running'
  local order = { claim = claim, agent = agent, attempt = attempt, state = state }
  local problem = grant_problem(order, read_claim_of_grant(keys.claim), grant)
  if problem then return refused(problem) end
  local field = claim .. ':' .. agent
  if args.is_over then
    redis.call('HDEL', keys.preparing, field)
    return { 'noted' }
  end
  if redis.call('HLEN', keys.preparing) >= most_notes_of_preparing then
    redis.call('HDEL', keys.preparing, unpack(redis.call('HKEYS', keys.preparing)))
  end
  local numbers = { digits(attempt), digits(now_ms()), digits(args.files), digits(args.of) }
  redis.call('HSET', keys.preparing, field, table.concat(numbers, ' '))
  return { 'noted' }
end
