// What the commands around backfills read from the command line.
import { boolean, integer, string } from '@oclif/core/flags';
import { recordId } from '@recordproof/shared/api/common.ts';
import { parseField } from '../platform/fields.ts';

export const watchFlags = {
  watch: boolean({ summary: 'Stay and show how far it is, until it is over.' }),
  every: integer({ helpValue: '<seconds>', min: 1, max: 3600, default: 2, summary: 'Time between two looks.' }),
};

export const sliceFlags = {
  limit: integer({ helpValue: '<n>', min: 1, max: 100, default: 50, summary: 'How many at most.' }),
  after: string({ helpValue: '<id>', summary: 'Begin behind this one.' }),
};

type SliceValues = { readonly limit: number; readonly after?: string | undefined };

export const toSliceQuery = ({ limit, after }: SliceValues) => ({
  limit: String(limit),
  ...(after !== undefined && { cursor: parseField('--after', recordId, after) }),
});
