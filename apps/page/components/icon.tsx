// The few pictures of the page, drawn with the colour of the text. The text beside them says the
// same.

const paths = {
  goals:
    "M3 4.5h4.5c3 0 3 7 6 7M3 12.5h3M14.5 11.5a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0ZM4.5 4.5a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0Z",
  inbox: "M2 9.5 4 3.5h8l2 6v3.5H2V9.5Zm0 0h3.5l1 1.75h3l1-1.75H14",
  clan: "M8 7.2a2.4 2.4 0 1 0 0-4.8 2.4 2.4 0 0 0 0 4.8ZM3.2 13.6c0-2.6 2.1-4.2 4.8-4.2s4.8 1.6 4.8 4.2M2.2 8.4a1.7 1.7 0 0 1-.2-3.3M13.8 8.4a1.7 1.7 0 0 0 .2-3.3",
  log: "M2.5 4h11M2.5 8h11M2.5 12h7",
  new: "M8 3v10M3 8h10",
  you: "M8 7.4a2.6 2.6 0 1 0 0-5.2 2.6 2.6 0 0 0 0 5.2ZM2.8 13.8c0-2.8 2.3-4.4 5.2-4.4s5.2 1.6 5.2 4.4",
} as const;

export function Icon({ name }: { name: keyof typeof paths }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path
        d={paths[name]}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.4"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
