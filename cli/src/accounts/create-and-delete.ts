// `admin users create` and `admin users delete`.
import { randomBytes } from 'node:crypto';
import { string as argument } from '@oclif/core/args';
import { boolean, option, string } from '@oclif/core/flags';
import { createUser, deleteUser, type FilesOfDeleted, filesOfDeleted } from '@recordproof/shared/api/accounts.ts';
import { email, nickname, password, roles, username } from '@recordproof/shared/api/auth.ts';
import { getUserQuota } from '@recordproof/shared/api/user-quotas.ts';
import { command } from '../platform/command.ts';
import { confirm, reasonFlag, toReason, yesFlag } from '../platform/confirm.ts';
import { parseField } from '../platform/fields.ts';
import { printable, writeMessage } from '../platform/output.ts';
import { readSecretFromStdin } from '../platform/prompter.ts';
import { alignRows } from '../platform/table.ts';
import { toSize } from '../platform/units.ts';
import { findUser, userArgument } from './commands.ts';

const newPassword = (): string => randomBytes(15).toString('base64url');

export const create = command({
  summary: 'Create an account of the tenant',
  description:
    'Works also where registration is closed. Without --password-stdin a password is made up and printed, this once: pass it on, and have it changed. To let people choose their own, invite them: admin invitations create.',
  examples: [
    { command: 'admin users create alice --email alice@example.org', description: 'Prints a password' },
    {
      command: 'admin users create watch --email ops@example.org --role monitor --password-stdin < secret.txt',
      description: 'With a password of yours',
    },
  ],
  args: { user: argument({ required: true, description: 'The user name.' }) },
  flags: {
    email: string({ required: true, helpValue: '<address>', summary: 'E-mail address of the account.' }),
    role: option({ options: roles, default: 'user', summary: 'Role of the account.' })(),
    nickname: string({ summary: 'Shown to others besides the user name.' }),
    'password-stdin': boolean({ summary: 'Read the password from a pipe.' }),
  },
  async run({ flags, args, context }) {
    const called = flags.nickname === undefined ? undefined : parseField('Nickname', nickname, flags.nickname);
    const fields = {
      username: parseField('User name', username, args.user),
      email: parseField('E-mail', email, flags.email),
      role: flags.role,
      ...(called !== undefined && { nickname: called }),
    };
    const passwordInput = flags['password-stdin']
      ? parseField('Password', password, await readSecretFromStdin())
      : null;
    const madeUp = passwordInput === null ? newPassword() : null;
    const body = { ...fields, password: passwordInput ?? madeUp ?? '' };
    const user = await (await context.session()).call(createUser, { body });
    return { user, password: madeUp };
  },
  text: result =>
    alignRows([
      ['user name', result.user.username],
      ['role', result.user.role],
      ...(result.password === null ? [] : [['password', result.password]]),
    ]),
  note: result => (result.password === null ? '' : 'The password is not shown again. It should be changed.'),
});

const fates: Readonly<Record<FilesOfDeleted, string>> = {
  keep: 'Its files stay; administrators can read and delete them.',
  delete: 'Its files are deleted; their bytes are purged after the retention time.',
};

export const remove = command({
  summary: 'Delete an account for good',
  description:
    'Its sessions and share links end. Name, address, nickname, picture and password are erased; the audit log keeps the user name. Issued proofs stay verifiable. Files that were given to friends stay with them while they are kept. The last administrator and your own account cannot be deleted.',
  examples: [
    { command: 'admin users delete alice --files keep', description: 'Shows what there is, and asks' },
    { command: 'admin users delete alice --files delete --yes --reason "by request"', description: 'Does not ask' },
  ],
  args: userArgument,
  flags: {
    files: option({ options: filesOfDeleted, required: true, summary: 'What happens to its files.' })(),
    reason: reasonFlag,
    yes: yesFlag,
  },
  async run({ flags, args, context }) {
    const client = await context.session();
    const { id, username: found, externalId } = await findUser(client, args.user);
    const { user } = await client.call(getUserQuota, { params: { id } });
    if (!flags.yes) {
      writeMessage(`${printable(found)} has ${user.usedFiles} files, ${toSize(user.usedBytes)}. ${fates[flags.files]}`);
      await confirm(context, `Delete ${printable(found)} for good?`, 'nothing was deleted');
    }
    await client.call(deleteUser, { params: { id }, query: { files: flags.files, ...toReason(flags) } });
    return { username: found, externalId, files: flags.files, fileCount: user.usedFiles };
  },
  note: ({ username: deleted, files }) => `${printable(deleted)} is deleted. ${fates[files]}`,
});
