// The data of a completion saga.
import type { ErrorKind } from '@recordproof/shared/api/errors.ts';
import type { Call, Party } from '../../platform/call.ts';
import type { Key } from '../../platform/db/tables.ts';
import type { KeyWait } from '../envelopes/index.ts';

/** Why a completion failed; `again` if the client can correct it and retry. */
export type Failure = { readonly kind: ErrorKind; readonly message: string; readonly again: boolean };

export type FinalizeData = KeyWait & {
  readonly uploadId: Key;
  readonly attempt: number;
  /** The call that completes it; unknown for sagas started by an older server. */
  readonly call?: Call<Party>;
  readonly failure?: Failure;
  readonly contentHash?: string;
  readonly fileId?: Key;
  readonly transactionHash?: string;
};
