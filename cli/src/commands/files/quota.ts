import { fileQuota } from '@recordproof/shared/api/files.ts';
import { command } from '../../command.ts';
import { toTable } from '../../output.ts';
import { toSize } from '../../transfer/units.ts';

type Allowance = { usedBytes: number; maxBytes: number; usedFiles: number; maxFiles: number };

const row = (who: string, { usedBytes, maxBytes, usedFiles, maxFiles }: Allowance): string[] => [
  who,
  `${toSize(usedBytes)} of ${toSize(maxBytes)}`,
  `${usedFiles} of ${maxFiles} files`,
];

export default command({
  summary: 'How much of the storage quota is used',
  examples: [{ command: 'files quota', description: 'Yours and that of all together' }],
  run: async ({ program }) => (await program.session()).call(fileQuota),
  text: ({ user, tenant }) => toTable([row('you', user), row('all together', tenant)]),
  note: ({ mode }) => (mode === 'SHADOW' ? 'The quota is only watched, not enforced.' : ''),
});
