-- Lists what is due by Redis' own clock, earliest first. Changes nothing. However many items of one
-- kind are due, the other kinds get theirs.
-- KEYS due
-- ARGS limit: number, kinds: text*
-- Result the members
-- `limit` counts for each kind; the kind `unreadable` is for members that none of our functions has
-- written, and are found among the others.
local uuid = '^%x%x%x%x%x%x%x%x%-%x%x%x%x%-4%x%x%x%-[89ab]%x%x%x%-%x%x%x%x%x%x%x%x%x%x%x%x$'

-- False for a name that cannot be an agent's: a person may have typed anything.
local function is_agent_name(name)
  return #name <= 40 and name:match('^[a-z0-9][a-z0-9-]*$') ~= nil and name:sub(-1) ~= '-'
end

-- An agent and an attempt, as `digits` writes it.
local function is_of_grant(rest)
  local agent, attempt = rest:match('^:([^:]+):(%d+)$')
  return agent and is_agent_name(agent) and (attempt == '0' or attempt:sub(1, 1) ~= '0')
end

-- lib/blackboard/records/due-member.ts reads members by the same rules.
local function kind_of(member)
  local kind, claim, rest = member:match('^(%l+):([%x-]+)(.*)$')
  if not kind or not claim:match(uuid) or claim:find('%u') then return 'unreadable' end
  if (kind == 'bids' or kind == 'announce') and rest == '' then return kind end
  if (kind == 'lease' or kind == 'attempt') and is_of_grant(rest) then return kind end
  return 'unreadable'
end

local function is_earlier(one, other)
  if one.at ~= other.at then return one.at < other.at end
  return one.member < other.member
end

local function list_due(keys, args)
  local found, unreadable, may_be_unreadable = {}, 0, false
  for _, kind in ipairs(args.kinds) do
    may_be_unreadable = may_be_unreadable or kind == 'unreadable'
  end
  local now = digits(now_ms())
  for _, kind in ipairs(args.kinds) do
    local count, at = 0, 0
    local key = keys.due .. ':' .. kind
    repeat
      local page = is_due_kind[kind]
        and redis.call('ZRANGEBYSCORE', key, '-inf', now, 'WITHSCORES', 'LIMIT', at, args.limit)
        or {}
      for index = 1, #page, 2 do
        local item = { member = page[index], at = tonumber(page[index + 1]) }
        local its_kind = kind_of(item.member)
        if its_kind == kind then
          count = count + 1
          found[#found + 1] = item
        elseif its_kind == 'unreadable' and may_be_unreadable and unreadable < args.limit then
          unreadable = unreadable + 1
          found[#found + 1] = item
        end
        if count == args.limit then break end
      end
      at = at + args.limit
    until #page < 2 * args.limit or count == args.limit
  end
  table.sort(found, is_earlier)
  for index, item in ipairs(found) do found[index] = item.member end
  return found
end
