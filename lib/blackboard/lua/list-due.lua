-- What is due by Redis' own clock, earliest first. Changes nothing. However much is due of one kind, the others have their turn.
-- KEYS 1 events, 2 due
-- ARGV 1 prefix, the most to list of each kind, n, the n kinds (unreadable: what none of our scripts has written)
-- Result the members
local most, found, unfilled = take_number(), {}, take_number()
for _ = 1, unfilled do found[take()] = 0 end
local known = { bids = '^$', announce = '^$', lease = '^:[^:]+:%d+$', attempt = '^:[^:]+:%d+$' }
local reply, from, page_size, now = {}, 0, 1000, string.format('%.0f', now_ms())
repeat
  local page = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', from, page_size)
  for _, member in ipairs(page) do
    local kind, claim, rest = member:match('^(%l+):([%x-]+)(.*)$')
    if not known[kind] or #claim ~= 36 or not rest:match(known[kind]) then kind = 'unreadable' end
    local count = found[kind]
    if count and count < most then
      reply[#reply + 1] = member
      found[kind] = count + 1
      if count + 1 == most then unfilled = unfilled - 1 end
    end
  end
  from = from + page_size
until #page < page_size or unfilled == 0
return reply
