-- Forgets the last place in an agent's mailbox, where the agent has chosen one that no clock
-- reaches, and no message is left: after the largest place the mailbox takes no more.
-- KEYS orchestrator, mail, paused_mail
-- ARGS epoch: number, agent
-- Result reopened | kept | fenced
local function reopen_mail(keys, args)
  if is_fenced(keys.orchestrator, args.epoch) then return { 'fenced' } end
  if redis.call('EXISTS', keys.mail) == 0 then return { 'kept' } end
  local flat, info = redis.call('XINFO', 'STREAM', keys.mail), {}
  for index = 1, #flat, 2 do info[flat[index]] = flat[index + 1] end
  if info.length > 0 or #info['last-generated-id']:match('^%d+') <= 15 then return { 'kept' } end
  redis.call('UNLINK', keys.mail)
  -- What is said from now on comes after the pause, although its place is smaller.
  redis.call('HDEL', keys.paused_mail, args.agent)
  return { 'reopened' }
end
