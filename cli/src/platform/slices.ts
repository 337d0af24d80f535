// Lists with a cursor: their flags, their query, and the note below a slice.
import { integer, string } from '@oclif/core/flags';
import { recordId } from '@recordproof/shared/api/common.ts';
import { parseField } from './fields.ts';

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
