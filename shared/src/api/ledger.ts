// Public access to the embedded ledger: a transparency log in the C2SP tlog-tiles layout (docs/spec/ledger.md). Without
// envelope, for compatibility with existing monitors and witnesses.
import { z } from 'zod';
import { endpoint } from './endpoint.ts';

export const getLedgerCheckpoint = endpoint('getLedgerCheckpoint', {
  feature: 'vouchers',
  route: 'GET /ledger/checkpoint',
  summary: 'The newest signed checkpoint of the ledger',
  description:
    'A C2SP signed note: name, size and root of the log, signed by the log and by the witnesses that have cosigned it so far. Sizes never go down: a server that lacks the newest checkpoint answers 503.',
  access: 'anonymous',
  rate: 'ledger',
  answer: z.string(),
  answerForm: 'text',
});

const common = { feature: 'chain', access: 'anonymous', rate: 'ledger' } as const;

export const getLedgerKey = endpoint('getLedgerKey', {
  ...common,
  route: 'GET /ledger/key',
  summary: 'The verifier key of the ledger',
  description: 'One line, as monitors are configured with it. Compare it with what you were told by another way.',
  answer: z.string(),
  answerForm: 'text',
});

export const getLedgerPostQuantumKey = endpoint('getLedgerPostQuantumKey', {
  ...common,
  route: 'GET /ledger/key/post-quantum',
  summary: 'The verifier key of the ledger for ML-DSA-44',
  description:
    'One line, for policies of readers who check this signature too. 404 where `ledger.post-quantum` is off. Compare it with what you were told by another way.',
  answer: z.string(),
  answerForm: 'text',
  errors: ['NOT_FOUND'],
});

export const getLedgerTile = endpoint('getLedgerTile', {
  ...common,
  route: 'GET /ledger/tile/**',
  summary: 'A tile of hashes, or a bundle of entries, of the ledger',
  description:
    '`<L>/<N>` and `entries/<N>`, with `.p/<W>` behind it for the first W of a tile that is not full yet. What stands under a path never changes.',
  params: z.object({
    path: z
      .string()
      .max(200)
      .meta({ examples: ['0/000.p/1'] }),
  }),
  answerForm: 'bytes',
  errors: ['NOT_FOUND'],
});
