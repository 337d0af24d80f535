// Maintenance of drop links: issues receipts left by a crash, deletes ended uploads, and mails owners about received
// files. One that fails does not stop the others; the job then fails at its end.
import { type MailTexts, mailWords } from '@recordproof/shared/words/mails.ts';
import type { Key } from '../../platform/db/tables.ts';
import { exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import { MailFailed, type MailMessage } from '../../platform/mail/mail.ts';
import type { Server } from '../../platform/server.ts';
import { findAccount } from '../accounts/index.ts';
import { listUploadsOf } from '../upload-sessions/index.ts';
import { issueReceipt } from './issue-receipt.ts';
import {
  type ArrivalRow,
  deleteArrival,
  findLinkById,
  type LinkRow,
  listAllUnderWay,
  listMailDue,
  lockLink,
  updateLink,
} from './queries.ts';
import { isUnderWay, ownerOfLink, toClientId } from './send-file.ts';

export const maintenanceJobKind = 'drop-links.sweep';
const batch = 100;

export const maintenanceJob = (server: Server): JobHandler => ({
  kind: maintenanceJobKind,
  leaseSeconds: 120,
  maxAttempts: 5,
  backoffSeconds: exponentialBackoff(10, 300),
  run: async job => {
    const { db } = server.database;
    const failures: unknown[] = [];
    const attempt = (work: Promise<void>) => work.catch(error => void failures.push(error));
    for (let after: Key = 0, found = batch; found === batch; ) {
      const arrivals = await listAllUnderWay(db, after, batch);
      for (const arrival of arrivals) {
        job.signal.throwIfAborted();
        await attempt(finishArrival(server, arrival));
      }
      found = arrivals.length;
      after = arrivals.at(-1)?.id ?? after;
      await job.keepLease();
    }
    for (const link of await listMailDue(db, server.clock.now(), batch)) {
      job.signal.throwIfAborted();
      await attempt(mailOwner(server, link));
    }
    if (failures.length > 0) throw failures[0];
  },
});

async function finishArrival(server: Server, arrival: ArrivalRow): Promise<void> {
  const { db } = server.database;
  const link = await findLinkById(db, arrival.link_id);
  if (link === null) return;
  const clientId = toClientId(arrival);
  const upload = (await listUploadsOf(db, ownerOfLink(link), [clientId])).get(clientId);
  if (upload?.status === 'COMPLETED' && upload.file_id !== null) await issueReceipt(server, arrival, upload.file_id);
  else if (!isUnderWay(arrival, upload, server.clock.now()))
    await db.transaction().execute(tx => deleteArrival(tx, arrival.id));
}

const toText = ({ title, path }: LinkRow, files: number, app: string, texts: MailTexts['arrivals']): string =>
  `${texts.lead(files, title)}${path === null ? '' : texts.folder(path)}${texts.end}\n\n${texts.text}\n\n${app}\n`;

/** Sent before it is recorded: after a crash in between the mail is sent twice rather than never. */
async function mailOwner(server: Server, due: LinkRow): Promise<void> {
  const { database, clock, baseUrl, config } = server;
  const texts = mailWords[config.mail.language].arrivals;
  const owner = await findAccount(database.db, due.tenant_id, due.owner_id);
  const files = due.arrived_files - due.mailed_files;
  if (owner?.status === 'ACTIVE' && owner.deleted_at === null && files > 0)
    await sendOnce(server, due, {
      to: owner.email,
      subject: texts.subject(files, due.title),
      text: toText(due, files, `${baseUrl()}/app`, texts),
    });
  await database.db.transaction().execute(async tx => {
    const link = await lockLink(tx, database.kind, due.id);
    if (link === null) return;
    const isMore = link.arrived_files > due.arrived_files;
    await updateLink(tx, link.id, {
      mailed_files: due.arrived_files,
      mail_at: isMore ? clock.now() + 60_000 : null,
    });
  });
}

/** A message rejected for good is not tried again. */
async function sendOnce({ mail, log }: Server, { id }: LinkRow, message: MailMessage): Promise<void> {
  try {
    await mail.send(message);
  } catch (error) {
    if (!(error instanceof MailFailed) || error.retryable) throw error;
    log.warn({ dropLinkId: id, reason: error.message }, 'the owner of a drop link was not mailed about received files');
  }
}
