import { string as argument } from '@oclif/core/args';
import { option, string } from '@oclif/core/flags';
import { fileStatus, keywordModes, searchFiles } from '@recordproof/shared/api/files.ts';
import { command } from '../../platform/command.ts';
import { toMoment } from '../../platform/time-flags.ts';
import { filePages, filesTable } from '../file-table.ts';

const statusNames = Object.keys(fileStatus) as (keyof typeof fileStatus)[];

export default command({
  summary: 'Search your files by name, hash, status and time',
  examples: [
    { command: 'files search invoice', description: 'Files with "invoice" in their name' },
    { command: 'files search --since 2026-01-01 --until 2026-01-31', description: 'Files of one month' },
  ],
  args: { keyword: argument({ description: 'Part of a name, or 64 hex digits of a fileHash or contentHash.' }) },
  flags: {
    ...filePages.flags,
    mode: option({ options: keywordModes, summary: 'How the keyword is compared.' })(),
    status: option({ options: statusNames, summary: 'Only files in this state.' })(),
    since: string({ helpValue: '<day or time>', summary: 'Created then or later.' }),
    until: string({ helpValue: '<day or time>', summary: 'Created then or earlier.' }),
  },
  async run({ flags, args, context }) {
    const query = {
      ...filePages.toQuery(flags),
      ...(args.keyword !== undefined && { keyword: args.keyword }),
      ...(flags.mode && { keywordMode: flags.mode }),
      ...(flags.status && { status: fileStatus[flags.status] }),
      ...(flags.since !== undefined && { startTime: toMoment('--since', flags.since) }),
      ...(flags.until !== undefined && { endTime: toMoment('--until', flags.until, 'end') }),
    };
    return (await context.session()).call(searchFiles, { query });
  },
  text: filesTable,
  note: filePages.note,
});
