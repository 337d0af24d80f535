// Warnings of expiring API tokens, mailed a week and a day before; for a service account, to the creator of the token.
import { mailWords } from '@recordproof/shared/words/mails.ts';
import { toUtcMinute } from '../../platform/clock.ts';
import type { Key } from '../../platform/db/tables.ts';
import { enqueue, exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import { mailJob } from '../../platform/mail/mail-job.ts';
import type { Server } from '../../platform/server.ts';
import { findAccount } from '../accounts/index.ts';
import { findNextWarning } from './policy.ts';
import { deleteEndedTokens, findToken, listToWarn, setNextWarning } from './queries.ts';

export const watchKind = 'api-tokens.watch';
const mailKind = 'api-tokens.mail';
const batch = 200;
/** Ended tokens are listed for this long. */
export const listedAfterEndMs = 30 * 24 * 3600_000;

export const watchJob = ({ database: { db }, clock }: Pick<Server, 'database' | 'clock'>): JobHandler => ({
  kind: watchKind,
  leaseSeconds: 60,
  maxAttempts: 3,
  backoffSeconds: exponentialBackoff(30, 300),
  run: async ({ signal }) => {
    const now = clock.now();
    await db.transaction().execute(tx => deleteEndedTokens(tx, now - listedAfterEndMs, now));
    for (let left = batch; left === batch && !signal.aborted; ) {
      const rows = await listToWarn(db, now, batch);
      left = rows.length;
      for (const row of rows) {
        await db.transaction().execute(async tx => {
          if (!(await setNextWarning(tx, row, findNextWarning(row.expires_at, now)))) return;
          if (row.expires_at <= now) return;
          const { tenant_id: tenantId, user_id: userId, id } = row;
          await enqueue(tx, { kind: mailKind, payload: { tenantId, userId, id } }, now);
        });
      }
    }
  },
});

export const warningJob = ({
  database: { db },
  mail,
  config,
}: Pick<Server, 'database' | 'mail' | 'config'>): JobHandler =>
  mailJob(mailKind, async ({ payload }) => {
    const { tenantId, userId, id } = payload as { tenantId: Key; userId: Key; id: Key };
    const token = await findToken(db, { tenantId, userId }, id);
    if (token === null || token.revoked_at !== null) return;
    const owner = await findAccount(db, tenantId, userId);
    const reader = owner?.kind === 'service' ? await findAccount(db, tenantId, token.created_by) : owner;
    if (!owner || !reader || reader.deleted_at !== null || reader.status !== 'ACTIVE') return;
    const texts = mailWords[config.mail.language].token;
    const text = texts.text(token.name, owner.username, toUtcMinute(token.expires_at));
    await mail.send({ to: reader.email, subject: texts.subject(token.name), text });
  });
