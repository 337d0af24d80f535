// What a completion carries from step to step.
import type { ErrorKind } from '@recordproof/shared/api/errors.ts';
import type { Call, Party } from '../../platform/call.ts';
import type { Key } from '../../platform/db/tables.ts';
import type { KeyWait } from '../envelopes/index.ts';

/** Why a completion came to nothing; `again` when the client may mend it and call once more. */
export type Failure = { readonly kind: ErrorKind; readonly message: string; readonly again: boolean };

export type FinalizeData = KeyWait & {
  readonly uploadId: Key;
  readonly attempt: number;
  /** Who completes it; of those that an older server began it is not known. */
  readonly call?: Call<Party>;
  readonly failure?: Failure;
  readonly contentHash?: string;
  readonly fileId?: Key;
  readonly transactionHash?: string;
};
