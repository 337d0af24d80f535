// Paged lists: their flags, their query, and the note below a page.
import { string } from '@oclif/core/flags';
import { Fixable } from './fixable.ts';

type PageFlags = { readonly page: string; readonly size: string; readonly sort?: string | undefined };
type PageFigures = { readonly total: number; readonly current: number; readonly pages: number };

/** The server checks the range; a value that is no number is an error here. */
function toQuery({ page, size, sort }: PageFlags) {
  for (const [flag, text] of Object.entries({ page, size }))
    if (!/^[0-9]{1,10}$/.test(text)) throw new Fixable('usage', `--${flag} must be a number`);
  return { page: Number(page), size: Number(size), ...(sort !== undefined && { sort }) };
}

/** `one` and `many`: the noun for the rows, singular and plural. */
export const pagesOf = (one: string, many: string, sortable: readonly string[]) => ({
  flags: {
    page: string({ helpValue: '<n>', default: '1', summary: 'Which page, from 1 on.' }),
    size: string({ helpValue: '<n>', default: '20', summary: 'How many on a page, at most 100.' }),
    sort: string({ helpValue: '<field>', summary: `${sortable.join(', ')}; then ,asc or ,desc.` }),
  },
  toQuery,
  note: ({ total, current, pages }: PageFigures): string =>
    total === 0 ? `no ${many}` : `page ${current} of ${pages}, ${total} ${total === 1 ? one : many}`,
});
