// The command `keys pin`.
import { listIssuerKeys } from '@recordproof/shared/api/proofs.ts';
import { command } from '../platform/command.ts';
import { CommandError } from '../platform/command-error.ts';
import { alignRows } from '../platform/table.ts';
import { pinKeys } from './pinned-keys.ts';

export const pin = command({
  summary: 'Keep the keys that sign the proofs of your server',
  description: [
    'Fetched once over the connection that you are signed in on, shown with their fingerprints, and kept in the profile;',
    '`recordproof verify FILE` trusts them from then on. Compare the fingerprint with the one that the operator tells you.',
    'A key that changes later is refused.',
  ].join(' '),
  examples: [{ command: 'keys pin', description: 'Again after the operator has made a new version' }],
  async run({ context }) {
    const at = await context.sessionKey();
    const shown = await (await context.session()).call(listIssuerKeys);
    if (shown.length === 0)
      throw new CommandError('later', `${at.server} has no key yet: it makes one with its first proof`, {
        try: 'recordproof prove <file>, then: recordproof keys pin',
      });
    const { keys, added } = await pinKeys(context.paths, at, shown);
    return { ...at, added: added.length, keys };
  },
  text: ({ keys }) => alignRows(keys.map(key => [key.keyId, `version ${key.keyVersion}`, key.publicKeyFingerprint])),
  note: ({ server, added }) =>
    added === 0
      ? `${server}: these keys were pinned before, and none has changed`
      : `${server}: ${added} pinned; compare the fingerprint with the one that the operator tells you`,
});
