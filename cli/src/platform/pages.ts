// Lists in pages, or in slices behind a cursor: their flags, their query, and the note below them.
import { integer, string } from '@oclif/core/flags';
import { maxPageSize, mostPages, recordId } from '@recordproof/shared/api/common.ts';
import { CommandError } from './command-error.ts';
import { parseField } from './fields.ts';

type PageFlags = { readonly page: string; readonly size: string; readonly sort?: string | undefined };
type PageFigures = { readonly total: number; readonly current: number; readonly pages: number };

function toCount(flag: string, text: string, most: number): number {
  const count = /^[0-9]{1,10}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= most) return count;
  throw new CommandError('usage', `--${flag} takes a number from 1 to ${most.toLocaleString('en')}, not "${text}"`);
}

const toQuery = ({ page, size, sort }: PageFlags) => ({
  page: toCount('page', page, mostPages),
  size: toCount('size', size, maxPageSize),
  ...(sort !== undefined && { sort }),
});

/** The records of all pages, each requested when it is due. */
export async function* walkPages<T>(
  list: (page: number) => Promise<{ readonly records: readonly T[]; readonly pages: number }>,
): AsyncGenerator<T> {
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const found = await list(page);
    yield* found.records;
    pages = found.pages;
  }
}

/** `one` and `many`: the noun for the rows, singular and plural. */
export const pagesOf = (one: string, many: string, sortable: readonly string[]) => ({
  flags: {
    page: string({ helpValue: '<n>', default: '1', summary: 'Which page, from 1 on.' }),
    size: string({ helpValue: '<n>', default: '20', summary: `How many on a page, at most ${maxPageSize}.` }),
    sort: string({ helpValue: '<field>', summary: `${sortable.join(', ')}; then ,asc or ,desc.` }),
  },
  toQuery,
  note: ({ total, current, pages }: PageFigures): string =>
    total === 0 ? `no ${many}` : `page ${current} of ${pages}, ${total} ${total === 1 ? one : many}`,
});

export type Slice<T> = { readonly records: readonly T[]; readonly nextCursor: string | null };

export const sliceFlags = {
  limit: integer({ helpValue: '<n>', min: 1, max: 100, default: 50, summary: 'How many at most.' }),
  after: string({ helpValue: '<id>', summary: 'Begin after this one.' }),
};

type SliceValues = { readonly limit: number; readonly after?: string | undefined };

export const toSliceQuery = ({ limit, after }: SliceValues) => ({
  limit: String(limit),
  ...(after !== undefined && { cursor: parseField('--after', recordId, after) }),
});

export const sliceNote = ({ records, nextCursor }: Slice<unknown>, many: string): string =>
  records.length === 0 ? `no ${many}` : nextCursor === null ? '' : `there are more: --after ${nextCursor}`;
