// The parser that finds the command of a command line before any command is loaded.
import { listNearest } from '@recordproof/shared/settings/nearest.ts';
import { CommandError } from './command-error.ts';

export type Request =
  | { readonly kind: 'version' }
  | { readonly kind: 'help'; readonly words: readonly string[] }
  | { readonly kind: 'command'; readonly id: string; readonly argv: readonly string[] }
  | { readonly kind: 'unknown'; readonly words: readonly string[]; readonly suggestion: string | undefined };

/** The flags of every command that take a value; a test compares them with global-flags.ts. */
export const valueFlags: readonly string[] = ['--server', '--profile', '--timeout'];

/** Flags before the command are allowed and count as if they came after it. */
function splitLeadingFlags(argv: readonly string[]): { leading: string[]; rest: string[] } {
  let end = 0;
  while (end < argv.length && argv[end]?.startsWith('-') && argv[end] !== '--') {
    end += valueFlags.includes(argv[end] ?? '') ? 2 : 1;
  }
  return { leading: argv.slice(0, end), rest: argv.slice(end) };
}

/** How many words a command may have, the longest first. */
const wordCounts = [4, 3, 2, 1];

const toMeant = ([first, ...others]: readonly string[], aliases: Vocabulary['aliases']): string[] =>
  first === undefined ? [] : [aliases.get(first) ?? first, ...others];

const isPrefix = (words: readonly string[], id: string): boolean => `${id}:`.startsWith(`${words.join(':')}:`);

/** Every beginning of a command with that many words, and its alias. */
const listBeginnings = ({ ids, aliases }: Vocabulary, count: number): string[] => {
  const beginnings = ids.map(id => id.split(':').slice(0, count)).filter(words => words.length === count);
  return [...new Set([...(count === 1 ? aliases.keys() : []), ...beginnings.map(words => words.join(' '))])];
};

/** Word by word: similar long lines are not close to each other because most of their words are the same. */
const isNear = (typed: readonly string[], name: string): boolean =>
  name.split(' ').every((word, at) => listNearest(typed[at] ?? '', [word]).length > 0);

/** The longest beginning of the typed words that is close to a command; or the same without the first word. */
function suggest(words: readonly string[], vocabulary: Vocabulary): string | undefined {
  for (const count of wordCounts.filter(most => most > 1)) {
    if (words.length < count) continue;
    const typed = words.slice(0, count);
    const beginnings = listBeginnings(vocabulary, count).filter(name => isNear(typed, name));
    const [near] = listNearest(typed.join(' '), beginnings);
    if (near !== undefined) return near;
  }
  const [first = '', ...others] = words;
  const meant = toMeant(others, vocabulary.aliases);
  if (meant.length > 0 && listBeginnings(vocabulary, meant.length).includes(meant.join(' '))) return meant.join(' ');
  const [near] = listNearest(first, listBeginnings(vocabulary, 1));
  return near === undefined ? undefined : (vocabulary.aliases.get(near) ?? near);
}

const untilDashes = (argv: readonly string[]): readonly string[] =>
  argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;

export const hasFlag = (argv: readonly string[], ...flags: string[]): boolean =>
  untilDashes(argv).some(word => flags.includes(word));

const secretFlags = {
  '--password': 'leave it away to be asked, or pipe it in with --password-stdin',
  '--token': 'put it into the environment variable RECORDPROOF_TOKEN',
} as const;

/** Flags that people try and that must be rejected: their value shows in the process list and the shell's history. */
export function rejectSecrets(argv: readonly string[]): void {
  for (const [flag, instead] of Object.entries(secretFlags)) {
    if (!untilDashes(argv).some(word => word === flag || word.startsWith(`${flag}=`))) continue;
    throw new CommandError('usage', `${flag} does not exist: other users of this machine can read a command line`, {
      try: instead,
    });
  }
}

/** Commands whose exit code is a verdict: help, which ends with 0, is accepted there only without other arguments. */
const verdicts: ReadonlySet<string> = new Set(['verify']);
const besideHelp: ReadonlySet<string> = new Set(['--help', '-h', '--json', '--wide', '--debug', '--no-color']);

function isHelpAsked(id: string, argv: readonly string[], behind: readonly string[]): boolean {
  if (!hasFlag(argv, '--help', '-h')) return false;
  return !verdicts.has(id) || behind.every(word => besideHelp.has(word));
}

/** Meanings of words: every command by its id, and aliases of first words. */
type Vocabulary = { readonly ids: readonly string[]; readonly aliases: ReadonlyMap<string, string> };

export function parseRequest(argv: readonly string[], vocabulary: Vocabulary): Request {
  const { ids, aliases } = vocabulary;
  const { leading, rest: args } = splitLeadingFlags(argv);
  const rest = args[0] === 'help' ? ['help', ...toMeant(args.slice(1), aliases)] : toMeant(args, aliases);
  if (rest.length === 0 && hasFlag(argv, '--version', '-v')) return { kind: 'version' };
  if (rest[0] === 'help') return { kind: 'help', words: rest.slice(1).filter(word => !word.startsWith('-')) };
  const firstFlag = rest.findIndex(word => word.startsWith('-'));
  const words = firstFlag < 0 ? rest : rest.slice(0, firstFlag);
  const count = wordCounts.find(length => words.length >= length && ids.includes(words.slice(0, length).join(':')));
  const id = words.slice(0, count ?? 0).join(':');
  if (isHelpAsked(id, argv, rest.slice(count ?? 0))) return { kind: 'help', words: count ? id.split(':') : words };
  if (count) return { kind: 'command', id, argv: [...leading, ...rest.slice(count)] };
  if (ids.some(known => isPrefix(words, known)) || words.length === 0) return { kind: 'help', words };
  return { kind: 'unknown', words, suggestion: suggest(words, vocabulary) };
}
