// Entries of the command palette, and how they match what was typed.
import type { IconName } from '../../ui/icon.tsx';

export type NavigationEntry = { readonly title: string; readonly icon: IconName; readonly href: string };

export type Entry = {
  readonly id: string;
  readonly kind: 'screen' | 'file' | 'action';
  readonly icon: IconName;
  readonly title: string;
  readonly run: () => void;
};

/** The title contains every typed word, in any order; titles that begin with the first word come first. */
export function fitting(entries: readonly Entry[], typed: string): Entry[] {
  const typedWords = typed.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const [first = ''] = typedWords;
  const fits = entries.filter(({ title }) => typedWords.every(word => title.toLocaleLowerCase().includes(word)));
  const begins = ({ title }: Entry) => (title.toLocaleLowerCase().startsWith(first) ? 0 : 1);
  return fits.toSorted((a, b) => begins(a) - begins(b));
}
