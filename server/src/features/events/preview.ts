// How much of a text is shown where only a line has room.
import { maxPreview } from '@recordproof/shared/api/events.ts';

/** The beginning, in one line of at most `maxPreview` characters. */
export function toPreview(text: string): string {
  const characters = [...text.replace(/\s+/gu, ' ').trim()];
  return characters.length <= maxPreview ? characters.join('') : `${characters.slice(0, maxPreview - 1).join('')}…`;
}
