// Which account an administrator means: by its user name, e-mail address or external id. Nobody is guessed.
import { string } from '@oclif/core/args';
import { string as flag } from '@oclif/core/flags';
import { type Account, listUsers } from '@recordproof/shared/api/accounts.ts';
import type { Client } from '@recordproof/shared/api/client.ts';
import { externalIdPattern } from '@recordproof/shared/api/common.ts';
import { Fixable } from '../platform/fixable.ts';
import { printable } from '../platform/output.ts';

export const userArgument = {
  user: string({ required: true, description: 'The account: its user name, e-mail address or external id.' }),
};

export const reasonFlag = {
  reason: flag({ helpValue: '<text>', summary: 'Why; it goes to the audit log.' }),
};

const fold = (name: string): string => name.normalize('NFKC').toLowerCase();

export async function findUser(client: Client, who: string): Promise<Account> {
  const isMeant = ({ username, email, externalId }: Account): boolean =>
    externalId === who || fold(username) === fold(who) || email === who.toLowerCase();
  // No search knows external ids.
  const keyword = externalIdPattern.test(who) ? {} : { keyword: who };
  for (let page = 1, pages = 1; page <= pages && who.trim() !== ''; page += 1) {
    const found = await client.call(listUsers, { query: { ...keyword, page, size: 100, sort: 'username,asc' } });
    const match = found.records.find(isMeant);
    if (match) return match;
    pages = found.pages;
  }
  throw new Fixable('refused', `there is no account "${printable(who)}" in the tenant`, {
    try: 'recordproof admin users list --keyword <part of the name>',
  });
}
