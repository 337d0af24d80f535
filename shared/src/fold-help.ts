// Folding of a help text to the width of the terminal. A row is two spaces, what is typed, two or more spaces, and its
// meaning; lines with deeper indentation continue the row above.

const rowPattern = /^( {2,}\S.* {2,})(\S.*)$/;
const furtherPattern = /^ {8,}(?! )(.+)$/;
const furtherIn = 6;

/** The text in lines of at most that many columns. */
function toLines(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/ +/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= columns) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** `before`: the text before the meaning, whose width is the indentation. */
function foldRow(before: string, meaning: string, columns: number): string[] {
  const hasRoom = before.length <= columns / 2;
  const start = hasRoom ? before.length : furtherIn;
  const further = toLines(meaning, columns - start).map(line => `${' '.repeat(start)}${line}`);
  return hasRoom ? [before + further[0]?.trimStart(), ...further.slice(1)] : [before.trimEnd(), ...further];
}

/** Groups of lines: a row with its continuation, consecutive sentences, or a single other line. */
function toBlocks(text: string): string[][] {
  const blocks: string[][] = [];
  let kind = '';
  for (const line of text.split('\n')) {
    const goesOn = (kind === 'row' && furtherPattern.test(line)) || (kind === 'words' && /^\S/.test(line));
    if (goesOn) blocks.at(-1)?.push(line);
    else blocks.push([line]);
    if (!goesOn) kind = rowPattern.test(line) ? 'row' : /^\S/.test(line) ? 'words' : '';
  }
  return blocks;
}

function foldBlock(lines: readonly string[], columns: number): readonly string[] {
  if (lines.every(line => line.length <= columns)) return lines;
  const [first = '', ...others] = lines;
  const [, before, meaning = ''] = rowPattern.exec(first) ?? [];
  if (before === undefined) return first.startsWith(' ') ? lines : toLines(lines.join(' '), columns);
  return foldRow(before, [meaning, ...others.map(line => line.trim())].join(' '), columns);
}

/** Unchanged if it fits, or if the width is unknown. */
export const foldHelp = (text: string, columns = Number.POSITIVE_INFINITY): string =>
  toBlocks(text)
    .flatMap(block => foldBlock(block, columns))
    .join('\n');
