-- Calls of tools that wait for a person, in a hash of the goal: claim:agent:digest → the call.

local function asked_calls_key(goal)
  return goal_key(goal) .. ':asked_calls'
end

local function asked_field(claim, agent, digest)
  return claim .. ':' .. agent .. ':' .. digest
end

local function keep_asked(key, call)
  redis.call('HSET', key, asked_field(call.claim_id, call.agent, call.digest), object(
    'id', call.id, 'claim_id', call.claim_id, 'agent', call.agent, 'attempt', call.attempt,
    'server', call.server, 'tool', call.tool, 'arguments', call.arguments, 'digest', call.digest,
    'state', call.state, 'answer', call.answer, 'words', call.words, 'used_by', call.used_by
  ))
end

local function read_asked(key, claim, agent, digest)
  local stored = redis.call('HGET', key, asked_field(claim, agent, digest))
  return stored and cjson.decode(stored)
end
