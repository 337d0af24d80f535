import { getCryptoDiagnostics } from '@recordproof/shared/api/crypto-policy.ts';
import { command } from '../../platform/command.ts';
import { diagnosticsText } from '../tables.ts';

export default command({
  summary: 'Show every suite and provider: what it can do, until when, and whether it answers',
  examples: [
    { command: 'admin crypto diagnostics', description: 'What may be written with today?' },
    { command: 'admin crypto diagnostics --wide', description: 'With types, providers and beginnings' },
    { command: 'admin crypto diagnostics --json', description: 'Everything, with constraints and what fits together' },
  ],
  run: async ({ context }) => (await context.session()).call(getCryptoDiagnostics),
  text: diagnosticsText,
});
