import { pauseUpload } from '@recordproof/shared/api/uploads.ts';
import { command } from '../../platform/command.ts';
import { parseUpload, uploadArgument } from '../upload-argument.ts';

export default command({
  summary: 'Pause an upload',
  description: 'A run that is sending it ends; what has arrived stays until the upload expires.',
  examples: [{ command: 'uploads pause <upload>', description: 'Go on with: uploads resume <upload>' }],
  args: uploadArgument,
  run: async ({ args, context }) =>
    (await context.session()).call(pauseUpload, { body: { clientId: parseUpload(args.upload) } }),
  note: ({ clientId, status }) => `${clientId} is ${status}`,
});
