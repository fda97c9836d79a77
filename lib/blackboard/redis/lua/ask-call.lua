-- Asks for a person's word about a call of a tool, or takes the word that there is.
-- KEYS asked_calls
-- ARGS token: model_token, id, digest, server, tool, arguments, max: number
-- Result allowed (answer) | denied (answer, words) | waits | full | refused (reason, is_ended)
-- An allowed call is used up with this. `max`: how many calls of one attempt may wait. A call that
-- an earlier attempt has asked for without an end is asked for again.
local function ask_call(keys, args)
  local token = args.token
  local claim, problem, is_ended = claim_of_token(token)
  if not claim then return { 'refused', problem, is_ended } end
  local known = read_asked(keys.asked_calls, token.claim, token.agent, args.digest)
  local state = known and known.state
  if state == 'used' and known.used_by == args.id then return { 'allowed', known.answer } end
  if state == 'allowed' then
    known.state, known.used_by = 'used', args.id
    keep_asked(keys.asked_calls, known)
    return { 'allowed', known.answer }
  end
  if state == 'refused' then return { 'denied', known.answer, known.words or '' } end
  if state == 'asked' and known.attempt == token.attempt then return { 'waits' } end
  local count = 'count:' .. token.claim .. ':' .. token.agent .. ':' .. digits(token.attempt)
  if redis.call('HINCRBY', keys.asked_calls, count, 1) > args.max then return { 'full' } end
  keep_asked(keys.asked_calls, {
    id = args.id, claim_id = token.claim, agent = token.agent, attempt = token.attempt,
    server = args.server, tool = args.tool, arguments = args.arguments, digest = args.digest,
    state = 'asked',
  })
  return { 'waits' }
end
