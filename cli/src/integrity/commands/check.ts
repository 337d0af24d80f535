import { option, string } from '@oclif/core/flags';
import { recordId } from '@recordproof/shared/api/common.ts';
import { checkIntegrity, checkLevels } from '@recordproof/shared/api/integrity.ts';
import { command } from '../../platform/command.ts';
import { parseField } from '../../platform/fields.ts';
import { callLong } from '../call-long.ts';
import { checkText } from '../tables.ts';

export default command({
  summary: 'Check all stored files of the tenant now, or one of them',
  description:
    'LIGHTWEIGHT asks the store about every chunk without reading it, MEDIUM also proves the manifests, HEAVY reads sampled chunks and asks the chain. Waits until it is over; Ctrl-C ends the check. Ends with exit code 1 when something was found or could not be looked at.',
  examples: [
    { command: 'admin integrity check', description: 'Everything, thoroughly' },
    { command: 'admin integrity check --level LIGHTWEIGHT', description: 'Is everything still there?' },
    { command: 'admin integrity check --file 42', description: 'One file' },
  ],
  flags: {
    level: option({ options: checkLevels, default: 'HEAVY', summary: 'How thoroughly.' })(),
    file: string({ helpValue: '<id>', summary: 'Only this file.' }),
  },
  async run({ flags, context }) {
    const file = flags.file === undefined ? {} : { fileId: parseField('--file', recordId, flags.file) };
    return callLong(context, checkIntegrity, { body: { level: flags.level, ...file } });
  },
  ending: ({ mismatchesFound, errorsEncountered }) => (mismatchesFound + errorsEncountered > 0 ? 'refused' : 'ok'),
  text: checkText,
  note: ({ mismatchesFound }) =>
    mismatchesFound === 0 ? '' : 'what was found: recordproof admin integrity alerts --status PENDING',
});
