import { option, string } from '@oclif/core/flags';
import { listAllFiles } from '@recordproof/shared/api/admin-files.ts';
import { fileStatus, keywordModes } from '@recordproof/shared/api/files.ts';
import { codeOf, namesOf } from '../../platform/code-names.ts';
import { command } from '../../platform/command.ts';
import { toMoment } from '../../platform/time-flags.ts';
import { filePages, filesTable } from '../tables.ts';

export default command({
  summary: 'List the files of everyone, the newest first',
  examples: [
    { command: 'admin files list --owner alice', description: 'Newest versions of what alice has stored' },
    { command: 'admin files list --status delete', description: 'What was deleted' },
  ],
  flags: {
    ...filePages.flags,
    owner: string({ helpValue: '<name>', summary: 'Only files of this user, by name or external id.' }),
    keyword: string({ helpValue: '<text>', summary: 'Part of a name, or a whole fileHash or contentHash.' }),
    mode: option({ options: keywordModes, summary: 'How the keyword is compared.' })(),
    status: option({ options: namesOf(fileStatus), summary: 'Only files in this state.' })(),
    since: string({ helpValue: '<day or time>', summary: 'Created then or later.' }),
    until: string({ helpValue: '<day or time>', summary: 'Created then or earlier.' }),
  },
  async run({ flags, context }) {
    const query = {
      ...filePages.toQuery(flags),
      ...(flags.owner !== undefined && { owner: flags.owner }),
      ...(flags.keyword !== undefined && { keyword: flags.keyword }),
      ...(flags.mode && { keywordMode: flags.mode }),
      ...(flags.status && { status: codeOf(fileStatus, flags.status) }),
      ...(flags.since !== undefined && { startTime: toMoment('--since', flags.since) }),
      ...(flags.until !== undefined && { endTime: toMoment('--until', flags.until, 'end') }),
    };
    return (await context.session()).call(listAllFiles, { query });
  },
  text: filesTable,
  note: filePages.note,
});
