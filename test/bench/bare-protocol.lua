#!lua name=bare
-- The protocol with nothing around it: what has to be written for a claim to come to its end,
-- unchecked.

local function log(kind, event)
  return redis.call('XADD', 'events', '*', 'type', kind, 'event', event)
end

local function store(id, goal, claim, agent, structural, kind, payload)
  redis.call('HSET', 'artifact:' .. id, 'id', id, 'logical_id', id, 'version', '1',
    'structural_type', structural, 'type', kind,
    'payload', payload, 'source_artefacts', '[]', 'produced_by_role', agent,
    'produced_by_agent', agent, 'created_at', '',
    'goal_id', goal, 'claim_id', claim, 'metadata', '{}')
  redis.call('ZADD', 'thread:' .. id, 1, id)
  log('artefact_created',
    '{"artefact_id":"' .. id .. '","goal_id":"' .. goal
      .. '","structural_type":"' .. structural .. '"}')
end

-- goal
redis.register_function('bare_create', function(_, args)
  store(args[1], args[1], '', 'user', 'Standard', 'GoalDefined', 'hello')
  return 'OK'
end)

-- claim, artefact
redis.register_function('bare_open', function(_, args)
  local claim, artefact = args[1], args[2]
  redis.call('HSET', 'claim:' .. claim, 'id', claim, 'artefact_id', artefact,
    'status', 'pending_review', 'goal_id', artefact)
  redis.call('ZADD', 'claims:open', 1, claim)
  log('claim_opened', '{"claim_id":"' .. claim .. '","artefact_id":"' .. artefact .. '"}')
  redis.call('XADD', 'claims', 'MAXLEN', '~', '10000', '*', 'claim', claim, 'artefact', artefact)
  return 'OK'
end)

-- claim, agent, word
redis.register_function('bare_bid', function(_, args)
  redis.call('HSET', 'claim:' .. args[1] .. ':bids', args[2], args[3])
  log('bid_placed',
    '{"claim_id":"' .. args[1] .. '","agent":"' .. args[2] .. '","word":"' .. args[3] .. '"}')
  return 'OK'
end)

-- claim, phase, agents
redis.register_function('bare_grant', function(_, args)
  local claim, phase = args[1], args[2]
  redis.call('HSET', 'claim:' .. claim, 'status', phase)
  for index = 3, #args do
    redis.call('HSET', 'grants:' .. claim, args[index], 'queued')
    redis.call('RPUSH', 'agent:' .. args[index] .. ':grants', claim)
    log('grant_queued',
      '{"claim_id":"' .. claim .. '","agent":"' .. args[index] .. '","phase":"' .. phase .. '"}')
  end
  return 'OK'
end)

-- claim, agent, when the lease ends
redis.register_function('bare_accept', function(_, args)
  redis.call('HSET', 'grants:' .. args[1], args[2], 'running')
  redis.call('ZADD', 'due', args[3], args[1] .. args[2])
  log('grant_started', '{"claim_id":"' .. args[1] .. '","agent":"' .. args[2] .. '"}')
  return redis.call('HGET', 'claim:' .. args[1], 'artefact_id')
end)

-- claim, agent, artefact, goal, payload
redis.register_function('bare_finish', function(_, args)
  store(args[3], args[4], args[1], args[2], 'Terminal', 'Done', args[5])
  redis.call('HSET', 'grants:' .. args[1], args[2], 'done')
  redis.call('ZREM', 'due', args[1] .. args[2])
  log('grant_done',
    '{"claim_id":"' .. args[1] .. '","agent":"' .. args[2]
      .. '","artefact_id":"' .. args[3] .. '"}')
  return 'OK'
end)

-- claim
redis.register_function('bare_complete', function(_, args)
  redis.call('HSET', 'claim:' .. args[1], 'status', 'complete')
  redis.call('ZREM', 'claims:open', args[1])
  redis.call('INCR', 'completed')
  log('claim_completed', '{"claim_id":"' .. args[1] .. '"}')
  return 'OK'
end)
