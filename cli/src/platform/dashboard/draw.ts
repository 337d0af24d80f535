// Drawing elements of the dashboards. Plain texts where possible, so that lines and screens have the same wording.
import { Box, type BoxProps, Text, type TextProps } from 'ink';
import { createElement as h, type ReactNode } from 'react';

const blocks = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;

/** The newest at the right end; the highest value has full height. */
export function sparkline(values: readonly number[], columns: number): string {
  const shown = values.slice(-Math.max(0, columns));
  const highest = Math.max(...shown, 0);
  const level = (value: number): number => (highest === 0 ? 0 : Math.round((value / highest) * (blocks.length - 1)));
  return shown.map(value => blocks[level(value)] ?? blocks[0]).join('');
}

export function bar(share: number, columns: number): string {
  const full = Math.floor(Math.min(1, Math.max(0, share)) * columns);
  return '█'.repeat(full) + '░'.repeat(Math.max(0, columns - full));
}

const mayColour = (): boolean => !process.env.NO_COLOR;

type Tone = 'good' | 'bad' | 'warning' | 'quiet' | 'strong';

const styles: Readonly<Record<Tone, TextProps>> = {
  good: { color: 'green' },
  bad: { color: 'red' },
  warning: { color: 'yellow' },
  quiet: { dimColor: true },
  strong: { bold: true },
};

/** One line, cut at the given width. */
export const line = (text: string, tone?: Tone): ReactNode =>
  h(Text, { wrap: 'truncate-end', ...(tone !== undefined && mayColour() && styles[tone]) }, text === '' ? ' ' : text);

export const panel = (width: number, ...lines: readonly ReactNode[]): ReactNode => {
  const frame: BoxProps = { borderStyle: 'round', flexDirection: 'column', paddingX: 1, width };
  return h(Box, { ...frame, ...(mayColour() && { borderDimColor: true }) }, ...lines);
};

export const stack = (...parts: readonly ReactNode[]): ReactNode => h(Box, { flexDirection: 'column' }, ...parts);

/** Names and values, below each other in two columns. */
export const fact = (name: string, value: string, tone?: Tone): ReactNode =>
  h(Box, {}, h(Box, { width: 12, flexShrink: 0 }, line(name, 'quiet')), line(value, tone));

type KeyHint = { readonly key: string; readonly does: string };

export const keyLine = (hints: readonly KeyHint[]): ReactNode =>
  line(hints.map(({ key, does }) => `${key} ${does}`).join('   '), 'quiet');
