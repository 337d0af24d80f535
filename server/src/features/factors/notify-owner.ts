import type { Time, Tx } from '../../platform/db/tables.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import { type FactorChange, factorNoticeKind } from './send-notice.ts';

/** Mails the owner after the commit. */
export const notifyOwner = (tx: Tx, email: string, change: FactorChange, now: Time): Promise<void> =>
  enqueue(tx, { kind: factorNoticeKind, payload: { address: email, change } }, now);
