// Text as people read it: what counts as the same, and what fits into a line.

/** For comparing, sorting and searching: case and forms of the same letter do not count. */
export const foldText = (text: string): string => text.normalize('NFKC').toLowerCase();

/** The beginning of a text, in one line of at most so many characters. */
export function toOneLine(text: string, maxCharacters: number): string {
  const characters = [...text.replace(/\s+/gu, ' ').trim()];
  if (characters.length <= maxCharacters) return characters.join('');
  return `${characters.slice(0, maxCharacters - 1).join('')}…`;
}
