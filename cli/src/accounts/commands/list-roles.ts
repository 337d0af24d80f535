import { listRoles } from '@recordproof/shared/api/accounts.ts';
import { command } from '../../platform/command.ts';

export default command({
  summary: 'Show the roles and what each may do',
  examples: [{ command: 'admin roles list', description: 'user, admin, monitor and their permissions' }],
  run: async ({ context }) => (await context.session()).call(listRoles),
  text: roles =>
    roles
      .map(({ role, description, permissions }) => `${role}: ${description}\n${toLines(permissions).join('\n')}`)
      .join('\n\n'),
});

const mostColumns = 76;

/** Permissions next to each other, in lines that fit any terminal. */
function toLines(permissions: readonly string[]): string[] {
  const lines: string[] = [];
  let line = '';
  for (const permission of permissions) {
    if (line.length + permission.length > mostColumns) {
      lines.push(line);
      line = '';
    }
    line += `  ${permission}`;
  }
  return [...lines, line];
}
