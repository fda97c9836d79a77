-- Ends a message of an agent: removes it, and answers it where there is something to say, in one
-- step. It makes room, so that a full Redis does it as well.
-- KEYS none
-- ARGS agent, place, id, text: text?
-- Result answered
local function answer_mail(_, args)
  require_mail(args.agent)
  if args.text then answer_to(args.agent, args.id, args.text) end
  remove_mail(args.agent, args.place)
  return { 'answered' }
end
