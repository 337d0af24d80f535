// Tables in aligned columns that fit the terminal: ids are shortened to the part that still names them, long texts are
// cut, and --wide shows everything. Output that is no terminal is never cut.
import { printable } from './output.ts';
import { cutDistinctly, cutEnd, toWidth } from './text-width.ts';

/** Room for a text: columns of the terminal, Infinity where there is none. */
export type Room = { readonly columns: number; readonly isWide: boolean };

/** A text that is made for the given width. */
export type Fitting = (room: Room) => string;

export const roomOf = (isWide: boolean, stream: NodeJS.WriteStream = process.stdout): Room => ({
  columns: isWide || !stream.isTTY ? Number.POSITIVE_INFINITY : (stream.columns ?? 80),
  isWide,
});

type Cell<T> = (row: T) => string;
type Column<T> = {
  readonly cell: Cell<T>;
  readonly isExtra?: true;
  readonly isHash?: true;
  /** Gets all cells of the column, so that it can keep differing parts. */
  readonly cut?: (texts: readonly string[], columns: number) => readonly string[];
};

/** Only with --wide. */
export const extra = <T>(cell: Cell<T>): Column<T> => ({ cell, isExtra: true });
/** A long id: its beginning names it too. */
export const hash = <T>(cell: Cell<T>): Column<T> => ({ cell, isHash: true });
/** The end of a name is as significant as its beginning. */
export const name = <T>(cell: Cell<T>): Column<T> => ({ cell, cut: cutDistinctly });
export const words = <T>(cell: Cell<T>): Column<T> => ({
  cell,
  cut: (texts, columns) => texts.map(text => cutEnd(text, columns)),
});

export const shortHash = (text: string): string => text.slice(0, shortLength);
const shortLength = 12;
const leastWidth = 8;
const gap = 2;

type Columns<T> = Readonly<Record<string, Cell<T> | Column<T>>>;

/** A list, or a page or slice of one. */
type Rows<T> = readonly T[] | { readonly records: readonly T[] };

/** A list with a heading; empty for an empty list. */
export const tableOf =
  <T>(columns: Columns<T>) =>
  (list: Rows<T>): Fitting =>
  room => {
    const rows = 'records' in list ? list.records : list;
    if (rows.length === 0) return '';
    const shown = toShown(columns, room);
    return fit(shown, [shown.map(([heading]) => heading), ...toCells(shown, rows, room)], room);
  };

/** The same without a heading: a line for each result. */
export const linesOf =
  <T>(columns: Columns<T>) =>
  (rows: readonly T[]): Fitting =>
  room => {
    const shown = toShown(columns, room);
    return fit(shown, toCells(shown, rows, room), room);
  };

/** Texts below each other, with an empty line between; empty ones are left out. */
export const below =
  (...texts: readonly (string | Fitting)[]): Fitting =>
  room =>
    texts
      .map(text => (typeof text === 'string' ? text : text(room)))
      .filter(text => text !== '')
      .join('\n\n');

/** Rows as aligned columns, whatever their width; cells are made printable. */
export function alignRows(rows: readonly (readonly string[])[]): string {
  const clean = rows.map(row => row.map(printable));
  const widths = toWidths(clean);
  return clean
    .map(row =>
      row
        .map((cell, at) => pad(cell, widths[at] ?? 0))
        .join(' '.repeat(gap))
        .trimEnd(),
    )
    .join('\n');
}

type Shown<T> = readonly (readonly [heading: string, column: Column<T>])[];

const toShown = <T>(columns: Columns<T>, { isWide }: Room): Shown<T> =>
  Object.entries(columns)
    .map(([heading, column]) => [heading, typeof column === 'function' ? { cell: column } : column] as const)
    .filter(([, { isExtra }]) => isWide || !isExtra);

const toCells = <T>(shown: Shown<T>, rows: readonly T[], { isWide }: Room): string[][] =>
  rows.map(row =>
    shown.map(([, { cell, isHash }]) => {
      const text = printable(cell(row));
      return isHash && !isWide ? shortHash(text) : text;
    }),
  );

const toWidths = (rows: readonly (readonly string[])[]): number[] => {
  const columns = Math.max(0, ...rows.map(row => row.length));
  return Array.from({ length: columns }, (_none, at) => Math.max(...rows.map(row => toWidth(row[at] ?? ''))));
};

const pad = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - toWidth(text)));

function fit<T>(shown: Shown<T>, rows: readonly (readonly string[])[], { columns }: Room): string {
  const widths = shrink(shown, toWidths(rows), columns);
  const columnsCut = shown.map(([, { cut }], at) =>
    cut?.(
      rows.map(row => row[at] ?? ''),
      widths[at] ?? 0,
    ),
  );
  return alignRows(rows.map((row, number) => row.map((cell, at) => columnsCut[at]?.[number] ?? cell)));
}

/** Narrows the widest column that may be cut until all fit, or no column can be cut further. */
function shrink<T>(shown: Shown<T>, widths: readonly number[], columns: number): number[] {
  const shrunk = [...widths];
  const total = (): number => shrunk.reduce((sum, width) => sum + width + gap, -gap);
  for (;;) {
    const over = total() - columns;
    const cuttable = shown.flatMap(([, { cut }], at) => (cut && (shrunk[at] ?? 0) > leastWidth ? [at] : []));
    const widest = cuttable.toSorted((a, b) => (shrunk[b] ?? 0) - (shrunk[a] ?? 0))[0];
    if (over <= 0 || widest === undefined) return shrunk;
    const next = Math.max(leastWidth, ...cuttable.filter(at => at !== widest).map(at => shrunk[at] ?? 0));
    const width = shrunk[widest] ?? 0;
    shrunk[widest] = Math.max(leastWidth, Math.min(width - 1, Math.max(next, width - over)));
  }
}
