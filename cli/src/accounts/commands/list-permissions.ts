import { listPermissions } from '@recordproof/shared/api/accounts.ts';
import { command } from '../../platform/command.ts';
import { alignRows } from '../../platform/table.ts';

export default command({
  summary: 'Show every permission and what it allows',
  examples: [{ command: 'admin roles permissions', description: 'What the permissions of the roles mean' }],
  run: async ({ context }) => (await context.session()).call(listPermissions),
  text: permissions => alignRows(permissions.map(({ permission, description }) => [permission, description])),
});
