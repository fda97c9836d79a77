-- Writes registrations, with events for those that are new or changed, and for each agent a copy in
-- a key of its own. The mode `expect` stores new agents apart, as expected; `exact` also removes
-- all agents that are not listed; `add` does neither.
-- KEYS agents, expected_agents, senders
-- ARGS actor, mode, registrations: registration*
-- Result registered
-- RECORD registration name, role, json, event_data
local function own_registration_key(agent)
  return prefix .. 'agent:' .. agent .. ':registration'
end

local function forget_agent(agent)
  redis.call('UNLINK', own_registration_key(agent), prefix .. 'agent:' .. agent .. ':status')
end

local function register_agents(keys, args)
  local is_listed = {}
  require_type('hash', keys.agents, keys.expected_agents, keys.senders)
  for _, agent in ipairs(args.registrations) do
    is_listed[agent.name] = true
    redis.call('SET', own_registration_key(agent.name), agent.json)
    redis.call('HSET', keys.senders, agent.name, agent.role)
    local known = redis.call('HGET', keys.agents, agent.name)
    if not known and args.mode == 'expect' then
      redis.call('HSET', keys.expected_agents, agent.name, agent.json)
    else
      redis.call('HDEL', keys.expected_agents, agent.name)
      if known ~= agent.json then
        redis.call('HSET', keys.agents, agent.name, agent.json)
        log({ type = 'agent_registered', actor = args.actor, agent = agent.name,
          data = agent.event_data })
      end
    end
  end
  if args.mode == 'exact' then
    for _, name in ipairs(redis.call('HKEYS', keys.expected_agents)) do forget_agent(name) end
    redis.call('DEL', keys.expected_agents)
    local known = redis.call('HKEYS', keys.agents)
    table.sort(known)
    for _, name in ipairs(known) do
      if not is_listed[name] then
        redis.call('HDEL', keys.agents, name)
        forget_agent(name)
        log({ type = 'agent_removed', actor = args.actor, agent = name })
      end
    end
  end
  return { 'registered' }
end
