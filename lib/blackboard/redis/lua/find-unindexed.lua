-- Looks at about `count` keys of this Redis, from `cursor` on, and finds the artefacts among them
-- that no index knows: a person has written them. Begins and ends with the cursor 0. The result
-- begins with the next cursor. Changes nothing.
-- KEYS digests
-- ARGS cursor, count: number
-- Result the cursor, then the artefacts
-- As long as a UUID, so that no key is meant that has more behind the id.
local any_id = '????????-????-????-????-????????????'

local function find_unindexed(keys, args)
  local page = redis.call('SCAN', args.cursor, 'MATCH', artefact_key(any_id), 'COUNT', args.count, 'TYPE', 'hash')
  local found = { page[1] }
  for _, key in ipairs(page[2]) do
    local id = key:sub(-36)
    if redis.call('HEXISTS', keys.digests, id) == 0 then found[#found + 1] = id end
  end
  return found
end
