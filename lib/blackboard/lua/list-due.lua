-- What is due by Redis' own clock, earliest first. Changes nothing. However many items of one kind are due, the other kinds get theirs.
-- KEYS due
-- ARGS limit: number, kinds: text*
-- Result the members
-- `limit` counts for each kind; the kind `unreadable` is for members that none of our functions has written.
local page_size = 1000
local uuid = '^%x%x%x%x%x%x%x%x%-%x%x%x%x%-4%x%x%x%-[89ab]%x%x%x%-%x%x%x%x%x%x%x%x%x%x%x%x$'

-- An agent and an attempt, as `digits` writes it.
local function is_of_grant(rest)
  local agent, attempt = rest:match('^:([^:]+):(%d+)$')
  return agent and is_agent_name(agent) and (attempt == '0' or attempt:sub(1, 1) ~= '0')
end

-- lib/blackboard/due-member.ts reads members by the same rules.
local function kind_of(member)
  local kind, claim, rest = member:match('^(%l+):([%x-]+)(.*)$')
  if not kind or not claim:match(uuid) or claim:find('%u') then return 'unreadable' end
  if (kind == 'bids' or kind == 'announce') and rest == '' then return kind end
  if (kind == 'lease' or kind == 'attempt') and is_of_grant(rest) then return kind end
  return 'unreadable'
end

local function list_due(keys, args)
  local found, unfilled = {}, #args.kinds
  for _, kind in ipairs(args.kinds) do found[kind] = 0 end
  local members, from, now = {}, 0, digits(now_ms())
  repeat
    local page = redis.call('ZRANGEBYSCORE', keys.due, '-inf', now, 'LIMIT', from, page_size)
    for _, member in ipairs(page) do
      local kind = kind_of(member)
      local count = found[kind]
      if count and count < args.limit then
        members[#members + 1] = member
        found[kind] = count + 1
        if count + 1 == args.limit then unfilled = unfilled - 1 end
      end
    end
    from = from + page_size
  until #page < page_size or unfilled == 0
  return members
end
