// Worked examples of the specification: fenced blocks whose info string is `example <name>`, with one `key = value` a
// line, and blocks `text <name>`, which are taken verbatim.
import { readFileSync } from 'node:fs';

export function readExample(file: string, name: string): (key: string) => string {
  const values = new Map<string, string>();
  for (const line of readBlock(file, `example ${name}`).split('\n')) {
    const split = line.indexOf(' = ');
    if (split > 0) values.set(line.slice(0, split), line.slice(split + 3));
  }
  return key => {
    const value = values.get(key);
    if (value === undefined) throw new Error(`${file}: the example ${name} has no value ${key}`);
    return value;
  };
}

export const readText = (file: string, name: string): string => readBlock(file, `text ${name}`);

function readBlock(file: string, info: string): string {
  const text = readFileSync(new URL(`../../docs/spec/${file}`, import.meta.url), 'utf8');
  const start = text.indexOf(`\`\`\`${info}\n`);
  const from = start + info.length + 4;
  const end = text.indexOf('\n```\n', from - 1);
  if (start < 0 || end < 0) throw new Error(`${file} has no block "${info}"`);
  return text.slice(from, end + 1);
}
