-- Pauses the instance, or resumes it. Pausing notes how far the mail of each registered agent goes:
-- what comes later was said in the pause. Resuming wakes the registered agents that have queued
-- grants, because none was accepted meanwhile.
-- KEYS orchestrator, agents, paused, paused_mail
-- ARGS epoch: number, is_paused: flag, by, since, request: text?
-- Result set | already | superseded | fenced
-- `by` is an actor; `since` is ISO 8601; `request` is the event that asks for it.
local function note_mail(agents, paused_mail)
  for _, agent in ipairs(redis.call('HKEYS', agents)) do
    local mail = prefix .. 'agent:' .. agent .. ':out'
    local last = redis.call('XREVRANGE', mail, '+', '-', 'COUNT', 1)[1]
    if last then redis.call('HSET', paused_mail, agent, last[1]) end
  end
end

-- The answer to a request that was dealt with before, or after which a later one was.
local function former_answer(keys, request)
  local stored = request and redis.call('HGET', keys.orchestrator, 'pause_request')
  if not stored then return nil end
  local outcome, last = stored:match('^(%l+) (.+)$')
  if last == request then return { outcome } end
  if is_later(last, request) then return { 'superseded' } end
  return nil
end

local function set_paused(keys, args)
  if is_fenced(keys.orchestrator, args.epoch) then return { 'fenced' } end
  local answer = former_answer(keys, args.request)
  if answer then return answer end
  local is_paused = redis.call('HEXISTS', keys.orchestrator, 'paused_since') == 1
  local is_already = is_paused == args.is_paused
  if args.request then
    redis.call('HSET', keys.orchestrator,
      'pause_request', (is_already and 'already ' or 'set ') .. args.request)
  end
  if is_already then return { 'already' } end
  if args.is_paused then
    redis.call('HSET', keys.orchestrator, 'paused_since', args.since, 'paused_by', args.by)
    redis.call('SET', keys.paused, args.since)
    note_mail(keys.agents, keys.paused_mail)
  else
    redis.call('HDEL', keys.orchestrator, 'paused_since', 'paused_by')
    redis.call('DEL', keys.paused, keys.paused_mail)
    wake_queued(keys.agents)
  end
  local kind = args.is_paused and 'instance_paused' or 'instance_resumed'
  log({ type = kind, actor = orchestrator_of(args.epoch), data = object('by', args.by) })
  return { 'set' }
end
