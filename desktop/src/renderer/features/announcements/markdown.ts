// Markdown parser for the safe subset: headings, lists, code, emphasis. Everything else, links and pictures too, stays text.
export type Span = { readonly kind: 'text' | 'strong' | 'em' | 'code'; readonly text: string };

export type Block =
  | { readonly kind: 'heading' | 'paragraph'; readonly spans: readonly Span[] }
  | { readonly kind: 'list'; readonly isNumbered: boolean; readonly items: readonly (readonly Span[])[] }
  | { readonly kind: 'code'; readonly text: string };

const emphasis = /\*\*([^*\n]+)\*\*|\*([^*\s][^*\n]*)\*|`([^`\n]+)`/g;

export function toSpans(text: string): Span[] {
  const spans: Span[] = [];
  let end = 0;
  for (const match of text.matchAll(emphasis)) {
    const [whole, strong, em, code] = match;
    if (match.index > end) spans.push({ kind: 'text', text: text.slice(end, match.index) });
    if (strong !== undefined) spans.push({ kind: 'strong', text: strong });
    else if (em !== undefined) spans.push({ kind: 'em', text: em });
    else spans.push({ kind: 'code', text: code ?? '' });
    end = match.index + whole.length;
  }
  if (end < text.length) spans.push({ kind: 'text', text: text.slice(end) });
  return spans;
}

const kinds = {
  heading: /^#{1,6} +(.*)$/,
  list: /^ {0,3}[-*+] +(.*)$/,
  numbered: /^ {0,3}\d{1,9}[.)] +(.*)$/,
} as const;
type Line = { readonly kind: keyof typeof kinds | 'text' | 'empty'; readonly text: string };

function toLine(line: string): Line {
  if (line.trim() === '') return { kind: 'empty', text: '' };
  for (const kind of ['heading', 'list', 'numbered'] as const) {
    const [, text] = kinds[kind].exec(line) ?? [];
    if (text !== undefined) return { kind, text };
  }
  return { kind: 'text', text: line };
}

function toBlock(kind: Line['kind'], lines: readonly string[]): Block {
  if (kind === 'list' || kind === 'numbered')
    return { kind: 'list', isNumbered: kind === 'numbered', items: lines.map(toSpans) };
  return { kind: kind === 'heading' ? 'heading' : 'paragraph', spans: toSpans(lines.join('\n')) };
}

/** Consecutive lines of one kind are one block; each heading is its own. */
function toBlocks(text: string): Block[] {
  const blocks: Block[] = [];
  let collected: string[] = [];
  let kind: Line['kind'] = 'empty';
  const finish = () => {
    if (collected.length > 0) blocks.push(toBlock(kind, collected));
    collected = [];
  };
  for (const line of text.split(/\r?\n/).map(toLine)) {
    if (line.kind !== kind || line.kind === 'heading') finish();
    kind = line.kind;
    if (line.kind !== 'empty') collected.push(line.text);
  }
  finish();
  return blocks;
}

/** Between fences everything is code. */
export const parseMarkdown = (text: string): Block[] =>
  text
    .split(/^```.*$/m)
    .flatMap((part, at): Block[] => (at % 2 === 0 ? toBlocks(part) : [{ kind: 'code', text: part.trim() }]));
