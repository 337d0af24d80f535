// Suggestions for a mistyped name.

/** Edit distance: insertions, deletions, substitutions, and swaps of neighbours. */
function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_none, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? 0;
  for (let i = 1; i <= a.length; i++) {
    rows.push([i]);
    for (let j = 1; j <= b.length; j++) {
      const change = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwap ? at(i - 2, j - 2) + 1 : change;
      rows[i]?.push(Math.min(change, swap, at(i - 1, j) + 1, at(i, j - 1) + 1));
    }
  }
  return at(a.length, b.length);
}

const longest = 64;
const most = 3;

/** The most similar names, best first. A common prefix is ignored in the comparison. */
export function listNearest(typed: string, names: readonly string[], prefix = ''): readonly string[] {
  const bare = (name: string): string => (name.startsWith(prefix) ? name.slice(prefix.length) : name);
  const word = bare(typed).slice(0, longest);
  const near = names
    .map(name => ({ name, distance: editDistance(word, bare(name)) }))
    .filter(({ name, distance }) => distance <= Math.max(1, Math.floor(Math.min(word.length, bare(name).length) / 3)))
    .sort((a, b) => a.distance - b.distance)
    .map(({ name }) => name);
  const inside = word.length >= 4 ? names.filter(name => bare(name).includes(word)) : [];
  return (near.length > 0 ? near : inside).slice(0, most);
}

/** A hint to append to an error message, or an empty text. */
export function hintAt(typed: string, names: readonly string[], prefix = ''): string {
  const close = listNearest(typed, names, prefix);
  return close.length === 0 ? '' : ` Did you mean ${close.join(' or ')}?`;
}
