// The few pictures of the page, drawn with the colour of the text. The text beside them says the
// same.

const paths = {
  goals:
    "M3 4.5h4.5c3 0 3 7 6 7M3 12.5h3M14.5 11.5a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0ZM4.5 4.5a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0Z",
  inbox: "M2 9.5 4 3.5h8l2 6v3.5H2V9.5Zm0 0h3.5l1 1.75h3l1-1.75H14",
  clan: "M8 7.2a2.4 2.4 0 1 0 0-4.8 2.4 2.4 0 0 0 0 4.8ZM3.2 13.6c0-2.6 2.1-4.2 4.8-4.2s4.8 1.6 4.8 4.2M2.2 8.4a1.7 1.7 0 0 1-.2-3.3M13.8 8.4a1.7 1.7 0 0 0 .2-3.3",
  log: "M2.5 4h11M2.5 8h11M2.5 12h7",
  new: "M8 3v10M3 8h10",
  bell: "M8 2.2c-2.3 0-3.8 1.7-3.8 4 0 3.4-1.4 4.4-1.4 5h10.4c0-.6-1.4-1.6-1.4-5 0-2.3-1.5-4-3.8-4ZM6.7 13.4c.3.5.7.7 1.3.7s1-.2 1.3-.7",
  theme: "M8 2.2a5.8 5.8 0 1 0 0 11.6V2.2Zm0 0a5.8 5.8 0 0 1 0 11.6",
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
