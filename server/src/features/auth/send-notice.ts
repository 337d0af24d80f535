// Mail notices to account owners: the address was changed, or a sign-in came from a new device.
import { toIso } from '../../platform/clock.ts';
import { exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';

export const noticeJobKind = 'auth.notice-of-change';
export const newDeviceMailKind = 'auth.notice-of-device';

const addressText =
  'The RecordProof account that used this address now uses another one.\n\nIf this was not you: tell the administrators of your server at once.\n';

const toDeviceText = (device: string, ip: string, at: string): string =>
  [
    'Your RecordProof account was signed in to from a device or an address that is new to it.',
    '',
    `Device:  ${device === '' ? 'unknown' : device}`,
    `Address: ${ip}`,
    `Time:    ${at}`,
    '',
    'If this was not you: change your password, which ends every other session.',
    '',
  ].join('\n');

const sending = (kind: string, run: JobHandler['run']): JobHandler => ({
  kind,
  runsInMaintenance: true,
  leaseSeconds: 60,
  maxAttempts: 8,
  backoffSeconds: exponentialBackoff(10, 3600),
  run,
});

export const sendNoticeJob = ({ mail }: Pick<Server, 'mail'>): JobHandler =>
  sending(noticeJobKind, async ({ payload }) => {
    await mail.send({
      to: String(payload.address),
      subject: 'Your RecordProof address was changed',
      text: addressText,
    });
  });

export const sendNewDeviceJob = ({ mail }: Pick<Server, 'mail'>): JobHandler =>
  sending(newDeviceMailKind, async ({ payload }) => {
    await mail.send({
      to: String(payload.address),
      subject: 'New sign-in to your RecordProof account',
      text: toDeviceText(String(payload.device), String(payload.ip), toIso(Number(payload.at))),
    });
  });
