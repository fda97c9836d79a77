-- Grants, for the scripts that look at them or write them. A grant is JSON text; it is decoded only to be looked at.

local function read_grant(claim, agent)
  local text = redis.call('HGET', prefix .. 'grants:' .. claim, agent)
  if not text then return nil end
  return cjson.decode(text), text
end

local function lease_member(claim, agent, attempt)
  return 'lease:' .. claim .. ':' .. agent .. ':' .. string.format('%d', attempt)
end

-- Why this attempt may not go on, if it may not. `claim` is the reply of HMGET status, goal_id.
local function grant_problem(id, claim, grant, agent, attempt, wanted)
  if not claim[1] then return 'There is no claim ' .. id .. '.' end
  if not grant then return 'Claim ' .. id .. ' has no grant for ' .. agent .. '.' end
  if is_ended(claim[1]) then return 'Claim ' .. id .. ' has ended.' end
  if is_goal_ended(claim[2]) then return 'Goal ' .. claim[2] .. ' was ended.' end
  if grant.state == wanted and grant.attempt == attempt then return nil end
  return 'The grant is ' .. grant.state .. ' in attempt ' .. string.format('%d', grant.attempt) .. '.'
end

-- The index of what an agent may take up. Its wake-ups may be lost by whoever took them; this is looked at again and again.
local function note_queued(claim, agent)
  redis.call('ZADD', prefix .. 'agent:' .. agent .. ':queued', string.format('%.0f', now_ms()), claim)
end

local function note_not_queued(claim, agent)
  redis.call('ZREM', prefix .. 'agent:' .. agent .. ':queued', claim)
end

-- `text` is the grant's JSON, of which state and attempt come apart. One that leaves `running` loses its lease; a queued one
-- wakes its agent, unless its goal was ended.
local function write_grant(claim, goal, agent, state, attempt, text)
  -- The first attempt begins queued, with nothing before it.
  local before = not (attempt == 1 and state == 'queued') and read_grant(claim, agent)
  if before and before.state == 'running' and (state ~= 'running' or before.attempt ~= attempt) then
    redis.call('ZREM', prefix .. 'due', lease_member(claim, agent, before.attempt))
  end
  -- Nobody is to answer what nobody waits for.
  if before and before.state == 'waiting' and before.waits_for.question_id then
    redis.call('ZREM', prefix .. 'questions:open', before.waits_for.question_id)
  end
  redis.call('HSET', prefix .. 'grants:' .. claim, agent, text)
  if state == 'queued' and not is_goal_ended(goal) then
    redis.call('RPUSH', prefix .. 'agent:' .. agent .. ':grants', claim)
    note_queued(claim, agent)
  elseif before and before.state == 'queued' then
    note_not_queued(claim, agent)
  end
end
