// Asking for a code. The answer and the work done before it are the same for every address; what is mailed is decided
// later, by the job. One request per minute for an address, and for a caller.
import type { KeyObject } from 'node:crypto';
import type { MailCodeType } from '@recordproof/shared/api/auth.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Cluster } from '../../platform/cluster/cluster.ts';
import type { Db } from '../../platform/db/tables.ts';
import { toAddressKey } from '../../platform/http/rate-limit.ts';
import { newMailCode } from '../../platform/ids.ts';
import { enqueue, type JobHandler } from '../../platform/jobs/jobs.ts';
import type { Mail } from '../../platform/mail/mail.ts';
import { findAccountByEmail } from '../accounts/index.ts';
import { digestMailCode, mailCodeLifetimeMs, mailCodeTries } from './mail-codes.ts';
import { findMailCode, setMailCodeDigest, startMailCode } from './queries.ts';

type RequestPorts = {
  readonly db: Db;
  readonly clock: Clock;
  readonly counters: Pick<Cluster, 'hit'>;
  readonly intervalSeconds: number;
};

export type MailCodeReceipt = { readonly expiresIn: number; readonly retryAfter: number };

const jobKind = 'auth.send-mail-code';

async function refuseHaste({ counters, clock, intervalSeconds }: RequestPorts, who: string): Promise<void> {
  if (intervalSeconds === 0) return;
  const hit = await counters.hit(`mail-code:${who}`, 1, intervalSeconds * 1000, clock.now());
  if (hit.allowed) return;
  const seconds = Math.max(1, Math.ceil((hit.resetAtMs - clock.now()) / 1000));
  throw new ApiError('RATE_LIMITED', `a code was asked for a moment ago; try again in ${seconds} s`, {
    retryAfterSeconds: seconds,
  });
}

export async function requestMailCode(
  ports: RequestPorts,
  body: { email: string; type: MailCodeType },
  ip: string,
): Promise<MailCodeReceipt> {
  await refuseHaste(ports, toAddressKey(ip));
  await refuseHaste(ports, `to:${body.email}`);
  const now = ports.clock.now();
  await ports.db.transaction().execute(async tx => {
    const id = await startMailCode(tx, { ...body, tries: mailCodeTries, now, expiresAt: now + mailCodeLifetimeMs });
    await enqueue(tx, { kind: jobKind, payload: { mailCodeId: id } }, now);
  });
  return { expiresIn: mailCodeLifetimeMs / 1000, retryAfter: ports.intervalSeconds };
}

type SendPorts = { readonly db: Db; readonly clock: Clock; readonly mail: Mail; readonly pepper: KeyObject };

/** Draws the code at the last moment, so that it is readable nowhere but in the mail. */
export const sendMailCodeJob = (ports: SendPorts): JobHandler => ({
  kind: jobKind,
  leaseSeconds: 60,
  maxAttempts: 4,
  backoffSeconds: attempt => attempt * 5,
  async run({ payload }) {
    const { mailCodeId } = payload as { mailCodeId: number };
    const row = await findMailCode(ports.db, mailCodeId);
    if (!row || row.expires_at <= ports.clock.now()) return;
    const type = row.type as MailCodeType;
    const known = (await findAccountByEmail(ports.db, row.email)) !== null;
    const letter = letterFor(type, known);
    if (letter.kind === 'none') return;
    if (letter.kind === 'notice') return ports.mail.send({ to: row.email, subject: letter.subject, text: letter.text });
    const code = newMailCode();
    await setMailCodeDigest(ports.db, row.id, digestMailCode(ports.pepper, row.email, type, code));
    await ports.mail.send({ to: row.email, subject: letter.subject, text: letter.text.replace('{code}', code) });
  },
});

type Letter = { kind: 'none' } | { kind: 'notice' | 'code'; subject: string; text: string };

const closing = '\n\nIt works for three minutes. If you did not ask for it, you can ignore this mail.\n';

function letterFor(type: MailCodeType, known: boolean): Letter {
  if (type === 'reset' && !known) return { kind: 'none' };
  if (type !== 'reset' && known) {
    const text =
      'Somebody wanted to use this address for a RecordProof account, but it belongs to one already.\n\nIf it was you: log in, or reset the password.\n';
    return { kind: 'notice', subject: 'You already have a RecordProof account', text };
  }
  const purpose = {
    register: 'to open your account',
    reset: 'to set a new password',
    modify: 'to confirm this address',
  }[type];
  return { kind: 'code', subject: 'Your RecordProof code', text: `Your code ${purpose}:\n\n    {code}${closing}` };
}
