// Mail notices to the owner of an account about changed factors.
import type { Origin } from '../../platform/call.ts';
import type { Time, Tx } from '../../platform/db/tables.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import { type FactorChange, factorNoticeKind } from './send-notice.ts';

type Told = Pick<Origin, 'language'> & { readonly email: string };

/** Mails the owner after the commit. */
export const notifyOwner = (tx: Tx, { email, language }: Told, change: FactorChange, now: Time): Promise<void> =>
  enqueue(tx, { kind: factorNoticeKind, payload: { address: email, change, language } }, now);
