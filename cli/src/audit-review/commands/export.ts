import { exportAuditLogs } from '@recordproof/shared/api/audit-review.ts';
import { command } from '../../platform/command.ts';
import { writeWholeFile } from '../../platform/whole-file.ts';
import { filterFlags, outputFlags, toFilter } from '../flags.ts';

const mostRows = 10_000;

export default command({
  summary: 'Write rows of the audit log into a spreadsheet (.xlsx), at most 10,000',
  description: 'The newest that match. A text that looks like a formula stands behind an apostrophe.',
  examples: [
    { command: 'admin audit export -o audit.xlsx', description: 'The newest rows' },
    { command: 'admin audit export --from 2026-01-01 --to 2026-01-31', description: 'Into audit.xlsx' },
  ],
  flags: { ...filterFlags, ...outputFlags },
  async run({ flags, context }) {
    const client = await context.session();
    const output = flags.output ?? 'audit.xlsx';
    const answer = await client.open(exportAuditLogs, { body: toFilter(flags) });
    await writeWholeFile(output, answer.body ?? new Uint8Array(), flags.force);
    const matching = Number(answer.headers.get('x-audit-rows') ?? 0);
    return { output, matching, written: Math.min(matching, mostRows) };
  },
  text: ({ output }) => output,
  note: ({ matching, written }) =>
    matching > written
      ? `${written} of ${matching} rows: the newest; narrow it down with --from and --to for the others`
      : `${written} rows`,
});
