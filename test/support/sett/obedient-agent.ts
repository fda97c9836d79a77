// Agents that do what a goal says after their name, for what commands do to the machine and to each
// other.

/** The script of an agent: it runs the goal `NAME: commands` in a shell. */
export const obedient = `set -e
work=$(cat)
printf '%s' "$work" | jq -r .target_artefact.payload | sed '1s/^[a-z]*: //' > /tmp/goal.sh
sh /tmp/goal.sh < /dev/null >&2
echo '{"structural_type":"Terminal","artefact_type":"Done","artefact_payload":"","summary":""}'
`;

/**
 * The line of sett.yml by which it bids for goals that begin with its name. It starts no further
 * program: one that the end of the grant before takes with it would make the bid another one.
 */
export const bidByName = (agent: string) => {
  const script = `read -r work; case $work in *'"payload":"${agent}:'*) echo exclusive ;; *) echo ignore ;; esac`;
  return `    bid_command: ${JSON.stringify(["sh", "-c", script])}\n`;
};
