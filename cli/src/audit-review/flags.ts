// Flags of the audit commands.
import type { Interfaces } from '@oclif/core';
import { boolean, option, string } from '@oclif/core/flags';
import { recordId } from '@recordproof/shared/api/common.ts';
import { parseField } from '../platform/fields.ts';
import { toTime } from '../platform/time-flags.ts';

export const spanFlags = {
  from: string({ helpValue: '<day or time>', summary: 'Nothing before this.' }),
  to: string({ helpValue: '<day or time>', summary: 'Nothing after this.' }),
};

export const toSpan = ({ from, to }: Interfaces.InferredFlags<typeof spanFlags>) => ({
  ...(from !== undefined && { startTime: toTime('--from', from) }),
  ...(to !== undefined && { endTime: toTime('--to', to, 'end') }),
});

export const userFlag = string({ helpValue: '<id>', summary: 'Only of this account, by its id.' });
export const toUserId = (text: string | undefined) =>
  text === undefined ? {} : { userId: parseField('User', recordId, text) };

export const filterFlags = {
  ...spanFlags,
  user: userFlag,
  username: string({ helpValue: '<name>', summary: 'Only under this user name.' }),
  module: string({ helpValue: '<name>', summary: 'Only of this module, as in the lists.' }),
  operation: string({ helpValue: '<name>', summary: 'Only of this operation.' }),
  status: option({ options: ['ok', 'error'] as const, summary: 'Only successful or only rejected operations.' })(),
  ip: string({ helpValue: '<address>', summary: 'Only from this address.' }),
};

const statusCodes = { ok: 0, error: 1 } as const;

export const toFilter = (flags: Interfaces.InferredFlags<typeof filterFlags>) => ({
  ...toSpan(flags),
  ...toUserId(flags.user),
  ...(flags.username !== undefined && { username: flags.username }),
  ...(flags.module !== undefined && { module: flags.module }),
  ...(flags.operation !== undefined && { operationType: flags.operation }),
  ...(flags.status !== undefined && { status: statusCodes[flags.status] }),
  ...(flags.ip !== undefined && { requestIp: flags.ip }),
});

export const outputFlags = {
  output: string({ char: 'o', helpValue: '<file>', summary: 'Where to write it.' }),
  force: boolean({ summary: 'Replace a file that exists.' }),
};
