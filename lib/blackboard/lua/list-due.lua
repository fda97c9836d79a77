-- What is due by Redis' own clock, earliest first. Changes nothing. However many items of one kind are due, the other kinds get theirs.
-- KEYS due
-- ARGS limit: number, kinds: text*
-- Result the members
-- `limit` counts for each kind; the kind `unreadable` is for members that none of our functions has written.
local rest_of_kind = { bids = '^$', announce = '^$', lease = '^:[^:]+:%d+$', attempt = '^:[^:]+:%d+$' }
local page_size = 1000

local function kind_of(member)
  local kind, claim, rest = member:match('^(%l+):([%x-]+)(.*)$')
  if not rest_of_kind[kind] or #claim ~= 36 or not rest:match(rest_of_kind[kind]) then return 'unreadable' end
  return kind
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
