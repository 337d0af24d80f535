// Reads a command line as far as needed to know which command it means, before any command is loaded.
import { Fixable } from './fixable.ts';

export type Request =
  | { readonly kind: 'version' }
  | { readonly kind: 'help'; readonly words: readonly string[] }
  | { readonly kind: 'command'; readonly id: string; readonly argv: readonly string[] }
  | { readonly kind: 'unknown'; readonly words: readonly string[]; readonly suggestion: string | undefined };

/** The flags of every command that take a value; a test compares them with global-flags.ts. */
export const valueFlags: readonly string[] = ['--server', '--profile', '--timeout'];

/** Flags before the command are allowed and count as if they stood behind it. */
function splitLeadingFlags(argv: readonly string[]): { leading: string[]; rest: string[] } {
  let end = 0;
  while (end < argv.length && argv[end]?.startsWith('-') && argv[end] !== '--') {
    end += valueFlags.includes(argv[end] ?? '') ? 2 : 1;
  }
  return { leading: argv.slice(0, end), rest: argv.slice(end) };
}

const isPrefix = (words: readonly string[], id: string): boolean => `${id}:`.startsWith(`${words.join(':')}:`);

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_none, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

function suggest(words: readonly string[], ids: readonly string[]): string | undefined {
  const near = ids
    .map(id => ({ id, distance: editDistance(id, words.slice(0, id.split(':').length).join(':').slice(0, 64)) }))
    .filter(({ id, distance }) => distance <= Math.max(1, Math.floor(id.length / 3)));
  return near.sort((a, b) => a.distance - b.distance)[0]?.id.replaceAll(':', ' ');
}

const untilDashes = (argv: readonly string[]): readonly string[] =>
  argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;

export const wants = (argv: readonly string[], ...flags: string[]): boolean =>
  untilDashes(argv).some(word => flags.includes(word));

const secretFlags = {
  '--password': 'leave it away to be asked, or pipe it in with --password-stdin',
  '--token': 'put it into the environment variable RECORDPROOF_TOKEN',
} as const;

/** Flags that people try and that must not work: their value shows in the process list and the shell's history. */
export function refuseSecrets(argv: readonly string[]): void {
  for (const [flag, instead] of Object.entries(secretFlags)) {
    if (!untilDashes(argv).some(word => word === flag || word.startsWith(`${flag}=`))) continue;
    throw new Fixable('usage', `${flag} does not exist: other users of this machine can read a command line`, {
      try: instead,
    });
  }
}

export function parseRequest(argv: readonly string[], ids: readonly string[]): Request {
  const { leading, rest } = splitLeadingFlags(argv);
  if (rest.length === 0 && wants(argv, '--version', '-v')) return { kind: 'version' };
  if (rest[0] === 'help') return { kind: 'help', words: rest.slice(1).filter(word => !word.startsWith('-')) };
  const firstFlag = rest.findIndex(word => word.startsWith('-'));
  const words = firstFlag < 0 ? rest : rest.slice(0, firstFlag);
  const count = [3, 2, 1].find(length => words.length >= length && ids.includes(words.slice(0, length).join(':')));
  const id = words.slice(0, count ?? 0).join(':');
  if (wants(argv, '--help', '-h')) return { kind: 'help', words: count ? id.split(':') : words };
  if (count) return { kind: 'command', id, argv: [...leading, ...rest.slice(count)] };
  if (ids.some(known => isPrefix(words, known)) || words.length === 0) return { kind: 'help', words };
  return { kind: 'unknown', words, suggestion: suggest(words, ids) };
}
