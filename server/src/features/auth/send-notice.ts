// Mail notices to account owners: the address was changed, or a sign-in came from a new device.
import { mailWords } from '@recordproof/shared/words/mails.ts';
import { toIso } from '../../platform/clock.ts';
import type { JobHandler } from '../../platform/jobs/jobs.ts';
import { mailLanguage } from '../../platform/mail/mail.ts';
import { mailJob } from '../../platform/mail/mail-job.ts';
import type { Server } from '../../platform/server.ts';

export const noticeJobKind = 'auth.notice-of-change';
export const newDeviceMailKind = 'auth.notice-of-device';

const sending = (kind: string, run: JobHandler['run']): JobHandler => ({
  ...mailJob(kind, run),
  runsInMaintenance: true,
});

type Mailing = Pick<Server, 'mail' | 'config'>;

export const sendNoticeJob = ({ mail, config }: Mailing): JobHandler =>
  sending(noticeJobKind, async ({ payload }) => {
    const { subject, text } = mailWords[mailLanguage(payload, config.mail)].address;
    await mail.send({ to: String(payload.address), subject, text });
  });

export const sendNewDeviceJob = ({ mail, config }: Mailing): JobHandler =>
  sending(newDeviceMailKind, async ({ payload }) => {
    const { subject, text, unknown } = mailWords[mailLanguage(payload, config.mail)].device;
    const device = String(payload.device) || unknown;
    await mail.send({
      to: String(payload.address),
      subject,
      text: text(device, String(payload.ip), toIso(Number(payload.at))),
    });
  });
