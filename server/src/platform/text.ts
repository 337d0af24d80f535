// Text comparison and shortening.

/** For comparing, sorting and searching: ignores case and compatibility forms. */
export const foldText = (text: string): string => text.normalize('NFKC').toLowerCase();

/** The start of a text, as one line of at most this many characters. */
export function toOneLine(text: string, maxCharacters: number): string {
  const characters = [...text.replace(/\s+/gu, ' ').trim()];
  if (characters.length <= maxCharacters) return characters.join('');
  return `${characters.slice(0, maxCharacters - 1).join('')}…`;
}
