// How accounts look on a terminal.
import type { Account } from '@recordproof/shared/api/accounts.ts';
import type { Page } from '@recordproof/shared/api/common.ts';
import { printable, toMinute } from '../platform/output.ts';
import { pagesOf } from '../platform/pages.ts';
import { alignRows, extra, type Fitting, name, tableOf } from '../platform/table.ts';

export const userPages = pagesOf('account', 'accounts', ['registerTime', 'username']);

const userLines = tableOf<Account>({
  USER: name(user => user.username),
  ROLE: user => user.role,
  STATUS: user => user.status.toLowerCase(),
  SINCE: user => toMinute(user.registerTime),
  NICKNAME: extra(user => user.nickname ?? '-'),
  'EXTERNAL ID': extra(user => user.externalId),
  'E-MAIL': name(user => user.email),
});

export const usersTable = ({ records }: Page<Account>): Fitting => userLines(records);

export const userText = (user: Account): string =>
  alignRows([
    ['user name', user.username],
    ['nickname', user.nickname ?? 'none'],
    ['e-mail', user.email],
    ['role', user.role],
    ['status', user.status.toLowerCase()],
    ['registered', user.registerTime],
    ['external id', user.externalId],
    ['id', user.id],
  ]);

export const standingNote = ({ username, role, status }: Account): string =>
  `${printable(username)} is ${status.toLowerCase()}, with the role ${role}`;
