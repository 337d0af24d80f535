// Icons drawn with strokes, in the colour of the text next to them. Hidden from screen readers.
const paths = {
  files: 'M4 5.5A1.5 1.5 0 0 1 5.5 4h4l2 2.5h7A1.5 1.5 0 0 1 20 8v10a1.5 1.5 0 0 1-1.5 1.5h-13A1.5 1.5 0 0 1 4 18z',
  transfers: 'M8 20V5M4.5 8.5 8 5l3.5 3.5M16 4v15M12.5 15.5 16 19l3.5-3.5',
  shares: 'M14 5h5v5M19 5l-8 8M11 6H6.5A1.5 1.5 0 0 0 5 7.5v10A1.5 1.5 0 0 0 6.5 19h10a1.5 1.5 0 0 0 1.5-1.5V13',
  friends:
    'M9 11.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.8 19.500c.6-3 3-4.700 6.2-4.700s5.600 1.700 6.200 4.700M15.500 4.900a3.5 3.5 0 0 1 0 6.200M17.500 15.200c2 .6 3.300 2.100 3.700 4.300',
  messages: 'M4 5.500h16v11H10.500L6 20v-3.500H4z',
  announcements: 'M4 10v4h3l8 4.500v-13L7 10zM18 9.500a3.500 3.500 0 0 1 0 5',
  tickets:
    'M12 3.500a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zM9.600 9.500a2.4 2.4 0 1 1 3.4 2.200c-.7.3-1 .8-1 1.600M12 16.600v.1',
  parts:
    'M5 11.200a.8.8 0 1 0 0 1.600.8.8 0 0 0 0-1.600zM12 11.200a.8.8 0 1 0 0 1.600.8.8 0 0 0 0-1.600zM19 11.200a.8.8 0 1 0 0 1.600.8.8 0 0 0 0-1.600z',
  back: 'M15 5l-7 7 7 7',
  verify: 'M12 3.5 5 6.2v5.3c0 4.2 2.9 7.3 7 9 4.1-1.7 7-4.8 7-9V6.2zM8.8 11.9l2.3 2.3 4.2-4.6',
  admin:
    'M4 7h9M17 7h3M4 17h3M11 17h9M15 9.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5zM9 19.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5z',
  account: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20.5c.8-3.6 3.8-5.5 7.5-5.5s6.7 1.9 7.5 5.5',
  theme:
    'M12 20a8 8 0 1 1 8-8c0 2-1.500 2.500-3 2.500h-2a2 2 0 0 0-1.500 3.300c.6.800.2 2.200-1.500 2.200zM8.500 10v.1M12 7.800v.1M15.500 10v.1',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.3 15.3 20 20',
  upload: 'M12 16V5M7.5 9.5 12 5l4.5 4.500M5 19.500h14',
  download: 'M12 5v11M7.5 11.5 12 16l4.5-4.500M5 19.500h14',
  close: 'M6 6l12 12M18 6 6 18',
  check: 'M5 12.500l4.5 4.500L19 7.5',
  seal: 'M12 3.500a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zM8.3 12.300l2.6 2.6 4.9-5.2',
  clock: 'M12 3.500a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zM12 7.500V12l3 2',
  alert: 'M12 4 2.8 20h18.400zM12 10v4.500M12 17.200v.1',
  remove: 'M5 7h14M9.5 7V4.500h5V7M7 7l.8 12.500h8.400L17 7',
  link: 'M10 14a4 4 0 0 0 6 .400l2.6-2.600a4 4 0 0 0-5.7-5.700l-1.2 1.200M14 10a4 4 0 0 0-6-.400l-2.6 2.600a4 4 0 0 0 5.7 5.700l1.2-1.2',
  up: 'M7 14l5-5 5 5',
  down: 'M7 10l5 5 5-5',
} as const;

/** The name of an icon, or a drawing of its own, which is a path that starts with a move. */
export type IconName = keyof typeof paths | `M${string}`;

const isNamed = (icon: IconName): icon is keyof typeof paths => icon in paths;

export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg
    className="icon"
    viewBox="0 0 24 24"
    aria-hidden="true"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.8"
    strokeLinecap="round"
    strokeLinejoin="round"
  >
    <path d={isNamed(name) ? paths[name] : name} />
  </svg>
);
