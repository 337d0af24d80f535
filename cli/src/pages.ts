// Lists that come page by page: their flags, and the word that is said below a page.
import { string } from '@oclif/core/flags';
import { Fixable } from './fixable.ts';

export const pageFlagsOf = (sortable: readonly string[]) => ({
  page: string({ helpValue: '<n>', default: '1', summary: 'Which page, from 1 on.' }),
  size: string({ helpValue: '<n>', default: '20', summary: 'How many on a page, at most 100.' }),
  sort: string({ helpValue: '<field>', summary: `${sortable.join(', ')}; then ,asc or ,desc.` }),
});

/** The server checks the values; what is no number at all is said here. */
export function toPageQuery(flags: { page: string; size: string; sort?: string | undefined }) {
  for (const name of ['page', 'size'] as const) {
    if (!/^[0-9]{1,10}$/.test(flags[name])) throw new Fixable('usage', `--${name} must be a number`);
  }
  return { page: Number(flags.page), size: Number(flags.size), ...(flags.sort !== undefined && { sort: flags.sort }) };
}

type PageFigures = { readonly total: number; readonly current: number; readonly pages: number };

export const pageNoteOf =
  (one: string, many: string) =>
  ({ total, current, pages }: PageFigures): string =>
    total === 0 ? `no ${many}` : `page ${current} of ${pages}, ${total} ${total === 1 ? one : many}`;
