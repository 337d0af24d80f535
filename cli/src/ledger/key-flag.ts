import { string } from '@oclif/core/flags';

export const keyFlag = {
  key: string({
    helpValue: '<key>',
    summary: 'Verifier key of the ledger, from a source you trust. Otherwise the first one seen counts.',
  }),
};
