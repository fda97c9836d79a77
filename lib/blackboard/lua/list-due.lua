-- What is due by Redis' own clock, earliest first. Changes nothing.
-- KEYS 1 events, 2 due
-- ARGV 1 prefix, the most to list
-- Result the members
return redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', string.format('%.0f', now_ms()), 'LIMIT', 0, take())
