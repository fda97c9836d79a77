-- Writes registrations, with events for those that are new or changed. The mode `expect` stores new agents apart, as expected; `exact`
-- also removes all agents that are not listed; `add` does neither.
-- KEYS agents, agent_status, expected_agents
-- ARGS actor, mode, registrations: registration*
-- Result registered
-- RECORD registration name, json, event_data
local function register_agents(keys, args)
  local is_listed = {}
  for _, agent in ipairs(args.registrations) do
    is_listed[agent.name] = true
    local known = redis.call('HGET', keys.agents, agent.name)
    if not known and args.mode == 'expect' then
      redis.call('HSET', keys.expected_agents, agent.name, agent.json)
    else
      redis.call('HDEL', keys.expected_agents, agent.name)
      if known ~= agent.json then
        redis.call('HSET', keys.agents, agent.name, agent.json)
        log({ type = 'agent_registered', actor = args.actor, agent = agent.name, data = agent.event_data })
      end
    end
  end
  if args.mode == 'exact' then
    for _, name in ipairs(redis.call('HKEYS', keys.expected_agents)) do redis.call('HDEL', keys.agent_status, name) end
    redis.call('DEL', keys.expected_agents)
    local known = redis.call('HKEYS', keys.agents)
    table.sort(known)
    for _, name in ipairs(known) do
      if not is_listed[name] then
        redis.call('HDEL', keys.agents, name)
        redis.call('HDEL', keys.agent_status, name)
        log({ type = 'agent_removed', actor = args.actor, agent = name })
      end
    end
  end
  return { 'registered' }
end
