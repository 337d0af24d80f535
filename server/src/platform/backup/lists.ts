// Lists of any length, stored as pieces of bounded size: JSON lines, a fixed number per page. The pages' digests
// authenticate the whole list.
import { jsonOrNone } from '@recordproof/shared/json-or-none.ts';
import type { z } from 'zod';
import { type Piece, PieceDamaged, type Pieces } from './pieces.ts';

/** An entry has at most a few hundred bytes. */
const entriesPerPage = 4000;

/** Takes entries in order and writes each page when it is full. */
export class ListWriter<Entry> {
  readonly #pieces: Pick<Pieces, 'put'>;
  readonly #pages: Piece[] = [];
  #open: string[] = [];

  constructor(pieces: Pick<Pieces, 'put'>) {
    this.#pieces = pieces;
  }

  async add(entry: Entry): Promise<void> {
    this.#open.push(JSON.stringify(entry));
    if (this.#open.length >= entriesPerPage) await this.#close();
  }

  /** The list's pages; no entry may be added afterwards. */
  async end(): Promise<Piece[]> {
    if (this.#open.length > 0) await this.#close();
    return this.#pages;
  }

  async #close(): Promise<void> {
    const lines = this.#open.map(line => `${line}\n`).join('');
    this.#open = [];
    this.#pages.push(await this.#pieces.put(Buffer.from(lines)));
  }
}

/** Yields the entries page by page; throws `PieceDamaged`. */
export async function* readPages<S extends z.ZodType>(
  pieces: Pick<Pieces, 'read'>,
  pages: readonly Piece[],
  entry: S,
): AsyncGenerator<z.output<S>[]> {
  for (const page of pages) yield await readPage(pieces, page, entry);
}

export async function readPage<S extends z.ZodType>(
  pieces: Pick<Pieces, 'read'>,
  page: Piece,
  entry: S,
): Promise<z.output<S>[]> {
  const lines = (await pieces.read(page)).toString('utf8').split('\n').slice(0, -1);
  return lines.map(line => {
    const parsed = entry.safeParse(jsonOrNone(line));
    if (parsed.success) return parsed.data;
    throw new PieceDamaged(page, 'a list of the backup has an entry that this version does not know.');
  });
}
