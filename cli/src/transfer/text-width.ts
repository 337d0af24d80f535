// How many columns a terminal gives to a text. Terminals differ in rare scripts; where they do, the wider answer is safe.

const wide =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u;
const without = /[\p{Mn}\p{Me}\p{Cf}]/u;

export function toWidth(text: string): number {
  let columns = 0;
  for (const character of text) columns += without.test(character) ? 0 : wide.test(character) ? 2 : 1;
  return columns;
}
