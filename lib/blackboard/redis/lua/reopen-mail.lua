-- Forgets the last place in an agent's mailbox, where the agent has chosen one that no clock
-- reaches, and no message is left: after the largest place the mailbox takes no more.
-- KEYS orchestrator, mail, paused_mail, paused_goals
-- ARGS epoch: number, agent
-- Result reopened | kept | fenced

-- What the agent says from now on comes after the pause, although its place is smaller.
local function forget_place(paused_goals, goal, agent)
  local is_read, pause = pcall(cjson.decode, redis.call('HGET', paused_goals, goal))
  local mail = is_read and type(pause) == 'table' and pause.mail
  if type(mail) ~= 'table' or not mail[agent] then return end
  mail[agent] = nil
  redis.call('HSET', paused_goals, goal, cjson.encode(pause))
end

local function reopen_mail(keys, args)
  if is_fenced(keys.orchestrator, args.epoch) then return { 'fenced' } end
  if redis.call('EXISTS', keys.mail) == 0 then return { 'kept' } end
  local flat, info = redis.call('XINFO', 'STREAM', keys.mail), {}
  for index = 1, #flat, 2 do info[flat[index]] = flat[index + 1] end
  if info.length > 0 or #info['last-generated-id']:match('^%d+') <= 15 then return { 'kept' } end
  require_type('hash', keys.paused_mail, keys.paused_goals)
  redis.call('UNLINK', keys.mail)
  redis.call('HDEL', keys.paused_mail, args.agent)
  for _, goal in ipairs(redis.call('HKEYS', keys.paused_goals)) do
    forget_place(keys.paused_goals, goal, args.agent)
  end
  return { 'reopened' }
end
