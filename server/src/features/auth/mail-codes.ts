// Six-digit mail codes that prove an address: three minutes, five attempts, single use, stored as digests. One request
// per minute for an address, and for a caller; answer and timing are the same for every address, because the job decides
// later what is mailed.
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { Delivery, MailCodeType } from '@recordproof/shared/api/auth.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { mailWords } from '@recordproof/shared/words/mails.ts';
import type { Language } from '@recordproof/shared/words/words.ts';
import type { Origin } from '../../platform/call.ts';
import type { Tx } from '../../platform/db/tables.ts';
import { toAddressKey } from '../../platform/http/rate-limit.ts';
import { newMailCode } from '../../platform/ids.ts';
import { enqueue, type JobHandler } from '../../platform/jobs/jobs.ts';
import { mailLanguage } from '../../platform/mail/mail.ts';
import type { Server } from '../../platform/server.ts';
import { findAccountByEmail } from '../accounts/index.ts';
import { deleteMailCode, findMailCode, setMailCodeDigest, startMailCode, tryMailCode } from './queries.ts';

const mailCodeLifetimeMs = 3 * 60_000;
const mailCodeTries = 5;

const digestMailCode = (pepper: KeyObject, email: string, type: MailCodeType, code: string): string =>
  createHmac('sha256', pepper).update(`mail code\n${type}\n${email}\n${code}`).digest('base64url');

type Claim = { readonly email: string; readonly type: MailCodeType; readonly code: string };

/**
 * Does the work that the code authorizes. A wrong code uses up an attempt; if the work itself is rejected (a taken user
 * name, for example), the code stays valid.
 */
export async function withMailCode<T>(
  { database, keys, clock }: Pick<Server, 'database' | 'keys' | 'clock'>,
  claim: Claim,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const outcome = await database.db.transaction().execute(async tx => {
    if (!(await redeem(tx, keys.pepper, claim, clock.now()))) return { redeemed: false as const };
    return { redeemed: true as const, value: await work(tx) };
  });
  if (!outcome.redeemed) throw new ApiError('AUTH_CODE_ERROR');
  return outcome.value;
}

async function redeem(tx: Tx, pepper: KeyObject, { email, type, code }: Claim, now: number): Promise<boolean> {
  const row = await tryMailCode(tx, email, type, now);
  if (!row?.code_digest) return false;
  const matches = timingSafeEqual(Buffer.from(row.code_digest), Buffer.from(digestMailCode(pepper, email, type, code)));
  if (matches) await deleteMailCode(tx, row.id);
  return matches;
}

type MailCodeReceipt = { readonly expiresIn: number; readonly retryAfter: number; readonly delivery: Delivery };

const jobKind = 'auth.send-mail-code';

type Counting = Pick<Server, 'counters' | 'clock' | 'config'>;

async function rejectTooSoon({ counters, clock, config }: Counting, who: string): Promise<void> {
  const intervalSeconds = config.accounts.mailCodeIntervalSeconds;
  if (intervalSeconds === 0) return;
  const hit = await counters.shared.hit(`mail-code:${who}`, 1, intervalSeconds * 1000, clock.now());
  if (hit.allowed) return;
  const seconds = Math.max(1, Math.ceil((hit.resetAtMs - clock.now()) / 1000));
  throw new ApiError('RATE_LIMITED', `a code was requested recently; try again in ${seconds} s`, {
    retryAfterSeconds: seconds,
  });
}

export async function requestMailCode(
  server: Counting & Pick<Server, 'database'>,
  { ip, language }: Origin,
  body: { email: string; type: MailCodeType },
): Promise<MailCodeReceipt> {
  await rejectTooSoon(server, toAddressKey(ip));
  await rejectTooSoon(server, `to:${body.email}`);
  const now = server.clock.now();
  await server.database.db.transaction().execute(async tx => {
    const id = await startMailCode(tx, { ...body, tries: mailCodeTries, now, expiresAt: now + mailCodeLifetimeMs });
    if (id !== null) await enqueue(tx, { kind: jobKind, payload: { mailCodeId: id, language } }, now);
  });
  const delivery = server.config.mail.kind === 'smtp' ? 'smtp' : 'file';
  const retryAfter = server.config.accounts.mailCodeIntervalSeconds;
  return { expiresIn: mailCodeLifetimeMs / 1000, retryAfter, delivery };
}

/** Generates the code when the mail is sent, so that it is readable only in the mail. */
export const sendMailCodeJob = ({
  database: { db },
  clock,
  mail,
  keys,
  config,
}: Pick<Server, 'database' | 'clock' | 'mail' | 'keys' | 'config'>): JobHandler => ({
  kind: jobKind,
  runsInMaintenance: true,
  leaseSeconds: 60,
  maxAttempts: 4,
  backoffSeconds: attempt => attempt * 5,
  async run({ payload }) {
    const { mailCodeId } = payload as { mailCodeId: number };
    const row = await findMailCode(db, mailCodeId);
    if (!row || row.expires_at <= clock.now()) return;
    const type = row.type as MailCodeType;
    const hasAccount = (await findAccountByEmail(db, row.email)) !== null;
    const letter = letterFor(type, hasAccount, mailLanguage(payload, config.mail));
    if (letter.kind === 'none') return;
    if (letter.kind === 'notice') return mail.send({ to: row.email, subject: letter.subject, text: letter.text });
    const code = newMailCode();
    await setMailCodeDigest(db, row.id, digestMailCode(keys.pepper, row.email, type, code));
    await mail.send({ to: row.email, subject: letter.subject, text: letter.text.replace('{code}', code) });
  },
});

type Letter = { kind: 'none' } | { kind: 'notice' | 'code'; subject: string; text: string };

function letterFor(type: MailCodeType, hasAccount: boolean, language: Language): Letter {
  const texts = mailWords[language].code;
  if (type === 'reset' && !hasAccount) return { kind: 'none' };
  if (type !== 'reset' && hasAccount) return { kind: 'notice', subject: texts.knownSubject, text: texts.known };
  return { kind: 'code', subject: texts.subject, text: `${texts[type]}\n\n    {code}\n\n${texts.closing}\n` };
}
