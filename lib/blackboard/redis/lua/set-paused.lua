-- Pauses the instance, or resumes it. Pausing notes how far the mail of each registered agent goes:
-- what comes later was said in the pause. Resuming wakes the registered agents that have queued
-- grants, because none was accepted meanwhile.
-- KEYS orchestrator, agents, paused, paused_mail
-- ARGS epoch: number, is_paused: flag, by, since, request: text?
-- Result set | already | superseded | fenced
-- `by` is an actor; `since` is ISO 8601; `request` is the event that asks for it.
local function set_paused(keys, args)
  if is_fenced(keys.orchestrator, args.epoch) then return { 'fenced' } end
  local former = former_answer(keys.orchestrator, args.request)
  if former == 'superseded' then return { 'superseded' } end
  if former then return { former } end
  local is_paused = redis.call('HEXISTS', keys.orchestrator, 'paused_since') == 1
  local is_already = is_paused == args.is_paused
  require_type('hash', keys.paused_mail)
  require_wakeable(keys.agents)
  local places = last_places(keys.agents)
  former_answer(keys.orchestrator, args.request, is_already and 'already' or 'set')
  if is_already then return { 'already' } end
  if args.is_paused then
    redis.call('HSET', keys.orchestrator, 'paused_since', args.since, 'paused_by', args.by)
    redis.call('SET', keys.paused, args.since)
    if #places > 0 then redis.call('HSET', keys.paused_mail, unpack(places)) end
  else
    redis.call('HDEL', keys.orchestrator, 'paused_since', 'paused_by')
    redis.call('DEL', keys.paused, keys.paused_mail)
    wake_queued(keys.agents)
  end
  local kind = args.is_paused and 'instance_paused' or 'instance_resumed'
  log({ type = kind, actor = orchestrator_of(args.epoch), data = object('by', args.by) })
  return { 'set' }
end
