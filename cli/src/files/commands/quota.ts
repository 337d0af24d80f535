import { fileQuota } from '@recordproof/shared/api/files.ts';
import { command } from '../../platform/command.ts';
import { alignRows } from '../../platform/table.ts';
import { toSize } from '../../platform/units.ts';

type Allowance = { usedBytes: number; maxBytes: number; usedFiles: number; maxFiles: number };

const row = (who: string, { usedBytes, maxBytes, usedFiles, maxFiles }: Allowance): string[] => [
  who,
  `${toSize(usedBytes)} of ${toSize(maxBytes)}`,
  `${usedFiles} of ${maxFiles} files`,
];

export default command({
  summary: 'How much of the storage quota is used',
  examples: [{ command: 'files quota', description: 'Yours and that of all together' }],
  run: async ({ context }) => (await context.session()).call(fileQuota),
  text: ({ user, tenant }) => alignRows([row('you', user), row('all together', tenant)]),
  note: ({ mode }) => (mode === 'SHADOW' ? 'The quota is only watched, not enforced.' : ''),
});
