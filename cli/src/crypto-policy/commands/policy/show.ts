import { getCryptoPolicy } from '@recordproof/shared/api/crypto-policy.ts';
import { command } from '../../../platform/command.ts';
import { policyText } from '../../tables.ts';

export default command({
  summary: 'Show what new files of the tenant are protected with',
  description: 'Files that are there already stay as they were written. To change it: admin crypto policy set.',
  examples: [{ command: 'admin crypto policy', description: 'Which suites and providers, and since which version?' }],
  run: async ({ context }) => (await context.session()).call(getCryptoPolicy),
  text: policyText,
});
